// A foreign transaction took the nonce: it is reported as such, and the payload executes once or never.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { minedFrom, same } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { spendBehindItsBack } from './support/foreign.ts'
import { cancel, inPool, mineUntil, type Payment, pay, payTimes, reached, verdict, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 3,
    relayers: { one: {}, two: {}, three: {}, four: {}, five: {} },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

test('canceled: external, with the transaction that took the nonce, at no cost', async () => {
  const sender = stage.sender('one')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  stage.line.onSend({ do: 'drop' })
  const spender = await spendBehindItsBack(stage.node, sender, 0)
  await cancel(stage, payment)
  await mineUntil(stage, 'an external verdict', async () => {
    return (await stage.client.cancellation(sender.id, payment.id)).state === 'external'
  })
  stage.line.open()
  const reported = await verdict(stage, payment, ({ final }) => final)
  expect(reported).toMatchObject({ state: 'external', safe_to_retry: true, cost: '0', winner: { hash: spender } })
  expect(await view(stage, payment)).toMatchObject({
    status: 'canceled',
    status_reason: `its nonce was used by ${spender}, a transaction that is not ours`,
  })
  await audit(stage, sender, 1)
})

test('not canceled: it waits for a new nonce, at finality only, and is executed exactly once', async () => {
  const sender = stage.sender('two')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  const spender = await spendBehindItsBack(stage.node, sender, 0)
  await mineUntil(stage, 'a second nonce', () => stage.rows.attempts(payment.id).some(({ nonce }) => nonce === 1))
  await mineUntil(stage, 'the payment', async () => (await view(stage, payment)).status === 'confirmed')

  const attempts = stage.rows.attempts(payment.id)
  expect(new Set(attempts.map(({ nonce }) => nonce))).toEqual(new Set([0, 1]))
  const [foreign, own] = await minedFrom(stage.node, sender.address)
  expect(foreign?.hash).toBe(spender)
  // Before the third confirmation of the foreign transaction, nothing proves that the first attempt is dead.
  expect(attempts.find(({ nonce }) => nonce === 1)?.recorded_at_block).toBeGreaterThanOrEqual((foreign?.block ?? 0) + 2)
  expect(own).toMatchObject({ nonce: 1, value: payment.value })
  await audit(stage, sender, 1)
})

test('one of several in flight: the others keep their nonces, and the one without comes after them', async () => {
  const sender = stage.sender('three')
  const payments = (await payTimes(stage, sender, 4)) as [Payment, Payment, Payment, Payment]
  await inPool(stage, sender, [0, 1, 2, 3])
  await spendBehindItsBack(stage.node, sender, 1)
  await mineUntil(stage, 'all four', async () => {
    const views = await Promise.all(payments.map((payment) => view(stage, payment)))
    return views.every(({ status }) => status === 'confirmed')
  })
  const mined = await audit(stage, sender, 1)
  const order = [payments[0], undefined, payments[2], payments[3], payments[1]]
  expect(mined.map(({ to }) => to.toLowerCase())).toEqual(order.map((one) => (one?.to ?? sender.address).toLowerCase()))
})

test('a foreign transaction in the pool before us: our nonces start behind it', async () => {
  const sender = stage.sender('four')
  await spendBehindItsBack(stage.node, sender, 0)
  const payment = await pay(stage, sender)
  expect((await reached(stage, payment, 'submitted')).nonce).toBe(1)
  const mined = await audit(stage, sender, 1)
  expect(mined.map(({ nonce, to }) => [nonce, same(to, payment.to)])).toEqual([
    [0, false],
    [1, true],
  ])
})

test('the nonce was spent while the bytes were on their way: the payload moves on, and never runs twice', async () => {
  const sender = stage.sender('five')
  stage.line.onSend({ do: 'drop' })
  const payment = await pay(stage, sender)
  await until(() => stage.rows.attempts(payment.id).length === 1, { what: 'a first attempt' })
  await spendBehindItsBack(stage.node, sender, 0)
  await stage.node.mine()
  stage.line.open()
  await mineUntil(stage, 'the payment', async () => (await view(stage, payment)).status === 'confirmed')
  const mined = await audit(stage, sender, 1)
  expect(mined.filter(({ to }) => same(to, payment.to)).map(({ nonce }) => nonce)).toEqual([1])
})
