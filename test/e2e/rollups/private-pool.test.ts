// Behind an OP-like sequencer: a pool that nobody sees, receipts before their blocks, and a fee for L1 beside gas.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../tooling/client.ts'
import { balanceOf, same } from '../../../tooling/ledger.ts'
import { type PrivatePool, startPrivatePool } from '../../../tooling/rollups/private-pool.ts'
import { audit } from '../support/audit.ts'
import { cancel, mineUntil, type Payment, pay, payTimes, reached, verdict, view } from '../support/play.ts'
import { type Sender, type Stage, stageOn } from '../support/stage.ts'

let stage: Stage<PrivatePool>
beforeAll(async () => {
  stage = await stageOn(await startPrivatePool(), {
    requiredConfirmations: 2,
    profile: { pool: 'private', l1_fee: 'op_stack' },
    relayers: { sent: {}, won: {}, lost: {}, vanished: {}, all: {}, late: {}, replaced: {}, forgotten: {} },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const pooledOf = ({ address }: Sender) => stage.node.pooled().filter(({ from }) => same(from, address))

/** Resolves once the sequencer's pool holds exactly these nonces of the sender. */
async function waits(sender: Sender, nonces: readonly number[]): Promise<void> {
  await until(() => String(pooledOf(sender).map(({ nonce }) => nonce)) === String(nonces), {
    what: () => `nonces ${nonces} to wait; there are ${pooledOf(sender).map(({ nonce }) => nonce)}`,
  })
}

/** Resolves with the hash of the latest attempt of that kind once the sequencer has it. */
async function hasAttempt({ id, sender }: Payment, kind: 'cancel' | 'replace'): Promise<string> {
  return until(
    () => {
      const hashes = pooledOf(sender).map(({ hash }): string => hash)
      return stage.rows.attempts(id).find((attempt) => attempt.kind === kind && hashes.includes(attempt.hash))?.hash
    },
    { what: () => `a ${kind} at the sequencer\n${stage.service.logs().slice(-3000)}` },
  )
}

test('sent: a preconfirmation is no confirmation; the block is', async () => {
  const sender = stage.sender('sent')
  const payment = await pay(stage, sender)
  await waits(sender, [0])
  await stage.node.flash()
  // The service has taken another step by the time that this one is there.
  await pay(stage, sender)
  await waits(sender, [0, 1])
  expect(await view(stage, payment)).toMatchObject({ status: 'submitted' })
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, payment)).status === 'confirmed')
  expect(await balanceOf(stage.node, payment.to)).toBe(payment.value)
  await audit(stage, sender)
})

test('canceled while it waits: the no-op takes its place, and costs its L1 fee, too', async () => {
  const sender = stage.sender('won')
  const payment = await pay(stage, sender)
  await waits(sender, [0])
  await cancel(stage, payment)
  const noOp = await hasAttempt(payment, 'cancel')
  expect(pooledOf(sender).map(({ hash }) => hash)).toEqual([noOp])
  const [winner] = await audit(stage, sender)
  const receipt = await stage.node.rpc<{ l1Fee: string }>('eth_getTransactionReceipt', [noOp])
  expect(BigInt(receipt.l1Fee)).toBeGreaterThan(0n)
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({
    ...{ state: 'won', final: true, safe_to_retry: true, cost: String(winner?.fee) },
  })
})

test('canceled after its preconfirmation: the pool still takes the no-op, and the original is mined', async () => {
  const sender = stage.sender('lost')
  const payment = await pay(stage, sender)
  await waits(sender, [0])
  await stage.node.flash()
  expect(await cancel(stage, payment)).toMatchObject({ status: 'canceled' })
  await hasAttempt(payment, 'cancel')
  await audit(stage, sender)
  expect(await view(stage, payment)).toMatchObject({ status: 'confirmed' })
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({ state: 'lost', safe_to_retry: false })
})

test('the preconfirmation of the original vanishes: no verdict before, and then the no-op wins', async () => {
  const sender = stage.sender('vanished')
  const payment = await pay(stage, sender)
  await waits(sender, [0])
  await stage.node.flash()
  await cancel(stage, payment)
  await hasAttempt(payment, 'cancel')
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({ state: 'racing', final: false })
  await stage.node.vanish('waits')
  await audit(stage, sender)
  expect(await stage.client.cancellation(sender.id, payment.id)).toMatchObject({ state: 'won', final: true })
})

test('a preconfirmed transaction that the sequencer lost is sent again', async () => {
  const sender = stage.sender('forgotten')
  const payment = await pay(stage, sender)
  await waits(sender, [0])
  await stage.node.flash()
  await stage.node.vanish('lost')
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, payment)).status === 'confirmed')
  await audit(stage, sender)
})

test('all at once: waiting ones go to no-ops, preconfirmed ones are mined', async () => {
  const sender = stage.sender('all')
  const first = await payTimes(stage, sender, 2)
  await waits(sender, [0, 1])
  await stage.node.flash()
  const others = await payTimes(stage, sender, 3)
  await waits(sender, [0, 1, 2, 3, 4])
  expect(await stage.client.cancelPending(sender.id)).toMatchObject({ total_processed: 5 })
  for (const payment of [...first, ...others]) await hasAttempt(payment, 'cancel')
  await audit(stage, sender)
  const states = async (payments: readonly Payment[]) =>
    Promise.all(payments.map(async ({ id }) => (await stage.client.cancellation(sender.id, id)).state))
  expect(await states(first)).toEqual(['lost', 'lost'])
  expect(await states(others)).toEqual(['won', 'won', 'won'])
  const next = await pay(stage, sender)
  expect(await reached(stage, next, 'submitted')).toMatchObject({ nonce: 5 })
  await audit(stage, sender)
})

test('expired while it waits: a no-op takes its place', async () => {
  const sender = stage.sender('late')
  const payment = await pay(stage, sender, { valid_until: new Date(Date.now() + 5_000).toISOString() })
  await waits(sender, [0])
  await reached(stage, payment, 'expired')
  await hasAttempt(payment, 'cancel')
  await audit(stage, sender)
  const reported = await verdict(stage, payment, ({ final }) => final)
  expect(reported).toMatchObject({ origin: 'expiry', state: 'won', safe_to_retry: true })
})

test('replaced while it waits: the new payload takes the nonce', async () => {
  const sender = stage.sender('replaced')
  const payment = await pay(stage, sender)
  await waits(sender, [0])
  const body = { to: '0x00000000000000000000000000000000000000A3', value: '9', gas_limit: 21_000, speed: 'fast' }
  const path = `/relayers/${sender.id}/transactions/${payment.id}`
  expect((await stage.client.request('PUT', path, { body })).status).toBe(200)
  await hasAttempt(payment, 'replace')
  await mineUntil(stage, 'a confirmation', async () => (await view(stage, payment)).status === 'confirmed')
  expect(await view(stage, payment)).toMatchObject({ value: '9', nonce: 0 })
  expect(await balanceOf(stage.node, body.to)).toBe(9n)
  expect(await balanceOf(stage.node, payment.to)).toBe(0n)
  await audit(stage, sender)
})
