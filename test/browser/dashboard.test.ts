// The dashboard in real Chromium: an operator finds the stuck transaction among ten thousand, and takes it back.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumMissing, chromiumPath, openBrowser } from '../../tooling/dashboard/browser.ts'
import { mineAt, type Scene, setScene } from '../../tooling/dashboard/scene.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { signIn, type Visit, violations, visit } from './support/visit.ts'

const queued = 10_000

if (chromiumPath === undefined) process.stderr.write(`The tests of the dashboard are skipped: ${chromiumMissing}.\n`)

describe.skipIf(isSkipped(chromiumPath === undefined))('in a browser', () => {
  let scene: Scene
  let browser: Browser
  let operator: Visit
  beforeAll(async () => {
    browser = await openBrowser()
    scene = await setScene({ queued })
    operator = await visit(browser)
  })
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]()
    await scene?.[Symbol.asyncDispose]()
    await browser?.close()
  })

  const keyWith = async (rights: object): Promise<{ id: string; key: string }> => {
    const { body } = await scene.client.request('POST', '/api-keys', { body: { name: 'some', ...rights } })
    return (body as { data: { id: string; key: string } }).data
  }
  const at = (path: string) => `${scene.service.url}${path}`

  test('a wrong key is refused, and the right one shows the stuck relayer first', async () => {
    const { page } = operator
    await page.goto(at('/'))
    await page.getByLabel('API key').fill('wrong'.repeat(8))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('no valid key').waitFor()
    expect(await violations(page)).toEqual([])
    await signIn(page, scene.service)
    await page.getByRole('heading', { name: 'payouts is stuck' }).waitFor()
    const first = page.locator('tbody tr').first()
    expect(await first.textContent()).toMatch(/payouts.*Gas price above the cap.*10,000/)
  })

  test('each line of a condition leads to its section of the runbook', async () => {
    const { page, faults } = operator
    for (const path of ['/', '/relayers/payouts', `/relayers/payouts/transactions/${scene.stuck[1]}`]) {
      await page.goto(at(path))
      await page.getByRole('link', { name: 'What to do' }).first().click()
      await page.waitForURL('**/docs/runbook.md#gas_price_cap')
      const heading = page.getByRole('heading', { name: 'gas_price_cap', exact: true })
      await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(100)
      expect(await violations(page)).toEqual([])
    }
    expect(faults).toEqual([])
  })

  test.each([
    '/',
    '/relayers/payouts',
    '/relayers/payouts/cancel-all',
    '/bulk-cancellations',
    '/bulk-cancellations/new',
    '/stop-everything',
    '/gas',
    '/dead-letters',
    '/api-keys',
    '/audit-log',
    '/search?query=nothing',
  ])('axe finds nothing at %s, in light and dark', async (path) => {
    const { page, faults } = operator
    await page.goto(at(path))
    await page.locator('main h1').waitFor()
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violations(page)).toEqual([])
    }
    expect(faults).toEqual([])
  })

  test('the search finds the transaction of a hash, and its view decodes the payload', async () => {
    const { page } = operator
    const [attempt] = await scene.client.attempts('payouts', scene.stuck[1] ?? '')
    await page.goto(at('/'))
    await page.getByRole('searchbox').fill(attempt?.hash ?? '')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/transactions/${scene.stuck[1]}`)
    await page.getByText('ERC-20', { exact: true }).waitFor()
    expect(await page.locator('.payload').textContent()).toContain('25,000,000')
    expect(await violations(page)).toEqual([])
  })

  test('one transaction is canceled, by keyboard alone, and its verdict arrives by itself', async () => {
    const { page } = operator
    await page.goto(at('/relayers/payouts'))
    await page.getByText('The network’s price now: ').waitFor()
    expect(await page.locator('.notice.bad').textContent()).toMatch(
      /now: \d\d(\.\d+)? gwei .*base fee and tip, at block .*Raise the cap…/,
    )
    await page.getByRole('link', { name: 'Open nonce 3' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Cancel…' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Expected cost').waitFor()
    expect(await dialog.locator('.per-gas').textContent()).toMatch(
      /offers at most [\d.]+ gwei .*gas_price_cap, 3 gwei, limits sends alone/,
    )
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel the transaction' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('A no-op and the original compete for the nonce.').first().waitFor()
    await mineUntil('The no-op took the nonce')
    await page.getByText('Final.', { exact: true }).waitFor()
    const facts = await page.locator('.facts').textContent()
    expect(facts).toMatch(/Hash of the payload.*Hash of the no-op.*Block of the no-op.*Cost of the no-op/)
  })

  test('all are canceled after the preview, and every verdict arrives', async () => {
    const { page } = operator
    await page.goto(at('/'))
    await page.getByRole('link', { name: 'Cancel all…' }).first().click()
    await page.getByText('10,003 transactions will be canceled').waitFor()
    await page.getByText('And 9,983 more.').waitFor()
    await page.getByText(/may be in flight at most.*at today’s price/).waitFor()
    expect(await page.locator('.beside tbody tr').count()).toBe(20)
    expect(await page.locator('.beside tbody tr').first().textContent()).toMatch(/^[^.]+4.*0 ETH$/)
    expect(await page.locator('.beside tbody tr').last().textContent()).toMatch(/queued.*0\.0015 ETH$/)
    expect(await violations(page)).toEqual([])
    const button = page.getByRole('button', { name: 'Cancel 10,003 transactions' })
    await page.getByLabel('Type payouts to confirm').fill('payout')
    expect(await button.isDisabled()).toBe(true)
    await page.getByLabel('Type payouts to confirm').fill('payouts')
    await button.click()
    await page.getByRole('heading', { name: 'Bulk cancellation', level: 1 }).waitFor()
    await mineUntil('Every verdict is final.')
    await page.getByText('all canceled').waitFor()
    const tally = /10,000.*canceled, free.*3.*canceled.*payloads of all of them may be sent again.*Cost: 0\.\d+ ETH/
    expect(await page.locator('.tally').textContent()).toMatch(tally)
    expect(await page.locator('[aria-labelledby=canceled] tbody tr').count()).toBe(25)
    expect(await violations(page)).toEqual([])
    const { body } = await scene.client.request('GET', '/overview')
    expect(body).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ id: 'payouts', queued: 0, in_flight: 0 })]),
    })
    await sendBeyondTheLane('payouts')
    await page.goto(at('/'))
    await page.getByRole('heading', { name: '1 relayer could not send now' }).waitFor()
    await page.getByText('The next send would wait: the base fee').waitFor()
    await page.getByRole('link', { name: 'payouts', exact: true }).click()
    await page.getByText('is above gas_price_cap (3 gwei)').waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('a condition of an idle relayer is acknowledged with a note, and its cap is raised from it', async () => {
    const { page } = operator
    await scene.client.request('PATCH', '/relayers/treasury', { body: { policies: { gas_price_cap: 1_000_000_000 } } })
    await page.goto(at('/relayers/treasury'))
    const notice = page.locator('.notice', { hasText: 'Gas price above the cap' })
    // Once its transactions are final.
    await mineUntil('The next send would wait')
    await notice.getByRole('button', { name: 'Acknowledge…' }).click()
    await page.getByLabel('Note for others').fill('<b>wait for Monday</b>')
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    await notice.getByText('ago: <b>wait for Monday</b>').waitFor()
    await page.goto(at('/'))
    await page.locator('tr', { hasText: 'treasury' }).getByText(', acknowledged').waitFor()
    await page.getByRole('link', { name: 'treasury', exact: true }).click()
    await notice.getByRole('button', { name: 'Withdraw the acknowledgment' }).click()
    await notice.getByRole('button', { name: 'Acknowledge…' }).waitFor()

    await notice.getByRole('button', { name: 'Raise the cap…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Cap in gwei').fill('none')
    expect(await dialog.getByRole('button', { name: 'Set the cap' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Cap in gwei').fill('250.5')
    await dialog.getByText('{"policies":{"gas_price_cap":"250500000000"}}').waitFor()
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Set the cap' }).click()
    await notice.waitFor({ state: 'detached', timeout: 60_000 })
    await page.getByText('policies.gas_price_cap').waitFor()
    const { body } = await scene.client.request('GET', '/relayers/treasury')
    expect(body).toMatchObject({ data: { policies: { gas_price_cap: 250_500_000_000 } } })
  })

  test('a relayer is paused and resumed', async () => {
    const { page } = operator
    await page.goto(at('/relayers/rewards'))
    await page.getByRole('button', { name: 'Pause…' }).click()
    await page.getByText('{"paused":true}').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Pause the relayer' }).click()
    await page.locator('.facts .badge', { hasText: 'Paused' }).waitFor()
    const { body } = await scene.client.request('GET', '/relayers/rewards')
    expect(body).toMatchObject({ data: { paused: true } })
    await page.getByRole('button', { name: 'Resume…' }).click()
    await page.getByRole('button', { name: 'Resume the relayer' }).click()
    await page.getByRole('button', { name: 'Pause…' }).waitFor()
    const resumed = await scene.client.request('GET', '/relayers/rewards')
    expect(resumed.body).toMatchObject({ data: { paused: false } })
  })

  test('a network is paused and resumed, and the question names how many relayers stop', async () => {
    const { page } = operator
    await page.goto(at('/'))
    const { body: listed } = await scene.client.request('GET', '/relayers?per_page=100')
    const relayers = (listed as { data: { network: string }[] }).data.filter(({ network }) => network === 'localhost')
    await page.getByRole('button', { name: 'Pause the network localhost…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`${relayers.length} relayers stop`).waitFor()
    await dialog.getByLabel('Note for others').fill('the chain has halted')
    await dialog.getByText('PUT /api/v1/networks/evm%3Alocalhost/pause {"note":"the chain has halted"}').waitFor()
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Pause the network' }).click()
    const row = page.locator('.networks li', { hasText: 'localhost' })
    await row.getByText('the chain has halted').waitFor()
    await page.locator('table.relayers tbody tr', { hasText: 'rewards' }).getByText('With its network').waitFor()
    expect(await page.locator('h1').textContent()).toContain('network localhost is paused')
    expect(await violations(page)).toEqual([])
    await page.goto(at('/relayers/rewards'))
    await page.locator('.facts .badge', { hasText: 'Network paused' }).waitFor()
    const { body } = await scene.client.request('GET', '/relayers/rewards')
    expect(body).toMatchObject({ data: { paused: false, network_paused: true } })
    await page.goto(at('/'))
    await page.getByRole('button', { name: 'Resume the network localhost…' }).click()
    await dialog.getByText(`${relayers.length} relayers take sends again`).waitFor()
    await dialog.getByRole('button', { name: 'Resume the network' }).click()
    await page.getByRole('button', { name: 'Pause the network localhost…' }).waitFor()
    expect(await row.textContent()).not.toContain('Paused')
    const resumed = await scene.client.request('GET', '/relayers/rewards')
    expect(resumed.body).toMatchObject({ data: { paused: false, network_paused: false } })
  })

  test('while no node answers, one is canceled and then everything, and nothing that races is green', async () => {
    const { page } = operator
    const send = () =>
      scene.client.send('market', { to: `0x${'11'.repeat(20)}`, value: '1', data: '0x', speed: 'fast' })
    const [first, second] = [await send(), await send()]
    await page.goto(at(`/relayers/market/transactions/${second.id}`))
    await page.locator('h1 .badge', { hasText: 'submitted' }).waitFor()
    scene.anvil.freeze()
    try {
      await page.goto(at(`/relayers/market/transactions/${first.id}`))
      await page.getByRole('button', { name: 'Cancel…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('No node answers').or(dialog.getByText('Expected cost')).waitFor()
      await dialog.getByRole('button', { name: 'Cancel the transaction' }).click()
      await page.getByText('A no-op and the original compete for the nonce.').first().waitFor()
      await page.goto(at('/relayers/market/cancel-all'))
      await page.getByText('No node answers, so neither the cost nor the balance can be shown.').waitFor()
      expect(await page.locator('.cost').textContent()).toMatch(/Need a no-op each.*1.*Were canceled before.*1/)
      expect(await page.locator('.cost').textContent()).not.toContain('ETH')
      expect(await violations(page)).toEqual([])
      await page.getByLabel('Type market to confirm').fill('market')
      await page.getByRole('button', { name: 'Cancel 1 transaction' }).click()
      await page.getByText('0 of 1 verdicts are final').waitFor()
      await page.goto(at('/relayers/market'))
      const racing = page.locator('[aria-labelledby=transactions] tbody tr', { hasText: 'canceling' })
      await expect.poll(() => racing.count()).toBe(2)
      expect(await page.locator('.badge.good', { hasText: 'cancel' }).count()).toBe(0)
    } finally {
      scene.anvil.thaw()
    }
    await page.goto(at(`/relayers/market/transactions/${second.id}`))
    await mineUntil('Final.')
  })

  test('links lead to the page of an explorer, also where the list begins with an API', async () => {
    const { page } = operator
    const change = (urls: readonly string[] | null) =>
      scene.client.request('PATCH', '/networks/evm:localhost', { body: { explorer_urls: urls } })
    await page.goto(at('/relayers/bridge'))
    await page.getByRole('heading', { name: 'Transactions' }).waitFor()
    expect(await page.getByRole('link', { name: 'Open in the explorer' }).count()).toBe(0)
    await change(['https://api.scan.example/api', 'https://scan.example/'])
    await page.reload()
    const link = page.locator('.facts').getByRole('link', { name: 'Open in the explorer' })
    expect(await link.getAttribute('href')).toMatch(/^https:\/\/scan\.example\/address\/0x[0-9a-fA-F]{40}$/)
    await change(null)
  })

  test('a reorganization shows while somebody looks', async () => {
    const { page } = operator
    const snapshot = await scene.anvil.rpc('evm_snapshot')
    const { id } = await scene.client.send('treasury', {
      to: `0x${'11'.repeat(20)}`,
      value: '1',
      data: '0x',
      speed: 'fast',
    })
    await page.goto(at(`/relayers/treasury/transactions/${id}`))
    await page.locator('h1 .badge', { hasText: 'submitted' }).waitFor()
    await mineAt(scene.anvil, 40)
    await page.locator('h1 .badge', { hasText: 'mined' }).waitFor()
    await scene.anvil.rpc('evm_revert', [snapshot])
    await mineAt(scene.anvil, 40)
    await mineAt(scene.anvil, 40)
    await page.locator('h1 .badge', { hasText: 'submitted' }).waitFor()
  })

  test('the service restarts while somebody looks', async () => {
    const { page } = operator
    await page.goto(at('/'))
    await page.getByText('Live', { exact: true }).waitFor()
    await scene.service.kill9()
    await page.getByText('Connection lost').waitFor()
    expect(await page.locator('tbody tr').count()).toBe(6)
    await scene.service.restart()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('Not up to date').waitFor({ state: 'detached' })
  })

  test('rows keep their places while the pointer is among them', async () => {
    const { page } = operator
    const ids = () => page.locator('tbody th a').allTextContents()
    await page.goto(at('/'))
    await page.locator('tbody tr').nth(5).waitFor()
    // The idle ones are looked at again half a minute after a node was silent.
    await expect.poll(() => page.getByText('No node can be reached').count()).toBe(0)
    await page.locator('tbody tr').nth(2).hover()
    const before = await ids()
    await scene.client.request('PATCH', '/relayers/treasury', { body: { paused: true } })
    await page.locator('tbody tr', { hasText: 'treasury' }).getByText('Paused').waitFor()
    expect(await ids()).toEqual(before)
    await page.mouse.move(0, 0)
    await expect.poll(async () => (await ids()).at(-1)).toBe('rewards')
    await scene.client.request('PATCH', '/relayers/treasury', { body: { paused: false } })
  })

  test('the pause button stops the stream and the ages', async () => {
    const { page } = operator
    await page.goto(at('/relayers/bridge'))
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Pause updates' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    const age = () => page.locator('tbody time').first().textContent()
    const before = await age()
    await scene.client.send('bridge', { to: `0x${'11'.repeat(20)}`, value: '1', data: '0x', speed: 'fast' })
    await mineAt(scene.anvil, 40)
    // The next reading is the one that the button starts.
    expect([await age(), requests]).toEqual([before, []])
    await page.getByRole('button', { name: 'Resume updates' }).click()
    await page
      .locator('tbody tr', { hasText: 'submitted' })
      .or(page.locator('tbody tr', { hasText: 'mined' }))
      .first()
      .waitFor()
  })

  test('script in every field that a client controls stays text', async () => {
    const { page, faults } = operator
    const script = '<img src=x onerror=alert(1)><script>alert(2)</script>'
    const { id } = await keyWith({ name: script, scopes: ['read'] })
    await scene.client.request('PATCH', '/relayers/faucet', { body: { name: script } })
    await scene.client.request('GET', '/relayers', { headers: { 'x-request-id': 'javascript:alert(3)' } })
    const sent = await scene.client.send('faucet', {
      to: `0x${'22'.repeat(20)}`,
      value: '1',
      data: `0x${Buffer.from(script).toString('hex')}`,
      speed: 'fast',
    })
    const query = encodeURIComponent('"><script>alert(4)</script>')
    for (const path of [
      '/',
      '/api-keys',
      '/audit-log',
      `/search?query=${query}`,
      `/relayers/${query}`,
      `/relayers/faucet/transactions/${sent.id}`,
    ]) {
      await page.goto(at(path))
      await page.locator('main h1').waitFor()
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
      expect(await page.locator('main script, main img').count()).toBe(0)
    }
    await page.goto(at('/api-keys'))
    await page.getByText(script).first().waitFor()
    await scene.client.request('DELETE', `/api-keys/${id}`)
    expect(faults).toEqual([])
  })

  test('no other page can frame it', async () => {
    await using framing = await visit(browser)
    await framing.page.setContent(`<iframe src="${at('/')}"></iframe>`)
    const frame = framing.page.frames()[1]
    await expect.poll(() => frame?.url()).toMatch(/^chrome-error:/)
  })

  test('a read key sees no button that it cannot use, and ends where its key ends', async () => {
    await using reader = await visit(browser)
    const { page } = reader
    const { id, key } = await keyWith({ scopes: ['read'], relayers: ['payouts', 'bridge'] })
    await signIn(page, scene.service, key)
    await page.getByRole('link', { name: 'payouts' }).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(2)
    expect(await page.getByText('Cancel all').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0)
    await page.goto(at('/relayers/market'))
    await page.getByRole('alert').first().waitFor()
    await scene.client.request('DELETE', `/api-keys/${id}`)
    await page.reload()
    await page.getByLabel('API key').waitFor()
  })

  test('a session whose key expires ends while somebody looks, and says so', async () => {
    const { key: lasting } = await keyWith({ scopes: ['read'] })
    const began = performance.now()
    await using first = await visit(browser)
    await signIn(first.page, scene.service, lasting)
    // On whatever machine, the key outlives its own sign-in: it lasts four times as long as one just took.
    const lastsMs = 2_000 + 4 * (performance.now() - began)
    await using late = await visit(browser)
    const { key } = await keyWith({ scopes: ['read'], expires_at: new Date(Date.now() + lastsMs).toISOString() })
    await signIn(late.page, scene.service, key)
    await late.page.getByText('Your session has ended').waitFor()
  })

  test('after the sign-out the cookie is gone, and the way back shows nothing', async () => {
    const { page } = operator
    await page.goto(at('/audit-log'))
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    expect(await page.context().cookies()).toEqual([])
    await page.goBack()
    await page.getByLabel('API key').waitFor()
  })

  /** The lane begins eight nonces before the lowest open one: earlier ones leave it. */
  async function sendBeyondTheLane(relayer: string): Promise<void> {
    const cap = (policy: number | null) =>
      scene.client.request('PATCH', `/relayers/${relayer}`, { body: { policies: { gas_price_cap: policy } } })
    await cap(null)
    const payment = { to: `0x${'11'.repeat(20)}`, value: '1', data: '0x', speed: 'fast' }
    const sent = await Promise.all(Array.from({ length: 12 }, () => scene.client.send(relayer, payment)))
    const areOver = async () => {
      await mineAt(scene.anvil, 40)
      const all = await Promise.all(sent.map(({ id }) => scene.client.get(relayer, id)))
      return all.every(({ status }) => status === 'confirmed')
    }
    await expect.poll(areOver, { interval: 300 }).toBe(true)
    await cap(3_000_000_000)
  }

  async function mineUntil(text: string): Promise<void> {
    const { page } = operator
    const found = page.getByText(text).first()
    await expect
      .poll(
        async () => {
          await mineAt(scene.anvil, 40)
          return found.isVisible()
        },
        { interval: 300 },
      )
      .toBe(true)
  }
})
