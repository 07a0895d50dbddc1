// The layout of every page and every dialog in real Chromium, by geometry, on screens of desks, tablets and phones.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../tooling/dashboard/browser.ts'
import { type Crowd, poor, setCrowd } from '../../tooling/dashboard/crowd.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { layoutFaults, openSettled } from './support/geometry.ts'
import { type Desk, openDesk } from './support/visit.ts'

type Path = (scene: Crowd) => string

const labeled: Path = (scene) => `/relayers/market/transactions/${scene.labeled}`

const pages: readonly (readonly [name: string, path: Path])[] = [
  ['the relayers', () => '/'],
  ['a relayer that is stuck', () => '/relayers/payouts'],
  ['a relayer without money', () => `/relayers/${poor}`],
  ['a relayer', () => '/relayers/market'],
  ['cancel all', () => '/relayers/payouts/cancel-all'],
  ['a transaction', ({ stuck }) => `/relayers/payouts/transactions/${stuck[1]}`],
  ['a transaction with labels', labeled],
  ['all filters', () => '/relayers/payouts?nonce_from=0&status=submitted&created_from=2020-01-01T00:00:00.000Z'],
  ['the bulk cancellations', () => '/bulk-cancellations'],
  ['a bulk cancellation', ({ bulk }) => `/bulk-cancellations/${bulk}`],
  ['a new bulk cancellation', () => '/bulk-cancellations/new'],
  ['stop everything', () => '/stop-everything'],
  ['the nodes', () => '/nodes'],
  ['the figures', () => '/figures'],
  ['gas', () => '/gas'],
  ['dead letters', () => '/dead-letters'],
  ['API keys', () => '/api-keys'],
  ['the audit log', () => '/audit-log'],
  ['a search', () => '/search?query=nothing'],
  ['no page', () => '/relayers/payouts/nothing'],
]

/** Each by the button that opens it. */
const dialogs: readonly (readonly [button: string, path: Path])[] = [
  ['Acknowledge…', () => '/relayers/payouts'],
  ['Raise the cap…', () => '/relayers/payouts'],
  ['Pause…', () => '/relayers/payouts'],
  ['Pause the network localhost…', () => '/'],
  ['Resume the network arbitrum-one-by-two-providers…', () => '/'],
  ['Make a key…', () => '/api-keys'],
  ['Revoke…', () => '/api-keys'],
  ['Release…', labeled],
  ['Replace…', labeled],
  ['Speed up…', labeled],
  ['Cancel…', labeled],
  ['Cancel… transaction', () => '/relayers/payouts'],
]

describe.skipIf(isSkipped(chromiumPath === undefined))('the layout', () => {
  let desk: Desk<Crowd>
  beforeAll(async () => {
    desk = await openDesk(setCrowd)
    // An event is given up after a day, for which no test waits.
    await desk.operator.page.route('**/v1/notifications/*/dead-letters*', async (route) => {
      const answer = await route.fetch()
      const given = { success: true, data: [letter], pagination: { current_page: 1, per_page: 25, total_items: 1 } }
      await route.fulfill({ response: answer, json: given })
    })
  })
  afterAll(() => desk?.[Symbol.asyncDispose]())

  test.each(pages)('of %s', async (_name, path) => {
    const { page } = desk.operator
    await openSettled(page, `${desk.scene.service.url}${path(desk.scene)}`)
    expect(await layoutFaults(page)).toEqual([])
  })

  test.each(dialogs)('of the dialog behind “%s”', async (button, path) => {
    const { page } = desk.operator
    await openSettled(page, `${desk.scene.service.url}${path(desk.scene)}`)
    await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').waitFor()
    expect(await layoutFaults(page)).toEqual([])
  })

  test('of the dialog that cancels selected rows', async () => {
    const { page } = desk.operator
    await openSettled(page, `${desk.scene.service.url}/relayers/payouts`)
    for (const row of [0, 1]) await page.getByLabel('Select transaction').nth(row).check()
    expect(await layoutFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Cancel the selected…' }).click()
    await page.getByText('2 transactions: 2 free').waitFor()
    expect(await layoutFaults(page)).toEqual([])
  })
})

const letter = {
  event: {
    id: '01a22700-95e0-7a3b-8f41-0d6cf1b2aa41',
    event: 'transaction_update',
    payload: { id: '01a22700-0f8d-7de4-9a4c-6b2a0809d6b4', relayer_id: 'market', status: 'confirmed' },
  },
  tries: 144,
  gave_up_at: '2026-11-28T11:20:00.000Z',
  last_error: 'HTTP 503: the upstream of hooks.example.com had no answer within 10 seconds, and closed the connection',
}
