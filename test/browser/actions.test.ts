// What an operator does from the dashboard in real Chromium, each after a confirmation that shows the API call.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../tooling/dashboard/browser.ts'
import { mineAt, type Scene, setScene } from '../../tooling/dashboard/scene.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { type Desk, openDesk, violations } from './support/visit.ts'

describe.skipIf(isSkipped(chromiumPath === undefined))('actions', () => {
  let desk: Desk<Scene>
  beforeAll(async () => {
    desk = await openDesk(setScene)
  })
  afterAll(() => desk?.[Symbol.asyncDispose]())

  const at = (path: string) => `${desk.scene.service.url}${path}`
  const submitted = async (relayer: string) => {
    const { id } = await desk.scene.client.send(relayer, {
      ...{ to: `0x${'11'.repeat(20)}`, value: '1500000000000000', data: '0x1234', gas_limit: 40_000 },
      ...{ max_fee_per_gas: '42000000000', max_priority_fee_per_gas: '1000000000' },
    })
    await expect.poll(async () => (await desk.scene.client.get(relayer, id)).status).toBe('submitted')
    return id
  }

  test('a transaction is canceled from its row', async () => {
    const { page } = desk.operator
    const id = await submitted('market')
    await page.goto(at('/relayers/market'))
    await page.getByRole('button', { name: `Cancel… transaction ${id}` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`DELETE /api/v1/relayers/market/transactions/${id}`).waitFor()
    await dialog.getByText('Expected cost').waitFor()
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel the transaction' }).click()
    const row = page.locator('[aria-labelledby=transactions] tbody tr').first()
    await row.getByText('canceling').waitFor()
    expect(await row.getByRole('button', { name: 'Cancel…' }).count()).toBe(0)
    expect(await row.locator('.badge.good').count()).toBe(0)
  })

  test('a transaction is sped up with the same payload, and then replaced by another', async () => {
    const { page, faults } = desk.operator
    const id = await submitted('bridge')
    const before = await desk.scene.client.get('bridge', id)
    await page.goto(at(`/relayers/bridge/transactions/${id}`))
    await page.getByRole('button', { name: 'Speed up…' }).click()
    await page.getByText(`PUT /api/v1/relayers/bridge/transactions/${id}`).waitFor()
    expect(await page.locator('.call-sent').textContent()).toContain('"data":"0x1234"')
    expect(await page.locator('.call-sent').textContent()).toContain('"speed":"fastest"')
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Speed it up', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const faster = async () => {
      await mineAt(desk.scene.anvil, 60)
      const attempts = await desk.scene.client.attempts('bridge', id)
      return attempts.some(({ kind, max_fee_per_gas: fee }) => kind === 'replace' && Number(fee) > 60_000_000_000)
    }
    await expect.poll(faster).toBe(true)
    const after = await desk.scene.client.get('bridge', id)
    expect(after).toMatchObject({ nonce: before.nonce, data: '0x1234', value: before.value })

    const other = await submitted('faucet')
    await page.goto(at(`/relayers/faucet/transactions/${other}`))
    await page.getByRole('button', { name: 'Replace…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Value in ether').fill('much')
    expect(await dialog.getByRole('button', { name: 'Replace the transaction' }).isDisabled()).toBe(true)
    expect(await dialog.getByLabel('To (empty: a new contract)').inputValue()).toMatch(/^0x1{40}$/)
    await dialog.getByLabel('Value in ether').fill('0.002')
    await dialog.getByLabel('Data').fill('0x')
    await dialog.getByText('"value":"2000000000000000"').waitFor()
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Replace the transaction' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await desk.scene.client.get('faucet', other)).toMatchObject({ value: '2000000000000000', data: '0x' })
    await page.locator('.payload').getByText('0.002').waitFor()
    expect(faults).toEqual([])
  })

  test('a release shows the payload first, and says where the transaction is no longer on hold', async () => {
    const { page } = desk.operator
    const held = async () => {
      const { id } = await desk.scene.client.send('bridge', { to: `0x${'11'.repeat(20)}`, value: '7', hold: true })
      await page.goto(at(`/relayers/bridge/transactions/${id}`))
      await page.getByRole('button', { name: 'Release…' }).waitFor()
      return id
    }
    const dialog = page.getByRole('dialog')
    const confirm = dialog.getByRole('button', { name: 'Release it' })
    const other = await held()
    await page.getByRole('button', { name: 'Release…' }).click()
    await dialog.getByText('"value": "7"').waitFor()
    await confirm.click()
    await dialog.waitFor({ state: 'detached' })
    expect((await desk.scene.client.request('GET', `/relayers/bridge/transactions/${other}/hold`)).status).toBe(404)

    const id = await held()
    // The page no longer follows, as where the release comes in the moment of the click.
    await page.getByRole('button', { name: 'Pause updates' }).click()
    const released = await desk.scene.client.request('POST', `/relayers/bridge/transactions/${id}/release`)
    expect(released.status).toBe(200)
    await page.getByRole('button', { name: 'Release…' }).click()
    await dialog.getByText('It is no longer on hold: nothing is left to release.').waitFor()
    expect(await confirm.isDisabled()).toBe(true)
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Resume updates' }).click()
  })

  test('a key is made with its scopes, shown once, and works', async () => {
    const { page, faults } = desk.operator
    await page.goto(at('/api-keys'))
    await page.getByRole('button', { name: 'Make a key…' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('button', { name: 'Make the key' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Name').fill('billing')
    await dialog.getByLabel('take transactions back').check()
    for (const id of ['bridge', 'faucet']) await dialog.getByLabel(id, { exact: true }).check()
    await dialog.getByText('POST /api/v1/api-keys').waitFor()
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Make the key' }).click()
    const notice = page.locator('.notice', { hasText: 'The key of billing' })
    const key = (await notice.locator('code').textContent()) ?? ''
    expect(key).toMatch(/^rescind_[\w-]{43}$/)
    expect(await violations(page)).toEqual([])
    const row = page.locator('tbody tr', { hasText: 'billing' })
    expect(await row.textContent()).toMatch(/in force.*read, cancel.*2 relayers/)
    await notice.getByRole('button', { name: 'It is stored: hide it' }).click()
    expect(await page.getByText(key).count()).toBe(0)
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(at('/api/v1/relayers/bridge'), { headers })).status).toBe(200)
    expect((await fetch(at('/api/v1/relayers/market'), { headers })).status).toBe(401)
    await row.getByRole('button', { name: 'Revoke…' }).click()
    await page.getByText('DELETE /api/v1/api-keys/').waitFor()
    await page.getByRole('button', { name: 'Revoke the key' }).click()
    await row.getByText('revoked').waitFor()
    expect((await fetch(at('/api/v1/relayers/bridge'), { headers })).status).toBe(401)
    expect(faults).toEqual([])
  })
})
