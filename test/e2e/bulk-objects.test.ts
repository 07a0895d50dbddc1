// Bulk cancellations with a filter on a real chain: what matches never executes, the rest does, and the object says how each one ended, also
// after kill -9.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hardhat } from '../../tooling/hardhat.ts'
import { balanceOf, same } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { inPool, mineUntil, noOpInPool, type Payment, pay, payTimes, view } from './support/play.ts'
import { hardhatStage, type Stage } from './support/stage.ts'

let stage: Stage<Hardhat>
beforeAll(async () => {
  stage = await hardhatStage({
    requiredConfirmations: 2,
    relayers: { payer: { max_in_flight: 2 }, other: { max_in_flight: 2 } },
  })
  await stage.reported()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

interface Bulk {
  readonly id: string
  readonly final: boolean
  readonly counts: Readonly<Record<string, unknown>>
  readonly parts: readonly { readonly state: string; readonly relayer_id: string }[]
}

async function create(body: object, key: string = crypto.randomUUID()): Promise<Bulk> {
  const answer = await stage.client.request('POST', '/bulk-cancellations', {
    body,
    headers: { 'idempotency-key': key },
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return (answer.body as { data: Bulk }).data
}

async function read(id: string): Promise<Bulk> {
  return ((await stage.client.request('GET', `/bulk-cancellations/${id}`)).body as { data: Bulk }).data
}

const small = { value: '1000' }

test('what matches is canceled at two relayers, in flight and queued, and everything else executes', async () => {
  const [payer, other] = [stage.sender('payer'), stage.sender('other')]
  const flying = [await pay(stage, payer, small), await pay(stage, payer)]
  await inPool(stage, payer, [0, 1])
  const queued = [await pay(stage, payer), await pay(stage, payer, small), await pay(stage, payer)]
  const neighbours = await payTimes(stage, other, 3, small)
  await inPool(stage, other, [0, 1])
  const key = crypto.randomUUID()
  const order = { name: 'small ones', filter: { value_to: '1000' }, relayers: ['payer', 'other'] }
  const bulk = await create(order, key)
  expect(bulk).toMatchObject({ final: false, counts: { dropped: 2, racing: 3, safe_to_retry: 2 } })
  const late = await pay(stage, payer, small)
  expect((await create(order, key)).id).toBe(bulk.id)

  await stage.service.kill9()
  await stage.service.restart()
  for (const payment of [flying[0], neighbours[0], neighbours[1]]) await noOpInPool(stage, payment as Payment)
  await mineUntil(stage, 'the object to be final', async () => (await read(bulk.id)).final)
  const { counts } = await read(bulk.id)
  expect(counts).toMatchObject({
    ...{ dropped: 2, racing: 0, won: 3, lost: 0, external: 0, not_final: 0, refused: 0, already: 0 },
    safe_to_retry: 'all',
  })
  const list = await stage.client.request('GET', `/bulk-cancellations/${bulk.id}/transactions`)
  const listed = (
    list.body as { data: { transaction: { id: string }; cancellation: { state: string; cost: string } }[] }
  ).data
  expect(listed.map(({ cancellation }) => cancellation.state).toSorted()).toEqual([
    'dropped',
    'dropped',
    'won',
    'won',
    'won',
  ])
  const paid = listed.reduce((sum, { cancellation }) => sum + BigInt(cancellation.cost), 0n)
  expect(counts).toMatchObject({ cost: String(paid) })
  expect(paid).toBeGreaterThan(0n)

  const kept = [flying[1], queued[0], queued[2], late] as Payment[]
  await mineUntil(stage, 'the rest', async () => (await view(stage, late)).status === 'confirmed')
  const mined = await audit(stage, payer)
  expect(mined.map(({ to }) => (same(to, payer.address) ? 'no-op' : to))).toEqual([
    'no-op',
    ...kept.map(({ to }) => to.toLowerCase()),
  ])
  for (const { to } of [flying[0], queued[1], ...neighbours] as Payment[])
    expect(await balanceOf(stage.node, to)).toBe(0n)
  await audit(stage, other)
})
