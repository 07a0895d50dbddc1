// The original was mined first: the status is true, and says that the cancellation lost.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { balanceOf } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { answered, cancel, inPool, pay, reached, verdict, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({ requiredConfirmations: 3, relayers: { one: {}, two: {}, three: {} } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const lostReason = 'the cancellation lost: the original was mined first'

test('canceled, then mined, then confirmed; the late no-op takes no other nonce', async () => {
  const sender = stage.sender('one')
  const payment = await pay(stage, sender)
  const { hash } = await reached(stage, payment, 'submitted')
  await inPool(stage, sender, [0])

  stage.line.onSend({ do: 'drop' })
  expect(await cancel(stage, payment)).toMatchObject({ status: 'canceled' })
  await until(() => stage.rows.attempts(payment.id).some(({ kind }) => kind === 'cancel'), { what: 'a no-op' })
  await stage.node.mine()
  stage.line.open()

  expect(await reached(stage, payment, 'mined')).toMatchObject({ status_reason: lostReason, nonce: 0, hash })
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({
    state: 'lost',
    final: false,
    safe_to_retry: false,
    winner: { hash },
    cost: '0',
  })
  await stage.node.mine(2)
  expect(await reached(stage, payment, 'confirmed')).toMatchObject({ status_reason: lostReason, hash })
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({ state: 'lost', final: true })
  expect(await balanceOf(stage.node, payment.to)).toBe(payment.value)

  const refused = await stage.client.request('DELETE', `/relayers/${sender.id}/transactions/${payment.id}`)
  expect(refused.status).toBe(400)
  expect(refused.headers['relayer-error-code']).toBe('TRANSACTION_ALREADY_CONFIRMED')

  const next = await pay(stage, sender)
  expect((await reached(stage, next, 'submitted')).nonce).toBe(1)
  await audit(stage, sender)
  expect(stage.rows.events(payment.id).map(({ status, terminal }) => [status, terminal])).toEqual([
    ['sent', 0],
    ['submitted', 0],
    ['canceled', 0],
    ['mined', 0],
    ['confirmed', 1],
  ])
})

test('a bumped original wins: a later attempt of the payload was mined', async () => {
  const sender = stage.sender('two')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  // Its price is below the base fee of every block until it is raised.
  const { baseFeePerGas } = await stage.node.rpc<{ baseFeePerGas: string }>('eth_getBlockByNumber', ['latest', false])
  await stage.node.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${(BigInt(baseFeePerGas) * 40n).toString(16)}`])
  await stage.node.mine(3)
  expect((await answered(stage, payment, 2)).at(-1)).toEqual(['execute', true])
  const bumped = stage.rows.attempts(payment.id).at(-1)
  stage.line.onSend({ do: 'drop' })
  await cancel(stage, payment)
  await stage.node.mine()
  stage.line.open()
  const lost = await verdict(stage, payment, ({ state }) => state === 'lost')
  expect(lost.winner?.hash).toBe(bumped?.hash)
  expect(await view(stage, payment)).toMatchObject({ status: 'mined', hash: bumped?.hash, status_reason: lostReason })
  await audit(stage, sender)
})

test('an original that reverts wins too: failed, and the reason says both', async () => {
  const sender = stage.sender('three')
  const reverting = '0x00000000000000000000000000000000000bad00'
  await stage.node.rpc('anvil_setCode', [reverting, '0x60006000fd'])
  const payment = await pay(stage, sender, { to: reverting, gas_limit: 100_000 })
  await inPool(stage, sender, [0])
  stage.line.onSend({ do: 'drop' })
  await cancel(stage, payment)
  await stage.node.mine()
  stage.line.open()
  await stage.node.mine(2)
  const failed = await reached(stage, payment, 'failed')
  expect(failed.status_reason).toContain(`${lostReason}; execution reverted`)
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({
    state: 'lost',
    final: true,
    safe_to_retry: false,
  })
  await audit(stage, sender)
})
