// A node that refuses connections has nothing; a node that says nothing may have everything. Neither leaves a gap, and
// neither makes a payload run twice.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { poolOf, same } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import {
  cancel,
  holdBeforeSend,
  inPool,
  mineUntil,
  noOpInPool,
  type Payment,
  pay,
  payTimes,
  reached,
  verdict,
  view,
} from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 2,
    relayers: { held: { max_in_flight: 1 }, down: {}, silent: {}, dropped: {}, frozen: {}, kept: { max_in_flight: 2 } },
  })
  await stage.reported()
})
afterAll(() => stage?.[Symbol.asyncDispose]())
beforeEach(async () => {
  if (stage.line.isCut()) await stage.line.mend()
  stage.line.open()
})

async function sendOverABrokenLine(sender: Payment['sender'], count: number): Promise<Payment[]> {
  stage.line.cutBeforeSend(sender.address)
  const payments = await payTimes(stage, sender, count)
  await holdBeforeSend(stage, sender, payments.slice(0, 1))
  return payments
}

test('refused: held as sent; canceled, it is dropped at once and its nonce goes to the next in the queue', async () => {
  const sender = stage.sender('held')
  const [first, second] = (await sendOverABrokenLine(sender, 2)) as [Payment, Payment]
  expect(await view(stage, first)).toMatchObject({ status: 'sent', nonce: 0 })

  expect(await cancel(stage, first)).toMatchObject({ status: 'canceled' })
  expect(await verdict(stage, first, ({ state }) => state !== 'racing')).toMatchObject({
    state: 'dropped',
    final: true,
    safe_to_retry: true,
    cost: '0',
  })
  // A repeat may be on its way as the cancellation comes. Then its no-op is signed, and withdrawn with it.
  const withdrawn = stage.rows.attempts(first.id)
  expect(withdrawn.filter(({ kind }) => kind === 'execute')).toMatchObject([{ state: 'withdrawn' }])
  expect(withdrawn.filter(({ state }) => state !== 'withdrawn')).toEqual([])
  expect(stage.rows.transaction(first.id)).toMatchObject({ nonce: null, open: 0 })

  await stage.line.mend()
  const third = await pay(stage, sender)
  await mineUntil(stage, 'the third', async () => (await view(stage, third)).status === 'confirmed')
  expect((await view(stage, second)).status).toBe('confirmed')
  const mined = await audit(stage, sender)
  expect(mined.map(({ nonce }) => nonce)).toEqual([0, 1])
  for (const { raw } of withdrawn) expect(stage.line.sent()).not.toContain(raw)
})

test('refused and not canceled: once the line is back, the same bytes go out', async () => {
  const sender = stage.sender('kept')
  const payments = await sendOverABrokenLine(sender, 4)
  const [recorded] = stage.rows.attempts(payments[0]?.id ?? '')
  await stage.line.mend()
  await inPool(stage, sender, [0, 1])
  expect((await poolOf(stage.node, sender.address)).get(0)).toBe(recorded?.hash)
  const mined = await audit(stage, sender)
  expect(mined.map(({ to }) => to.toLowerCase())).toEqual(payments.map(({ to }) => to.toLowerCase()))
})

test('the node is away while sends and cancels come in: all of them are answered, and carried out when it is back', async () => {
  const sender = stage.sender('down')
  const [inFlight] = (await payTimes(stage, sender, 1)) as [Payment]
  await inPool(stage, sender, [0])
  const inVain = () => stage.service.logs().split('nothing is decided').length
  const before = inVain()
  await stage.line.cut()
  const first = await pay(stage, sender)
  // Its last readings of the node serve for a moment: a nonce bound then, and given back by a cancellation, would go to the next in the queue.
  await until(() => inVain() > before, { what: 'the service to notice' })
  const sent = [first, ...(await payTimes(stage, sender, 3))]
  expect((await cancel(stage, inFlight)).status).toBe('canceled')
  expect((await stage.client.cancellation(sender.id, inFlight.id)).state).toBe('racing')
  await cancel(stage, sent[1] as Payment)
  await verdict(stage, sent[1] as Payment, ({ state, final }) => state === 'dropped' && final)

  await stage.line.mend()
  await noOpInPool(stage, inFlight)
  const mined = await audit(stage, sender)
  const executed = mined.filter(({ to }) => !same(to, sender.address)).map(({ to }) => to.toLowerCase())
  expect(executed).toEqual([sent[0], sent[2], sent[3]].map((payment) => payment?.to.toLowerCase()))
})

test('accepted, and the connection is dropped: it may be in the pool, so a no-op races it', async () => {
  const sender = stage.sender('dropped')
  stage.line.onSend({ do: 'forwardAndDrop' })
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await reached(stage, payment, 'submitted')
  expect(stage.rows.attempts(payment.id)[0]).toMatchObject({ state: 'handed', outcome: 'unknown' })
  await cancel(stage, payment)
  expect((await stage.client.cancellation(sender.id, payment.id)).state).toBe('racing')
  stage.line.open()
  await noOpInPool(stage, payment)
  const mined = await audit(stage, sender)
  expect(mined.map(({ to }) => same(to, sender.address))).toEqual([true])
})

test('accepted, and no answer for longer than the service waits: never "not sent"', async () => {
  const sender = stage.sender('silent')
  stage.line.onSend({ do: 'swallow' })
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  expect((await view(stage, payment)).status).toBe('sent')
  // Canceled while the answer is awaited: the outcome is unknown, so nothing is free.
  expect(await cancel(stage, payment)).toMatchObject({ status: 'canceled', nonce: 0 })
  expect((await stage.client.cancellation(sender.id, payment.id)).state).toBe('racing')
  stage.line.open()
  await noOpInPool(stage, payment)
  const state = () => stage.rows.attempts(payment.id)[0]?.state
  expect(state()).toBe('sending')
  await until(() => state() !== 'sending', { what: 'the end of the wait for an answer' })
  expect(stage.rows.attempts(payment.id)[0]).toMatchObject({ state: 'handed', outcome: 'unknown' })
  await audit(stage, sender)
  expect((await stage.client.cancellation(sender.id, payment.id)).state).toBe('won')
})

test('the node freezes and comes back: what it took before is not sent under another nonce', async () => {
  const sender = stage.sender('frozen')
  const before = await payTimes(stage, sender, 3)
  await inPool(stage, sender, [0, 1, 2])
  stage.node.freeze()
  const during = await payTimes(stage, sender, 3)
  stage.node.thaw()
  const mined = await audit(stage, sender)
  expect(mined.map(({ to }) => to.toLowerCase())).toEqual([...before, ...during].map(({ to }) => to.toLowerCase()))
})
