// Bulk cancellations from the dashboard in real Chromium: by a filter, from selected rows, and of everything.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../tooling/dashboard/browser.ts'
import { healthy, mineAt, type Scene, setScene } from '../../tooling/dashboard/scene.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { type Desk, openDesk, signIn, violations, visit } from './support/visit.ts'

describe.skipIf(isSkipped(chromiumPath === undefined))('bulk cancellations', () => {
  let desk: Desk<Scene>
  beforeAll(async () => {
    desk = await openDesk(setScene)
  })
  afterAll(() => desk?.[Symbol.asyncDispose]())

  const at = (path: string) => `${desk.scene.service.url}${path}`
  const made = async (scopes: readonly string[]) => {
    const { body } = await desk.scene.client.request('POST', '/api-keys', { body: { name: scopes.join(), scopes } })
    return (body as { readonly data: { readonly key: string } }).data.key
  }
  const submitted = async (relayer: string, to = `0x${'11'.repeat(20)}`) => {
    const { id } = await desk.scene.client.send(relayer, {
      ...{ to, value: '1500000000000000', gas_limit: 40_000 },
      ...{ max_fee_per_gas: '42000000000', max_priority_fee_per_gas: '1000000000' },
    })
    await expect
      .poll(async () => (await desk.scene.client.get(relayer, id)).status, { timeout: 20_000 })
      .toBe('submitted')
    return id
  }
  const hasNoOp = async (relayer: string, id: string) => {
    const noOp = (await desk.scene.client.attempts(relayer, id)).find(({ kind }) => kind === 'cancel')
    return noOp !== undefined && (await desk.scene.anvil.rpc('eth_getTransactionByHash', [noOp.hash])) !== null
  }
  const isFinal = async (relayer: string, id: string) => {
    await mineAt(desk.scene.anvil, 60)
    return (await desk.scene.client.cancellation(relayer, id)).final
  }

  test('rows of a list are selected, canceled as one object, and its page shows the verdicts as they come', async () => {
    const { page, faults } = desk.operator
    const ids = [await submitted('market'), await submitted('market')]
    const kept = await submitted('market')
    await page.goto(at('/relayers/market'))
    for (const id of ids) await page.getByLabel(`Select transaction ${id}`).check()
    await page.getByText('2 transactions selected').waitFor()
    await page.getByRole('button', { name: 'Cancel the selected…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason (optional)').fill('paid twice')
    await dialog.getByText('2 transactions: 0 free, and 2 no-ops.').waitFor()
    await dialog.getByText(/^Cost: up to 0\.0.* at most\.$/).waitFor()
    await dialog.getByText('Later sends are not canceled.').waitFor()
    await dialog.getByText('The transactions').click()
    expect(await dialog.locator('li').allTextContents()).toEqual([
      expect.stringMatching(/ of market, nonce \d+: by a no-op, up to 0\.0/),
      expect.stringMatching(/ of market, nonce \d+: by a no-op, up to 0\.0/),
    ])
    await dialog
      .getByText(new RegExp(`"ids":\\["${ids[0]}","${ids[1]}"\\],"created_to":"[^"]*Z".*"at_most":2`))
      .waitFor()
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel 2 transactions' }).click()
    await page.getByRole('heading', { name: 'Bulk cancellation', level: 1 }).waitFor()
    await page.getByText('paid twice').waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/bulk-cancellations\/[0-9a-f-]{36}$/)
    await page.getByText('under way').waitFor()
    for (const id of ids) await expect.poll(() => hasNoOp('market', id), { timeout: 20_000 }).toBe(true)
    for (const id of ids) await expect.poll(() => isFinal('market', id), { timeout: 30_000 }).toBe(true)
    await page.getByText('all canceled').waitFor()
    await page.getByText('The payloads of all of them may be sent again').waitFor()
    expect(await page.locator('[aria-labelledby=canceled] tbody tr').count()).toBe(2)
    await page.locator(`[aria-labelledby=canceled] a[title="${ids[0]}"]`).waitFor()
    expect((await desk.scene.client.get('market', kept)).status).not.toBe('canceled')
    expect(await violations(page)).toEqual([])
    expect(faults).toEqual([])
  })

  test('of selected rows, those are canceled that their preview shows', async () => {
    const { page, faults } = desk.operator
    const [shown, changed] = [await submitted('market'), await submitted('market')]
    await page.goto(at('/relayers/market'))
    for (const id of [shown, changed]) await page.getByLabel(`Select transaction ${id}`).check()
    await page.getByRole('button', { name: 'Cancel the selected…' }).click()
    const dialog = page.getByRole('dialog')
    await desk.scene.client.cancel('market', changed)
    await dialog.getByRole('button', { name: 'Preview again' }).click()
    await dialog.getByText('1 transaction: 0 free, and 1 no-op.').waitFor()
    await dialog.getByText('1 more were canceled before').waitFor()
    await dialog.getByRole('button', { name: 'Cancel 1 transaction', exact: true }).click()
    await page.getByRole('heading', { name: 'Bulk cancellation', level: 1 }).waitFor()
    await expect.poll(async () => (await desk.scene.client.get('market', shown)).status).toBe('canceled')

    const last = await submitted('market')
    await page.goto(at('/relayers/market'))
    await page.getByLabel(`Select transaction ${last}`).check()
    await page.getByRole('button', { name: 'Cancel the selected…' }).click()
    await desk.scene.client.cancel('market', last)
    await dialog.getByRole('button', { name: 'Preview again' }).click()
    await dialog.getByText('0 transactions: 0 free, and 0 no-ops.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Cancel 0 transactions' }).isDisabled()).toBe(true)
    expect(faults).toEqual([])
  })

  test('a filter is filled in, and takes its matches only after a typed confirmation', async () => {
    const { page, faults } = desk.operator
    const receiver = `0x${'22'.repeat(20)}`
    const [taken, kept] = [await submitted('bridge', receiver), await submitted('bridge')]
    await page.goto(at('/bulk-cancellations'))
    await page.getByRole('link', { name: 'Cancel by a filter…' }).click()
    for (const id of ['bridge', 'faucet']) await page.getByLabel(id, { exact: true }).check()
    await page.getByLabel('Receiver').fill(receiver)
    await page.getByRole('group', { name: 'Value in ether' }).getByLabel('from').fill('0.001')
    await page.getByLabel('Cost at most, in ether').fill('0.5')
    await page.getByLabel('Name (optional)').fill('wrong receiver')
    const act = page.getByRole('button', { name: 'Cancel what matches' })
    expect(await act.count()).toBe(0)
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('1 transaction: 0 free, and 1 no-op.').waitFor()
    await page.getByText(/^Cost: up to 0\.0.* at most\.$/).waitFor()
    await page.getByText(`"filter":{"to":"${receiver}","value_from":"1000000000000000","created_to":"`).waitFor()
    await page.getByText('"max_cost":"500000000000000000","at_most":1').waitFor()
    expect(await act.isDisabled()).toBe(true)
    expect(await violations(page)).toEqual([])
    const later = await submitted('bridge', receiver)
    await page.getByLabel('Type cancel to confirm').fill('cancel')
    await act.click()
    await page.getByRole('heading', { name: 'wrong receiver', level: 1 }).waitFor()
    await page.getByText('Cost at most: ').waitFor()
    expect((await desk.scene.client.get('bridge', later)).status).not.toBe('canceled')
    await expect.poll(async () => (await desk.scene.client.get('bridge', taken)).status).toBe('canceled')
    expect((await desk.scene.client.get('bridge', kept)).status).not.toBe('canceled')
    await page.goto(at('/bulk-cancellations'))
    const row = page.locator('tbody tr', { hasText: 'wrong receiver' })
    expect(await row.textContent()).toMatch(/to 0x2{40}, created until \S+Z, value from 0\.001 ether.*2 relayers/)

    await page.goto(at('/bulk-cancellations/new'))
    await page.getByLabel('All relayers').check()
    await page.getByRole('group', { name: 'Age, such as' }).getByLabel('at least').fill('ten minutes')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('alert').getByText('older_than').waitFor()
    expect(await act.count()).toBe(0)
    expect(faults).toEqual([])
  })

  test('everything is stopped in three clicks, with a typed confirmation', async () => {
    const { page, faults } = desk.operator
    const id = await submitted('treasury')
    await page.goto(at('/'))
    await page.getByRole('link', { name: 'Stop everything…' }).click()
    const act = page.getByRole('button', { name: 'Stop everything' })
    expect(await act.isDisabled()).toBe(true)
    await page.getByText(`${healthy.length + 1} relayers, with `).waitFor()
    await page.getByText(/^Cost: up to 0\.0.* at most\.$/).waitFor()
    await page.getByText('This preview binds nothing').waitFor()
    expect(await violations(page)).toEqual([])
    const later = await submitted('treasury')
    await page.getByLabel('Type stop everything to confirm').fill('stop everything')
    await act.click()
    await page.getByText('Paused by it').waitFor()
    for (const each of [id, later]) expect((await desk.scene.client.get('treasury', each)).status).toBe('canceled')
    expect(await page.locator('[aria-labelledby=parts] tbody tr').count()).toBe(healthy.length + 1)
    for (const relayer of ['payouts', ...healthy]) {
      const { status, body } = await desk.scene.client.request('POST', `/relayers/${relayer}/transactions`, {
        body: { to: `0x${'11'.repeat(20)}`, value: '1', speed: 'fast' },
      })
      expect([status, JSON.stringify(body)]).toEqual([expect.any(Number), expect.stringContaining('paused')])
    }
    expect(faults).toEqual([])
  })

  test('a key without the scopes sees the pages and none of the buttons', async () => {
    await using reader = await visit(desk.browser, { viewport: { width: 360, height: 740 } })
    await signIn(reader.page, desk.scene.service, await made(['read']))
    for (const path of ['/bulk-cancellations', '/bulk-cancellations/new', '/stop-everything', '/']) {
      await reader.page.goto(at(path))
      await reader.page.locator('h1').waitFor()
      expect(await reader.page.getByRole('button', { name: /Stop everything|Cancel/ }).count()).toBe(0)
      expect(await reader.page.getByRole('link', { name: /Stop everything…|Cancel by a filter…/ }).count()).toBe(0)
      expect(await violations(reader.page)).toEqual([])
    }
    await using canceler = await visit(desk.browser)
    await signIn(canceler.page, desk.scene.service, await made(['read', 'cancel']))
    await canceler.page.goto(at('/bulk-cancellations'))
    await canceler.page.getByRole('link', { name: 'Cancel by a filter…' }).waitFor()
    expect(await canceler.page.getByRole('link', { name: 'Stop everything…' }).count()).toBe(0)
    expect([...reader.faults, ...canceler.faults]).toEqual([])
  })

  test('a key with the scope pause pauses a relayer, and sees no button to resume it', async () => {
    await desk.scene.client.request('PATCH', '/relayers/payouts', { body: { paused: false } })
    await using pauser = await visit(desk.browser)
    await signIn(pauser.page, desk.scene.service, await made(['read', 'pause']))
    await pauser.page.goto(at('/relayers/payouts'))
    await pauser.page.getByRole('button', { name: 'Pause…' }).click()
    await pauser.page.getByRole('button', { name: 'Pause the relayer' }).click()
    await pauser.page.locator('.facts .badge', { hasText: 'Paused' }).waitFor()
    await pauser.page.getByRole('button', { name: 'Pause…' }).waitFor({ state: 'detached' })
    expect(await pauser.page.getByRole('button', { name: 'Resume…' }).count()).toBe(0)
    expect(pauser.faults).toEqual([])
  })
})
