// A sweep on a real chain: the account ends up empty but for what its gas left, whatever comes in between.
import { randomBytes } from 'node:crypto'
import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { balanceOf, decode, minedFrom, nonceOf } from '../../tooling/ledger.ts'
import { cancel, inPool, mineUntil, noOpInPool, type Payment, pay, reached, view } from './support/play.ts'
import { anvilStage, type Sender, type Stage } from './support/stage.ts'

const ether = 10n ** 18n
let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 3,
    relayers: {
      one: { min_balance: Number(10n * ether), cancel_reserve: String(10n * ether) },
      two: { max_in_flight: 1 },
      three: {},
      four: {},
      five: { whitelist_receivers: ['0x00000000000000000000000000000000000000A1'] },
      six: {},
      seven: {},
    },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const nobody = () => getAddress(`0x${randomBytes(20).toString('hex')}`)

interface Sweep {
  readonly to: string
  readonly value?: string
  readonly others: number
  readonly transaction: { readonly id: string; readonly status: string; readonly status_reason?: string }
}

async function post(sender: Sender, body: Record<string, unknown>) {
  const answer = await stage.client.request('POST', `/relayers/${sender.id}/sweep`, { body })
  const { data, message } = answer.body as { data: Sweep; message?: string }
  return { status: answer.status, code: answer.headers['relayer-error-code'], message, data }
}

async function sweepOf(sender: Sender): Promise<Sweep> {
  const answer = await stage.client.request('GET', `/relayers/${sender.id}/sweep`)
  return (answer.body as { data: Sweep }).data
}

async function sweep(sender: Sender, to = nobody()): Promise<Payment & { readonly answer: Sweep }> {
  const { status, data, message } = await post(sender, { to })
  expect(status, message).toBe(200)
  return { sender, id: data.transaction.id, to, value: 0n, answer: data }
}

const isPaused = async ({ id }: Sender) => {
  const { body } = await stage.client.request('GET', `/relayers/${id}`)
  return (body as { data: { paused: boolean } }).data.paused
}

async function emptied(payment: Payment): Promise<bigint> {
  const done = await reached(stage, payment, 'confirmed')
  const value = BigInt(done.value)
  expect(await balanceOf(stage.node, payment.to)).toBe(value)
  expect(await sweepOf(payment.sender)).toMatchObject({ to: payment.to, value: done.value, others: 0 })
  return value
}

test('it pauses, waits for transactions in flight, and sends all but twice its cost, beside min_balance and cancel_reserve', async () => {
  const sender = stage.sender('one')
  const ahead = await pay(stage, sender)
  await inPool(stage, sender, [0])
  const swept = await sweep(sender)
  expect(swept.answer).toMatchObject({ to: swept.to, others: 1, transaction: { status: 'pending' } })
  expect(swept.answer.value).toBeUndefined()
  expect(await isPaused(sender)).toBe(true)
  expect(
    await stage.client.request('POST', `/relayers/one/transactions`, { body: { to: swept.to, value: '1' } }),
  ).toMatchObject({
    status: 400,
    headers: { 'relayer-error-code': 'RELAYER_PAUSED' },
  })
  await reached(stage, ahead, 'submitted')
  expect(await view(stage, swept)).toMatchObject({ status: 'pending', value: '0' })
  // The same request is the same sweep, and another receiver a conflict.
  expect((await post(sender, { to: swept.to.toLowerCase() })).data.transaction.id).toBe(swept.id)
  expect(await post(sender, { to: nobody() })).toMatchObject({ status: 409, code: 'SWEEP_UNDER_WAY' })
  await stage.node.mine()
  await inPool(stage, sender, [1])
  const before = await balanceOf(stage.node, sender.address)
  await stage.node.mine(3)
  const value = await emptied(swept)
  const left = await balanceOf(stage.node, sender.address)
  // Its gas cost no more than half of the amount kept back.
  expect(before - value - left).toBeLessThan((before - value) / 2n + 1n)
  expect(left).toBeLessThan(ether / 1_000n)
  expect(await stage.client.get('one', swept.id)).toMatchObject({ value: String(value) })
})

test('a queued transaction holds it until that one is canceled, and the pause lasts over a restart', async () => {
  const sender = stage.sender('two')
  const ahead = await pay(stage, sender)
  const waiting = await pay(stage, sender)
  await inPool(stage, sender, [0])
  // It still counts: it races for its nonce.
  await cancel(stage, ahead)
  const swept = await sweep(sender)
  expect(swept.answer.others).toBe(2)
  await mineUntil(stage, 'its nonce to be used', async () => (await nonceOf(stage.node, sender.address)) === 1)
  // A step records the reason, some time after the block.
  await until(async () => (await view(stage, waiting)).status_reason?.includes('paused'), { what: 'the reason' })
  expect(await view(stage, waiting)).toMatchObject({ status: 'pending' })
  expect(await view(stage, swept)).toMatchObject({ status: 'pending' })
  await cancel(stage, waiting)
  await stage.service.kill9()
  await stage.service.restart()
  expect(await isPaused(sender)).toBe(true)
  await mineUntil(stage, 'the sweep to be confirmed', async () => (await view(stage, swept)).status === 'confirmed')
  expect(await emptied(swept)).toBeGreaterThan(9_999n * ether)
})

