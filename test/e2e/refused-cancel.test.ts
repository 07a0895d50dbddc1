// A transaction that can't be canceled any more is refused, in the interface's words, and nothing changes.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { audit } from './support/audit.ts'
import { inPool, mineUntil, type Payment, pay, payTimes, reached, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 2,
    relayers: { one: {}, three: { max_in_flight: 1 }, four: {} },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** Apart from the engine's changes meanwhile: a no-op may be on its way. */
function asRequested(id: string) {
  const {
    version: _,
    status_reason: __,
    wait_condition: ___,
    wait_facts: ____,
    broadcasts: _____,
    ...row
  } = stage.rows.transaction(id)
  return row
}

/** Late enough for a send to be accepted, and to reach a pool, on a machine that stands still for a while. */
function soon(): string {
  return new Date(Date.now() + 5_000).toISOString()
}

async function expectRefusal({ sender, id }: Payment, code: string): Promise<void> {
  const before = asRequested(id)
  const answer = await stage.client.request('DELETE', `/relayers/${sender.id}/transactions/${id}`)
  expect(answer.status).toBe(400)
  expect(answer.body).toEqual({ data: null, message: 'Bad Request', success: false })
  expect(answer.headers['relayer-error-code']).toBe(code)
  expect(asRequested(id)).toEqual(before)
}

test('mined, then confirmed', async () => {
  const payment = await pay(stage, stage.sender('one'))
  await inPool(stage, payment.sender, [0])
  await stage.node.mine()
  await reached(stage, payment, 'mined')
  await expectRefusal(payment, 'TRANSACTION_ALREADY_MINED')
  await stage.node.mine()
  await reached(stage, payment, 'confirmed')
  await expectRefusal(payment, 'TRANSACTION_ALREADY_CONFIRMED')
  const reported = await stage.client.request('GET', `/relayers/one/transactions/${payment.id}/cancellation`)
  expect(reported.status).toBe(404)
  await audit(stage, payment.sender)
})

test('expired in the queue: it cost nothing, and the next one takes the nonce', async () => {
  const sender = stage.sender('three')
  await pay(stage, sender)
  const validUntil = soon()
  const payment = await pay(stage, sender, { valid_until: validUntil })
  const [later] = (await payTimes(stage, sender, 1)) as [Payment]
  await inPool(stage, sender, [0])
  stage.line.onSend({ do: 'drop' })
  await stage.node.rpc('anvil_dropAllTransactions')
  await mineUntil(stage, 'an expiry', async () => (await view(stage, payment)).status === 'expired')
  await expectRefusal(payment, 'TRANSACTION_ALREADY_EXPIRED')
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({
    origin: 'expiry',
    state: 'dropped',
    final: true,
  })
  stage.line.open()
  await mineUntil(stage, 'the later one', async () => (await view(stage, later)).status === 'confirmed')
  const mined = await audit(stage, sender)
  expect(mined.map(({ to }) => to.toLowerCase())).toContain(later.to.toLowerCase())
  expect((await view(stage, later)).nonce).toBe(1)
})

test('expired in the pool: a no-op takes the nonce, and the verdict says by what it came', async () => {
  const sender = stage.sender('four')
  const validUntil = soon()
  const payment = await pay(stage, sender, { valid_until: validUntil })
  await inPool(stage, sender, [0])
  // Blocks go by without it, as for a transaction that waits at too low a price; empty ones lower it by an eighth each.
  await stage.node.rpc('anvil_setNextBlockBaseFeePerGas', ['0x5af3107a4000'])
  stage.line.onSend({ do: 'drop' })
  await mineUntil(stage, 'an expiry', async () => (await view(stage, payment)).status === 'expired')
  await expectRefusal(payment, 'TRANSACTION_ALREADY_EXPIRED')
  stage.line.open()
  await audit(stage, sender)
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({
    origin: 'expiry',
    state: 'won',
    final: true,
    safe_to_retry: true,
  })
  expect((await view(stage, payment)).status).toBe('expired')
})
