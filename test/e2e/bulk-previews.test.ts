// Previews of bulk cancellations on a real chain: with a token, what the client was shown is canceled and nothing else, and it costs no more
// than was shown.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { type Answer, type Client, openClient } from '../../tooling/client.ts'
import { balanceOf } from '../../tooling/ledger.ts'
import { databaseIn } from '../../tooling/tested-database.ts'
import { audit } from './support/audit.ts'
import { cancel, inPool, mineUntil, noOpInPool, type Payment, pay, payTimes, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 2,
    relayers: { bound: { max_in_flight: 2 }, exact: { max_in_flight: 2 }, unpriced: { max_in_flight: 2 } },
  })
  await stage.reported()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

interface Preview {
  readonly token: string
  readonly bounds: readonly string[]
  readonly counts: Readonly<Record<string, number>>
  readonly cost?: { readonly now: string; readonly max: string }
}
interface Counts {
  readonly won: number
  readonly lost: number
  readonly racing: number
  readonly cost: string
}

interface Bulk {
  readonly id: string
  readonly final: boolean
  readonly counts: Counts
  readonly preview: Readonly<Record<string, unknown>>
  readonly parts: readonly {
    readonly refused: readonly { readonly transaction_id: string; readonly reason: string }[]
  }[]
}

const dataOf = <T>({ status, body }: Answer): T => {
  expect(status, JSON.stringify(body)).toBe(200)
  return (body as { data: T }).data
}
const preview = async (body: object, client: Client = stage.client) =>
  dataOf<Preview>(await client.request('POST', '/bulk-cancellations/preview', { body: { filter: {}, ...body } }))
const request = (body: object, client: Client = stage.client) =>
  client.request('POST', '/bulk-cancellations', {
    body: { filter: {}, ...body },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
const codeOf = ({ status, headers }: Answer) => [status, headers['relayer-error-code']]
const read = async (id: string) => dataOf<Bulk>(await stage.client.request('GET', `/bulk-cancellations/${id}`))

async function untilFinal({ id }: Bulk): Promise<Bulk> {
  await mineUntil(stage, 'the object to be final', async () => (await read(id)).final)
  return read(id)
}

async function areConfirmed(payments: readonly Payment[]): Promise<void> {
  await mineUntil(stage, 'the rest to be confirmed', async () => {
    const views = await Promise.all(payments.map((each) => view(stage, each)))
    return views.every(({ status }) => status === 'confirmed')
  })
}

test('nothing beyond the preview is taken or paid, what had ended is reported, and the token serves its key once', async () => {
  const sender = stage.sender('bound')
  const shown = await payTimes(stage, sender, 4)
  await inPool(stage, sender, [0, 1])
  const order = { relayers: [sender.id] }
  const { token, bounds, counts, cost } = await preview(order)
  expect([bounds, counts]).toMatchObject([['transactions', 'no_ops', 'cost'], { matches: 4, free: 2, no_ops: 2 }])
  // One of the queue ends, and another is sent.
  await cancel(stage, shown[2] as Payment)
  const late = await pay(stage, sender)

  const admin = { name: 'other', scopes: ['read', 'cancel'] }
  const { key } = dataOf<{ key: string }>(await stage.client.request('POST', '/api-keys', { body: admin }))
  await using other = openClient(stage.service.url, key)
  expect(codeOf(await request({ ...order, preview: token }, other))).toEqual([404, 'PREVIEW_NOT_FOUND'])
  const narrower = { ...order, filter: { value_to: '1' }, preview: token }
  expect(codeOf(await request(narrower))).toEqual([400, 'PREVIEW_OF_ANOTHER'])
  const bulk = dataOf<Bulk>(await request({ ...order, preview: token }))
  expect(bulk).toMatchObject({
    counts: { dropped: 1, racing: 2, refused: 0 },
    preview: { matches: 4, ended: 1, no_ops: 2, cost_max: cost?.max },
  })
  expect(codeOf(await request({ ...order, preview: token }))).toEqual([404, 'PREVIEW_NOT_FOUND'])
  for (const each of shown.slice(0, 2)) await noOpInPool(stage, each)
  const end = await untilFinal(bulk)
  expect(end.counts).toMatchObject({ dropped: 1, won: 2, safe_to_retry: 'all' })
  const paid = BigInt(end.counts.cost)
  expect(paid).toBeGreaterThan(0n)
  expect(paid).toBeLessThanOrEqual(BigInt(cost?.max ?? 0))
  await areConfirmed([late])
  for (const { to } of shown) expect(await balanceOf(stage.node, to)).toBe(0n)
  await audit(stage, sender)
})

test('what was free needs a no-op by now: it executes. exact refuses that and changes nothing', async () => {
  const sender = stage.sender('exact')
  const [first, second, third] = (await payTimes(stage, sender, 3)) as [Payment, Payment, Payment]
  await inPool(stage, sender, [0, 1])
  const order = { relayers: [sender.id], filter: { ids: [third.id] } }
  const { token, counts } = await preview(order)
  expect(counts).toMatchObject({ matches: 1, free: 1, no_ops: 0 })
  await stage.node.mine()
  await inPool(stage, sender, [2])
  const refused = await request({ ...order, preview: token, exact: true })
  expect(codeOf(refused)).toEqual([409, 'PREVIEW_DIFFERS'])
  expect(refused.headers['relayer-preview-difference']).toMatch(/^ended=0, added=0, no_ops=1, cost_beyond="\d+"$/)
  expect((await view(stage, third)).status).toBe('submitted')
  // The token is not used up.
  const bulk = dataOf<Bulk>(await request({ ...order, preview: token }))
  expect(bulk.parts[0]?.refused).toMatchObject([{ transaction_id: third.id, reason: 'beyond_shown_no_ops' }])
  await areConfirmed([first, second, third])
  expect(await read(bulk.id)).toMatchObject({ final: true, counts: { dropped: 0, racing: 0 } })
  await audit(stage, sender)
})

test('without a price a token bounds transactions and no-ops, and none is taken ten minutes later', async () => {
  const sender = stage.sender('unpriced')
  const shown = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await stage.line.cut()
  await stage.service.kill9()
  await stage.service.restart()
  const order = { relayers: [sender.id] }
  const [unused, used] = [await preview(order), await preview(order)]
  expect(used).toMatchObject({ bounds: ['transactions', 'no_ops'], counts: { matches: 1, no_ops: 1 } })
  expect(used).not.toHaveProperty('cost')
  const late = await pay(stage, sender)
  const bulk = dataOf<Bulk>(await request({ ...order, preview: used.token }))
  expect(bulk).toMatchObject({ counts: { racing: 1, dropped: 0 }, preview: { matches: 1, ended: 0, no_ops: 1 } })
  expect(bulk.preview).not.toHaveProperty('cost_max')

  await stage.service.stop()
  // As if ten minutes had passed.
  databaseIn(stage.service.directory).change('UPDATE bulk_previews SET expires_at = expires_at - 600000')
  await stage.line.mend()
  await stage.service.restart()
  expect(codeOf(await request({ ...order, preview: unused.token }))).toEqual([404, 'PREVIEW_NOT_FOUND'])
  await noOpInPool(stage, shown)
  expect((await untilFinal(bulk)).counts).toMatchObject({ won: 1, safe_to_retry: 'all' })
  await areConfirmed([late])
  expect(await balanceOf(stage.node, shown.to)).toBe(0n)
  await audit(stage, sender)
})
