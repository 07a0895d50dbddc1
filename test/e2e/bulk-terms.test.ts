// The terms of bulk cancellations on a real chain: what is free costs nothing, and what has a limit costs no more.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import type { Answer } from '../../tooling/client.ts'
import { balanceOf } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { inPool, mineUntil, noOpInPool, type Payment, pay, verdict, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 2,
    relayers: { limited: { max_in_flight: 2 } },
  })
  await stage.reported()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

interface Bulk {
  readonly id: string
  readonly final: boolean
  readonly counts: { readonly cost: string }
  readonly parts: readonly {
    readonly cost_max?: string
    readonly refused: readonly { readonly transaction_id: string; readonly reason: string }[]
  }[]
}

const dataOf = <T>({ status, body }: Answer): T => {
  expect(status, JSON.stringify(body)).toBe(200)
  return (body as { data: T }).data
}
const create = async (body: object) =>
  dataOf<Bulk>(
    await stage.client.request('POST', '/bulk-cancellations', {
      body: { filter: {}, ...body },
      headers: { 'idempotency-key': crypto.randomUUID() },
    }),
  )
const read = async (id: string) => dataOf<Bulk>(await stage.client.request('GET', `/bulk-cancellations/${id}`))

async function areConfirmed(payments: readonly Payment[]): Promise<void> {
  await mineUntil(stage, 'the rest to be confirmed', async () => {
    const views = await Promise.all(payments.map((each) => view(stage, each)))
    return views.every(({ status }) => status === 'confirmed')
  })
}

test('max_cost takes the cheapest, which wins for no more than that; the others execute, and a plain DELETE lifts a share', async () => {
  const sender = stage.sender('limited')
  // A replacement has to exceed its fees.
  const dear = await pay(stage, sender, { max_fee_per_gas: '90000000000', max_priority_fee_per_gas: '20000000000' })
  const cheap = await pay(stage, sender, { max_fee_per_gas: '3000000000', max_priority_fee_per_gas: '1000000000' })
  const queued = await pay(stage, sender)
  await inPool(stage, sender, [0, 1])
  const preview = await stage.client.request('POST', '/bulk-cancellations/preview', {
    body: { filter: { ids: [cheap.id] }, relayers: [sender.id] },
  })
  const { cost } = dataOf<{ cost: { now: string } }>(preview)
  const bulk = await create({ relayers: [sender.id], max_cost: cost.now })
  expect(bulk).toMatchObject({ counts: { dropped: 1, racing: 1, refused: 1 }, parts: [{ cost_max: cost.now }] })
  expect(bulk.parts[0]?.refused).toMatchObject([{ transaction_id: dear.id, reason: 'beyond_max_cost' }])
  expect(await verdict(stage, cheap, () => true)).toMatchObject({ state: 'racing', cost_max: cost.now })
  await noOpInPool(stage, cheap)
  await mineUntil(stage, 'the object to be final', async () => (await read(bulk.id)).final)
  const { counts } = await read(bulk.id)
  expect(counts).toMatchObject({ dropped: 1, won: 1, safe_to_retry: 'all' })
  expect(BigInt(counts.cost)).toBeLessThanOrEqual(BigInt(cost.now))
  await areConfirmed([dear])
  for (const { to } of [cheap, queued]) expect(await balanceOf(stage.node, to)).toBe(0n)

  const last = await pay(stage, sender)
  await inPool(stage, sender, [2])
  await stage.line.cut()
  await create({ relayers: [sender.id], filter: { ids: [last.id] }, max_cost: '100000000000000000' })
  const {
    sender: { id },
  } = last
  const bound = async () => (await stage.client.cancellation(id, last.id)) as object
  expect(await bound()).toHaveProperty('cost_max')
  await stage.client.cancel(id, last.id)
  expect(await bound()).not.toHaveProperty('cost_max')
  await stage.line.mend()
  await noOpInPool(stage, last)
  await audit(stage, sender)
  expect(await balanceOf(stage.node, last.to)).toBe(0n)
})
