// The service is killed between the answer to a DELETE and the no-op's broadcast: the answer still comes true.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { decode, nonceOf, poolOf, same } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { cancel, inPool, mineUntil, noOpInPool, type Payment, pay, payTimes, reached, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 2,
    relayers: { one: {}, two: {}, three: { max_in_flight: 4 }, four: {}, five: {} },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

test('killed right after the answer, before a no-op reached anybody: it goes out by itself', async () => {
  const sender = stage.sender('one')
  const payment = await pay(stage, sender)
  const { hash } = await reached(stage, payment, 'submitted')
  await inPool(stage, sender, [0])
  stage.line.onRequest(() => ({ do: 'ignore' }))
  await cancel(stage, payment)
  await stage.service.kill9()
  expect([...(await poolOf(stage.node, sender.address)).values()]).toEqual([hash])
  expect(stage.rows.transaction(payment.id)).toMatchObject({ status: 'canceled', open: 1 })

  stage.line.open()
  await stage.service.restart()
  const noOp = await noOpInPool(stage, payment)
  expect([...(await poolOf(stage.node, sender.address)).values()]).toEqual([noOp])
  expect(noOp).not.toBe(hash)
  await audit(stage, sender)
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({ state: 'won', final: true })
})

test('killed while the no-op was on the line, recorded and never received: the same bytes go out again', async () => {
  const sender = stage.sender('two')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  stage.line.onSend({ do: 'ignore' })
  await cancel(stage, payment)
  // The payload may have come by again before it was canceled.
  const noOps = () => stage.line.sent().filter((raw) => same(decode(raw).to, sender.address))
  await until(() => noOps().length > 0, { what: 'the no-op on the line' })
  await stage.service.kill9()
  const recorded = stage.rows.attempts(payment.id).find(({ kind }) => kind === 'cancel')
  expect(recorded?.raw).toBe(stage.line.sent().at(-1))

  stage.line.open()
  await stage.service.restart()
  expect(await noOpInPool(stage, payment)).toBe(recorded?.hash)
  await audit(stage, sender)
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({ state: 'won', final: true })
})

test('killed after a bulk, and the original of one is mined while nobody looks: each verdict is what happened', async () => {
  const sender = stage.sender('three')
  const payments = await payTimes(stage, sender, 9)
  await inPool(stage, sender, [0, 1, 2, 3])
  stage.line.onRequest(() => ({ do: 'ignore' }))
  const bulk = await stage.client.cancelPending(sender.id)
  expect(bulk.queued_for_cancellation_transaction_ids).toEqual(payments.map(({ id }) => id))
  await stage.service.kill9()
  // Only the lowest fits into the block.
  const limit = await stage.node.rpc<{ gasLimit: string }>('eth_getBlockByNumber', ['latest', false])
  await stage.node.rpc('evm_setBlockGasLimit', ['0x7530'])
  await stage.node.mine()
  await stage.node.rpc('evm_setBlockGasLimit', [limit.gasLimit])
  expect(await nonceOf(stage.node, sender.address)).toBe(1)

  stage.line.open()
  await stage.service.restart()
  for (const payment of payments.slice(1, 4)) await noOpInPool(stage, payment)
  const later = await pay(stage, sender)
  const mined = await audit(stage, sender)
  const states = await Promise.all(
    payments.map(async ({ id }) => (await stage.client.cancellation(sender.id, id)).state),
  )
  expect(states).toEqual(['lost', 'won', 'won', 'won', 'dropped', 'dropped', 'dropped', 'dropped', 'dropped'])
  expect(mined.map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3, 4])
  expect(same(mined.at(-1)?.to ?? '', later.to)).toBe(true)
})

test('killed while the payload itself was on the line, then canceled: nobody claims that it was never sent', async () => {
  const sender = stage.sender('four')
  stage.line.onSend({ do: 'swallow' })
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await stage.service.kill9()
  await stage.service.restart()
  expect(await cancel(stage, payment)).toMatchObject({ status: 'canceled', nonce: 0 })
  expect((await stage.client.cancellation(sender.id, payment.id)).state).toBe('racing')
  stage.line.open()
  await stage.service.kill9()
  await stage.service.restart()
  await noOpInPool(stage, payment)
  await audit(stage, sender)
  expect((await stage.client.cancellation(sender.id, payment.id)).state).toBe('won')
})

test('killed again and again in the middle of it all: every payment once, every cancellation true', async () => {
  const sender = stage.sender('five')
  const payments: Payment[] = []
  for (let round = 0; round < 4; round++) {
    const sent = await payTimes(stage, sender, 6)
    payments.push(...sent)
    await Promise.all(sent.filter((_, index) => index % 3 === 0).map((payment) => cancel(stage, payment)))
    if (round % 2 === 1) await stage.node.mine()
    await stage.service.kill9()
    await stage.service.restart()
  }
  await mineUntil(stage, 'the last one', async () => {
    const last = payments.at(-1)
    return last !== undefined && (await view(stage, last)).status === 'confirmed'
  })
  await audit(stage, sender)
  for (const [index, payment] of payments.entries()) {
    const { status } = await view(stage, payment)
    expect(['confirmed', ...(index % 3 === 0 ? ['canceled'] : [])]).toContain(status)
  }
})