test('killed right after the answer: the sweep goes on by itself, once', async () => {
  const sender = stage.sender('three')
  stage.line.onRequest(() => ({ do: 'ignore' }))
  const swept = await sweep(sender)
  await stage.service.kill9()
  expect(stage.rows.transaction(swept.id)).toMatchObject({ status: 'pending', open: 1 })
  stage.line.open()
  // Killed once more, with its bytes on the line.
  stage.line.onSend({ do: 'swallow' })
  await stage.service.restart()
  await until(() => stage.rows.attempts(swept.id).length > 0, { what: 'an attempt' })
  await stage.service.kill9()
  stage.line.open()
  await stage.service.restart()
  await mineUntil(stage, 'the sweep to be confirmed', async () => (await view(stage, swept)).status === 'confirmed')
  await emptied(swept)
  expect(await minedFrom(stage.node, sender.address)).toHaveLength(1)
})

test('the balance falls before it is mined: a lower value takes its nonce, and one of them is executed', async () => {
  const sender = stage.sender('four')
  const swept = await sweep(sender)
  await inPool(stage, sender, [0])
  const first = BigInt((await view(stage, swept)).value)
  await stage.node.rpc('anvil_setBalance', [sender.address, `0x${(2n * ether).toString(16)}`])
  await mineUntil(stage, 'the sweep to be confirmed', async () => (await view(stage, swept)).status === 'confirmed')
  const value = await emptied(swept)
  expect(first).toBeGreaterThan(9_999n * ether)
  expect(value).toBeGreaterThan((19n * ether) / 10n)
  expect(value).toBeLessThan(2n * ether)
  const nonces = new Set(stage.rows.attempts(swept.id).map(({ raw }) => decode(raw).nonce))
  expect(nonces).toEqual(new Set([0]))
  expect(await nonceOf(stage.node, sender.address)).toBe(1)
})

describe('refusals', () => {
  test('a receiver that is not allowed, the account itself, the zero address, an unknown relayer', async () => {
    const sender = stage.sender('five')
    expect(await post(sender, { to: nobody() })).toMatchObject({ status: 400, code: 'POLICY_VIOLATION' })
    expect(await post(sender, { to: sender.address })).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
    expect(await post(sender, { to: `0x${'0'.repeat(40)}` })).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
    expect(await post({ ...sender, id: 'none' }, { to: nobody() })).toMatchObject({ status: 404 })
    // Nothing is paused by a refusal.
    expect(await isPaused(sender)).toBe(false)
    const read = await stage.client.request('GET', '/relayers/five/sweep')
    expect(read).toMatchObject({ status: 404, headers: { 'relayer-error-code': 'SWEEP_NOT_FOUND' } })
  })

  test('a contract gets it with the gas that it needs, or ends it, and no PUT takes its place', async () => {
    const sender = stage.sender('six')
    const [refuses, counts] = [nobody(), nobody()]
    // PUSH1 0 PUSH1 0 REVERT, and PUSH1 1 PUSH1 0 SSTORE.
    await stage.node.rpc('anvil_setCode', [refuses, '0x60006000fd'])
    await stage.node.rpc('anvil_setCode', [counts, '0x6001600055'])
    const refused = await sweep(sender, refuses)
    expect((await reached(stage, refused, 'failed')).status_reason).toContain('it would revert')
    const swept = await sweep(sender, counts)
    await inPool(stage, sender, [0])
    const body = { to: nobody(), value: '1', gas_limit: 21_000 }
    await stage.client.request('PATCH', '/relayers/six', { body: { paused: false } })
    const put = await stage.client.request('PUT', `/relayers/six/transactions/${swept.id}`, { body })
    expect(put).toMatchObject({ status: 400, headers: { 'relayer-error-code': 'TRANSACTION_IS_SWEEP' } })
    await stage.node.mine(3)
    await emptied(swept)
  })
})

test('a DELETE of its transaction calls it off, and a bulk cancellation takes it', async () => {
  const sender = stage.sender('seven')
  const swept = await sweep(sender)
  await inPool(stage, sender, [0])
  const bulk = await stage.client.cancelPending('seven')
  expect(bulk.queued_for_cancellation_transaction_ids).toEqual([swept.id])
  await noOpInPool(stage, swept)
  await stage.node.mine(3)
  await until(async () => (await stage.client.cancellation('seven', swept.id)).final, { what: 'the verdict' })
  expect(await stage.client.cancellation('seven', swept.id)).toMatchObject({ state: 'won' })
  expect(await balanceOf(stage.node, swept.to)).toBe(0n)
  expect(await balanceOf(stage.node, sender.address)).toBeGreaterThan(9_999n * ether)
  expect((await sweepOf(sender)).transaction).toMatchObject({ id: swept.id, status: 'canceled' })
})
