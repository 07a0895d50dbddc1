// Holds on a real chain: nothing of them is signed before their end, and each end has its way.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { balanceOf, nonceOf } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { cancel, inPool, pay, reached, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    relayers: { one: {}, two: {}, three: {}, four: { hold_above_value: '1000' }, five: {}, six: { min_hold: '3s' } },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** The condition is on the transaction, and its row is in no index of the queue. */
const stored = (id: string) => stage.rows.transaction(id)
const soon = (ms: number) => new Date(Date.now() + ms).toISOString()

test('a transaction on hold blocks none behind it, and a release sends it', async () => {
  const sender = stage.sender('one')
  const held = await pay(stage, sender, { hold: true })
  expect(await view(stage, held)).toMatchObject({
    status: 'pending',
    status_reason: expect.stringContaining('on hold'),
  })
  const behind = await pay(stage, sender)
  expect((await reached(stage, behind, 'submitted')).nonce).toBe(0)
  expect(stored(held.id)).toMatchObject({ status: 'held', nonce: null })
  expect(stage.rows.attempts(held.id)).toEqual([])

  expect(await stage.client.release(sender.id, held.id)).toMatchObject({ status: 'pending' })
  expect((await reached(stage, held, 'submitted')).nonce).toBe(1)
  await stage.node.mine(2)
  await reached(stage, held, 'confirmed')
  await audit(stage, sender)
})

test('a schedule sends it by itself, once both clocks have passed, and not before', async () => {
  const sender = stage.sender('two')
  const payment = await pay(stage, sender, { not_before: soon(3_000) })
  expect(stored(payment.id)).toMatchObject({ status: 'held', held_until: expect.any(Number) })
  const { held_until: end } = stored(payment.id) as { held_until: number }
  // The chain stands still: our clock alone does not suffice yet.
  await until(async () => Date.now() > end + 1_000, { what: 'the end by our clock' })
  expect(stored(payment.id)).toMatchObject({ status: 'held' })
  await stage.node.mine()
  await reached(stage, payment, 'submitted')
  expect((stored(payment.id) as { sent_at: number }).sent_at).toBeGreaterThanOrEqual(end)
  await stage.node.mine(2)
  await reached(stage, payment, 'confirmed')
  await audit(stage, sender)
})

test('killed while it is on hold: the next start sends it at its time', async () => {
  const sender = stage.sender('three')
  const payment = await pay(stage, sender, { not_before: soon(4_000) })
  await stage.service.kill9()
  expect(stored(payment.id)).toMatchObject({ status: 'held' })
  await stage.service.restart()
  const { held_until: end } = stored(payment.id) as { held_until: number }
  await until(
    async () => {
      await stage.node.mine()
      return stored(payment.id)?.status !== 'held'
    },
    { everyMs: 200, what: 'the release' },
  )
  expect(Date.now()).toBeGreaterThanOrEqual(end)
  await reached(stage, payment, 'submitted', 'mined', 'confirmed')
  await stage.node.mine(2)
  await audit(stage, sender)
})

test('a policy holds sends above a value, and a DELETE is free and final', async () => {
  const sender = stage.sender('four')
  const [large, small] = [await pay(stage, sender, { value: '1001' }), await pay(stage, sender, { value: '1000' })]
  await inPool(stage, sender, [0])
  expect((await reached(stage, small, 'submitted')).nonce).toBe(0)
  expect(await cancel(stage, large)).toMatchObject({ status: 'canceled' })
  expect(await stage.client.cancellation(sender.id, large.id)).toMatchObject({
    state: 'dropped',
    final: true,
    cost: '0',
  })
  expect(stage.rows.attempts(large.id)).toEqual([])
  await stage.node.mine(2)
  await reached(stage, small, 'confirmed')
  expect(await nonceOf(stage.node, sender.address)).toBe(1)
  await audit(stage, sender)
})

test('it expires on hold', async () => {
  const sender = stage.sender('five')
  const payment = await pay(stage, sender, { hold: true, valid_until: soon(2_000) })
  await reached(stage, payment, 'expired')
  expect(stored(payment.id)).toMatchObject({ phase: 'dropped', hold: null, held_until: null })
  expect(stage.rows.attempts(payment.id)).toEqual([])
})

test('min_hold lengthens a shorter schedule, a PUT begins it anew, and a pause keeps it on hold beyond its end', async () => {
  const sender = stage.sender('six')
  const payment = await pay(stage, sender, { not_before: soon(1_000) })
  const endOf = () => (stored(payment.id) as { held_until: number }).held_until
  const first = endOf()
  expect(first - (stored(payment.id) as { created_at: number }).created_at).toBe(3_000)
  const body = { to: payment.to, value: '5', gas_limit: 21_000, speed: 'average' }
  const put = await stage.client.request('PUT', `/relayers/six/transactions/${payment.id}`, { body })
  expect(put.status).toBe(200)
  expect(endOf()).toBeGreaterThan(first)
  const pause = (paused: boolean) => stage.client.request('PATCH', '/relayers/six', { body: { paused } })
  expect((await pause(true)).status).toBe(200)
  await until(async () => Date.now() > endOf() + 1_000, { what: 'its end by our clock' })
  await stage.node.mine()
  const released = await stage.client.request('POST', `/relayers/six/transactions/${payment.id}/release`)
  expect(released.headers['relayer-error-code']).toBe('RELAYER_PAUSED')
  expect(stored(payment.id)).toMatchObject({ status: 'held', nonce: null })
  expect((await pause(false)).status).toBe(200)
  await reached(stage, payment, 'submitted')
  await stage.node.mine(2)
  await reached(stage, payment, 'confirmed')
  expect(await balanceOf(stage.node, payment.to)).toBe(5n)
  await audit(stage, sender)
})
