// A node that counts too many transactions of the account, at a block or in its pool. What that costs is bounded: gap fillers
// for nonces that the record never assigned, in a step and in an hour.
import { expect, test } from 'vitest'
import { minedFrom } from '../../tooling/ledger.ts'
import { lieAbout } from '../../tooling/lying-node.ts'
import type { RpcCall } from '../../tooling/rpc-server.ts'
import { inPool, mineUntil, pay, payTimes, reached } from '../e2e/support/play.ts'
import { type LyingStage, lyingStage, seats } from './support/lying-stage.ts'

const isOfPool = ({ params }: RpcCall) => Array.isArray(params) && params[1] === 'pending'
const more = (by: number, about: (call: RpcCall) => boolean) =>
  lieAbout('eth_getTransactionCount', (count, call) => (about(call) ? `0x${(Number(count) + by).toString(16)}` : count))

const gapFillers = ({ rows }: LyingStage) => rows.transactionsOf('one').filter(({ origin }) => origin === 'gap')

/** One step records its gap fillers at one time. */
function mostInAStep(stage: LyingStage): number {
  const steps = Map.groupBy(gapFillers(stage), ({ created_at: at }) => at)
  return Math.max(0, ...[...steps.values()].map((each) => each.length))
}

test.each(seats)('%s counts 300 too many at one block: no nonce above is bound, no no-op is paid', async (seat) => {
  await using stage = await lyingStage(seat, { relayers: { one: { max_in_flight: 3 } } })
  const sender = stage.sender('one')
  // With three in flight, a step at a new head reads the count, and the fourth waits for their room.
  await payTimes(stage, sender, 3)
  await inPool(stage, sender, [0, 1, 2])
  const payment = await pay(stage, sender)
  const lie = more(300, (call) => !isOfPool(call))
  stage.liar.lie((call, honest) => (stage.liar.lies() === 0 ? lie(call, honest) : undefined))
  await stage.node.mine()
  await mineUntil(stage, 'the payment', async () => (await stage.client.get('one', payment.id)).status === 'confirmed')
  expect(gapFillers(stage)).toEqual([])
  expect(await minedFrom(stage.node, sender.address)).toHaveLength(4)
  expect(stage.liar.lies(), 'false answers').toBe(1)
})

test.each(seats.flatMap((seat) => [300, 10 ** 12, Number.MAX_SAFE_INTEGER].map((by) => [seat, by] as const)))(
  '%s counts %d in the pool: the payment waits for a while, and gets the next nonce',
  async (seat, by) => {
    await using stage = await lyingStage(seat, { relayers: { one: {} } })
    const sender = stage.sender('one')
    stage.liar.lie(more(by - Number(by === Number.MAX_SAFE_INTEGER), isOfPool))
    const payment = await pay(stage, sender)
    await reached(stage, payment, 'pending', 'submitted')
    await mineUntil(
      stage,
      'the payment',
      async () => (await stage.client.get('one', payment.id)).status === 'confirmed',
    )
    expect(gapFillers(stage)).toEqual([])
    expect((await minedFrom(stage.node, sender.address)).map(({ nonce }) => nonce)).toEqual([0])
    expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
  },
)

test('the only one counts 300 too many for eight seconds: nothing is bound meanwhile, and no no-op is paid', async () => {
  await using stage = await lyingStage('the only one', { relayers: { one: { max_in_flight: 3 } } })
  const sender = stage.sender('one')
  await payTimes(stage, sender, 3)
  await inPool(stage, sender, [0, 1, 2])
  const payment = await pay(stage, sender)
  stage.liar.lie(more(300, (call) => !isOfPool(call)))
  const began = Date.now()
  await mineUntil(stage, 'the lie to end', async () => Date.now() - began > 8_000)
  const { status, status_reason } = await stage.client.get('one', payment.id)
  expect({ status, status_reason }).toMatchObject({
    status: 'pending',
    status_reason: expect.stringContaining('explained'),
  })
  stage.liar.repent()
  await mineUntil(stage, 'the payment', async () => (await stage.client.get('one', payment.id)).status === 'confirmed')
  expect((await stage.client.get('one', payment.id)).nonce).toBe(3)
  expect(gapFillers(stage)).toEqual([])
})

test('the only one counts 300 too many until a payment has its nonce there: 64 no-ops in an hour, the others on an operator’s word', async () => {
  await using stage = await lyingStage('the only one', { relayers: { one: { max_in_flight: 3 } } })
  const sender = stage.sender('one')
  await payTimes(stage, sender, 3)
  await inPool(stage, sender, [0, 1, 2])
  const payment = await pay(stage, sender)
  stage.liar.lie(more(300, (call) => !isOfPool(call)))
  await stage.node.mine()
  await reached(stage, payment, 'submitted')
  expect((await stage.client.get('one', payment.id)).nonce).toBe(303)
  stage.liar.repent()
  const isLimited = async () => /within an hour/.test((await stage.client.get('one', payment.id)).status_reason ?? '')
  await mineUntil(stage, 'the limit of an hour', isLimited)
  const limited = gapFillers(stage)
  expect(limited.map(({ nonce }) => nonce)).toEqual(Array.from({ length: 64 }, (_, index) => 3 + index))
  expect(mostInAStep(stage)).toBeLessThanOrEqual(16)

  const paths = ['/relayers/one/gap-fillers', '/relayers/none/gap-fillers'] as const
  const refused = await stage.client.request('POST', paths[1], { body: { count: 300 } })
  expect(refused.status).toBe(404)
  const permitted = await stage.client.request('POST', paths[0], { body: { count: 300 } })
  expect(permitted).toMatchObject({ status: 200, body: { data: { count: 300 } } })
  await mineUntil(stage, 'the payment', async () => (await stage.client.get('one', payment.id)).status === 'confirmed')
  const all = gapFillers(stage)
  expect(all.map(({ nonce }) => nonce)).toEqual(Array.from({ length: 300 }, (_, index) => 3 + index))
  expect(mostInAStep(stage)).toBeLessThanOrEqual(16)
  expect(await minedFrom(stage.node, sender.address)).toHaveLength(304)
})
