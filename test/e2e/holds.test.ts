// Holds on a real chain: nothing of them is signed before their end, and each end has its way.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { audit } from './support/audit.ts'
import { pay, reached, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    relayers: { one: {}, two: {} },
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
