// Everything pending at once: two hundred in every state, on a strict pool. Nothing of it executes, and nothing is
// left behind that would hold up later sends.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import type { Hardhat } from '../../tooling/hardhat.ts'
import { balanceOf, hex, nonceOf, same } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import {
  cancel,
  headSeen,
  holdBeforeSend,
  inPool,
  mineUntil,
  noOpInPool,
  type Payment,
  pay,
  payTimes,
  verdict,
  view,
} from './support/play.ts'
import { hardhatStage, type Stage } from './support/stage.ts'

let stage: Stage<Hardhat>
beforeAll(async () => {
  stage = await hardhatStage({
    requiredConfirmations: 2,
    relayers: { mixed: { max_in_flight: 40 }, mined: { max_in_flight: 3 }, neighbour: {} },
  })
  await stage.reported()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const gwei = 1_000_000_000n

/** A block whose base fee excludes lower offers. */
async function mineAtBaseFee(wei: bigint): Promise<void> {
  await stage.node.rpc('hardhat_setNextBlockBaseFeePerGas', [hex(wei)])
  await stage.node.mine()
}

test('two hundred, mixed: bumped, in the pool, held, canceled before, and queued', async () => {
  const sender = stage.sender('mixed')
  const bystander = await pay(stage, stage.sender('neighbour'))
  const executed = await payTimes(stage, sender, 2)
  await inPool(stage, sender, [0, 1])
  await stage.node.mine()
  await mineUntil(stage, 'two payments', async () => (await view(stage, executed[1] as Payment)).status === 'confirmed')

  const bumped = await payTimes(stage, sender, 20)
  await inPool(stage, sender, numbers(2, 22))
  await mineAtBaseFee(30n * gwei)
  await stage.node.mine(2)
  const firstAttempts = () => stage.rows.attempts(bumped[0]?.id ?? '')
  await until(() => firstAttempts().filter(({ state }) => state === 'handed').length > 1, { what: 'a bump' })
  const pooled = await payTimes(stage, sender, 10)
  await inPool(stage, sender, numbers(2, 32))
  const canceledBefore = [bumped[3], pooled[4]] as [Payment, Payment]
  for (const payment of canceledBefore) await cancel(stage, payment)
  await headSeen(stage)

  // The line breaks after the service has looked and before it sends: ten get a nonce, and reach nobody.
  await stage.line.cut()
  const rest = await payTimes(stage, sender, 170)
  await mineAtBaseFee(2_000n * gwei)
  await stage.line.mend()
  const held = rest.slice(0, 10)
  await holdBeforeSend(stage, sender, held)
  const pending = [...bumped, ...pooled, ...rest].filter((payment) => !canceledBefore.includes(payment))
  const nonces = new Map<string, number | null>(
    stage.rows.transactionsOf(sender.id).map(({ id, nonce }) => [id, nonce]),
  )
  // Those without a nonce come after all with one, in the order of the queue.
  const nonceOfPayment = ({ id }: Payment) => nonces.get(id) ?? Number.MAX_SAFE_INTEGER
  const byNonce = pending.toSorted((one, other) => nonceOfPayment(one) - nonceOfPayment(other))

  const answer = await stage.client.request('DELETE', `/relayers/${sender.id}/transactions/pending`)
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    success: true,
    error: '',
    data: {
      queued_for_cancellation_transaction_ids: byNonce.map(({ id }) => id),
      failed_to_queue_transaction_ids: [],
      total_processed: 198,
    },
    pagination: { current_page: 1, per_page: 198, total_items: 198 },
  })
  for (const payment of rest) {
    await verdict(stage, payment, ({ state }) => state !== 'racing')
    const reported = await stage.client.cancellation(sender.id, payment.id)
    expect(reported).toMatchObject({ state: 'dropped', final: true, cost: '0' })
  }
  const dropped = new Set(rest.map(({ id }) => id))
  const ofDropped = stage.rows.attemptsOf(sender.id).filter(({ transaction_id: id }) => dropped.has(id))
  expect(ofDropped.every(({ state }) => state === 'withdrawn')).toBe(true)
  expect(await stage.client.cancelPending(sender.id)).toMatchObject({ total_processed: 0 })

  await stage.line.mend()
  // No block before the no-ops are out: a race that is lost is another test's.
  for (const payment of [...bumped, ...pooled]) await noOpInPool(stage, payment)
  await mineAtBaseFee(gwei)
  const later = await payTimes(stage, sender, 5)
  await mineUntil(stage, 'later sends', async () => {
    return (await view(stage, later[4] as Payment)).status === 'confirmed'
  })
  const mined = await audit(stage, sender)
  expect(mined.map(({ nonce }) => nonce)).toEqual(numbers(0, 37))
  const recipients = mined.map(({ to }) => (same(to, sender.address) ? 'no-op' : to))
  expect(recipients).toEqual([
    ...executed.map(({ to }) => to.toLowerCase()),
    ...numbers(2, 32).map(() => 'no-op'),
    ...later.map(({ to }) => to.toLowerCase()),
  ])
  for (const { to } of [...bumped, ...pooled, ...rest]) expect(await balanceOf(stage.node, to)).toBe(0n)
  expect(await nonceOf(stage.node, sender.address)).toBe(37)
  // Nobody else's were touched.
  expect((await view(stage, bystander)).status).toBe('confirmed')
  await audit(stage, stage.sender('neighbour'))
})

test('mined transactions are not touched, and sends that come during the bulk are', async () => {
  const sender = stage.sender('mined')
  const early = await payTimes(stage, sender, 3)
  await inPool(stage, sender, [0, 1, 2])
  await stage.node.mine()
  await until(async () => (await view(stage, early[2] as Payment)).status === 'mined', { what: 'three mined' })
  const pooled = (await payTimes(stage, sender, 6)).slice(0, 3)
  await inPool(stage, sender, [3, 4, 5])
  const [bulk, ...sends] = await Promise.all([
    stage.client.cancelPending(sender.id),
    ...Array.from({ length: 12 }, () => pay(stage, sender)),
  ])
  const canceled = new Set(bulk.queued_for_cancellation_transaction_ids)
  expect(bulk.total_processed).toBe(canceled.size)
  expect(early.some(({ id }) => canceled.has(id))).toBe(false)
  for (const payment of pooled) await noOpInPool(stage, payment)
  const survivors = sends.filter(({ id }) => !canceled.has(id))
  await audit(stage, sender)
  for (const payment of [...early, ...survivors]) expect((await view(stage, payment)).status).toBe('confirmed')
  for (const id of canceled) expect((await stage.client.get(sender.id, id)).status).toBe('canceled')
})

/** `from` up to, not including, `to`. */
function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}
