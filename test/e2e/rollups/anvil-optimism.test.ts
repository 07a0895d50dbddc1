// On anvil's Optimism: what ends on Ethereum ends there, and a deposit from L1 may take a nonce that nobody signed for.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../../tooling/anvil.ts'
import { startAnvil } from '../../../tooling/anvil.ts'
import { until } from '../../../tooling/client.ts'
import { balanceOf } from '../../../tooling/ledger.ts'
import { depositFromL1 } from '../../../tooling/rollups/deposits.ts'
import { audit } from '../support/audit.ts'
import {
  cancel,
  inPool,
  mineUntil,
  noOpInPool,
  type Payment,
  pay,
  payTimes,
  reached,
  verdict,
  view,
} from '../support/play.ts'
import { type Stage, stageOn } from '../support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await stageOn(await startAnvil({ mining: 'manual', network: 'optimism' }), {
    requiredConfirmations: 2,
    relayers: { sent: {}, won: {}, all: {}, late: {}, replaced: {}, deposited: {}, canceled: {} },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

test('sent, and confirmed', async () => {
  const sender = stage.sender('sent')
  const payments = await payTimes(stage, sender, 3)
  await inPool(stage, sender, [0, 1, 2])
  const mined = await audit(stage, sender)
  expect(mined.map(({ to }) => to.toLowerCase())).toEqual(payments.map(({ to }) => to.toLowerCase()))
})

test('canceled: the no-op wins', async () => {
  const sender = stage.sender('won')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await cancel(stage, payment)
  await noOpInPool(stage, payment)
  await audit(stage, sender)
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({ state: 'won', final: true })
})

test('all at once', async () => {
  const sender = stage.sender('all')
  const payments = await payTimes(stage, sender, 5)
  await inPool(stage, sender, [0, 1, 2, 3, 4])
  expect(await stage.client.cancelPending(sender.id)).toMatchObject({ total_processed: 5 })
  for (const payment of payments) await noOpInPool(stage, payment)
  await audit(stage, sender)
  for (const { to } of payments) expect(await balanceOf(stage.node, to)).toBe(0n)
})

test('expired in the pool', async () => {
  const sender = stage.sender('late')
  const payment = await pay(stage, sender, { valid_until: new Date(Date.now() + 5_000).toISOString() })
  await inPool(stage, sender, [0])
  await reached(stage, payment, 'expired')
  await noOpInPool(stage, payment)
  await audit(stage, sender)
  const reported = await verdict(stage, payment, ({ final }) => final)
  expect(reported).toMatchObject({ origin: 'expiry', state: 'won', safe_to_retry: true })
})

test('replaced in the pool', async () => {
  const sender = stage.sender('replaced')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  const body = { to: '0x00000000000000000000000000000000000000A4', value: '9', gas_limit: 21_000, speed: 'fast' }
  const path = `/relayers/${sender.id}/transactions/${payment.id}`
  expect((await stage.client.request('PUT', path, { body })).status).toBe(200)
  const isAnswered = () => stage.rows.attempts(payment.id).some(({ kind, outcome }) => kind === 'replace' && outcome)
  await until(isAnswered, { what: 'a replacement' })
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, payment)).status === 'confirmed')
  expect(await view(stage, payment)).toMatchObject({ value: '9', nonce: 0 })
  await audit(stage, sender)
})

/** L1 forces a transaction of the sender's into the next block, at the nonce of a payment that is in the pool. */
async function depositInsteadOf({ sender }: Payment): Promise<string> {
  await inPool(stage, sender, [0])
  stage.line.onSend({ do: 'drop' })
  await stage.node.rpc('anvil_dropAllTransactions')
  const { address: to } = stage.sender('sent')
  return depositFromL1(stage.node, { from: sender.address, to, value: 5n })
}

test('a deposit takes the nonce: it is foreign, and the payment is executed once, with the next nonce', async () => {
  const sender = stage.sender('deposited')
  const payment = await pay(stage, sender)
  await depositInsteadOf(payment)
  await stage.node.mine()
  stage.line.open()
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, payment)).status === 'confirmed')
  expect(await view(stage, payment)).toMatchObject({ nonce: 1 })
  await audit(stage, sender, 1)
})

test('a deposit takes the nonce of a canceled payment: external, at no cost', async () => {
  const sender = stage.sender('canceled')
  const payment = await pay(stage, sender)
  const hash = await depositInsteadOf(payment)
  await cancel(stage, payment)
  await audit(stage, sender, 1)
  stage.line.open()
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({
    ...{ state: 'external', final: true, safe_to_retry: true, cost: '0', winner: { hash } },
  })
})
