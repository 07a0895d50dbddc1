// The database is put back from a copy that is older than a cancellation: the no-op is on the chain, so the payload is never
// executed, and the cancellation is read from the chain again, or the client decides.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { minedFrom, nonceOf, same } from '../../tooling/ledger.ts'
import { audit } from './support/audit.ts'
import { copyDatabase, putBack } from './support/copy.ts'
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
} from './support/play.ts'
import { anvilStage, type Sender, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 3,
    relayers: {
      flying: { max_in_flight: 1 },
      bumped: { max_in_flight: 1 },
      queued: { max_in_flight: 1 },
      bulk: { max_in_flight: 1 },
      several: { max_in_flight: 1 },
    },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const isExecuted = async ({ sender, to }: Payment) =>
  (await minedFrom(stage.node, sender.address)).some((mined) => same(mined.to, to))

/** Canceled, won and final: the client may send the payload anew. Resolves with the no-op's hash. */
async function cancelForGood(payment: Payment): Promise<string> {
  await cancel(stage, payment)
  const noOp = await noOpInPool(stage, payment)
  await untilFinal(payment)
  return noOp
}

/** The first of the queue is mined, and the second in its place. */
async function theNextInPool(sender: Sender): Promise<void> {
  await mineUntil(stage, 'the first', async () => (await nonceOf(stage.node, sender.address)) > 0)
  await inPool(stage, sender, [1])
}

async function untilFinal(payment: Payment): Promise<void> {
  const { sender, id } = payment
  await mineUntil(stage, 'a final verdict', async () => (await stage.client.cancellation(sender.id, id)).final === true)
}

async function expectWon(payment: Payment, noOp: string): Promise<void> {
  const reported = await verdict(stage, payment, ({ final }) => final)
  expect(reported).toMatchObject({ state: 'won', final: true, safe_to_retry: true, winner: { hash: noOp } })
  expect(BigInt(reported.cost)).toBeGreaterThan(0n)
  const { status, status_reason } = await view(stage, payment)
  expect(status).toBe('canceled')
  expect(status_reason).toMatch(/^canceled: the no-op 0x[0-9a-f]{64} took its nonce; restored from the chain/)
  expect(await isExecuted(payment)).toBe(false)
}

test('in flight in the copy: won again by the same no-op, and never executed', async () => {
  const sender = stage.sender('flying')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await copyDatabase(stage)
  const noOp = await cancelForGood(payment)

  await putBack(stage)
  const later = await pay(stage, sender)
  await mineUntil(stage, 'what came later', async () => (await view(stage, later)).status === 'confirmed')
  await untilFinal(payment)
  await expectWon(payment, noOp)
  await audit(stage, sender)
})

test('canceled in the copy, and the no-op that won is not in it: won all the same', async () => {
  const sender = stage.sender('bumped')
  const payment = await pay(stage, sender)
  await inPool(stage, sender, [0])
  await cancel(stage, payment)
  const first = await noOpInPool(stage, payment)
  await copyDatabase(stage)
  await stage.node.rpc('anvil_setNextBlockBaseFeePerGas', ['0x174876e800'])
  await mineUntil(stage, 'a dearer no-op', () => stage.rows.attempts(payment.id).length > 2)
  await untilFinal(payment)
  const { winner } = await stage.client.cancellation(sender.id, payment.id)
  expect(winner?.hash).not.toBe(first)

  await putBack(stage)
  await untilFinal(payment)
  await expectWon(payment, winner?.hash ?? '')
  await audit(stage, sender)
})

test('queued in the copy, and no other can be meant: won again, and never executed', async () => {
  const sender = stage.sender('queued')
  const [, canceled] = (await payTimes(stage, sender, 2)) as [Payment, Payment]
  await inPool(stage, sender, [0])
  await copyDatabase(stage)
  await theNextInPool(sender)
  const noOp = await cancelForGood(canceled)

  await putBack(stage)
  // By a wrong clock, a send from before the owner began might be the one, too: on PostgreSQL the service is ready first.
  await mineUntil(stage, 'the history check', async () => (await view(stage, canceled)).status === 'canceled')
  await untilFinal(canceled)
  await expectWon(canceled, noOp)
  const later = await pay(stage, sender)
  await mineUntil(stage, 'what came later', async () => (await view(stage, later)).status === 'confirmed')
  await audit(stage, sender)
})

test('several queued in the copy, one of them canceled: the two beside it show which', async () => {
  const sender = stage.sender('bulk')
  const [, canceled, last] = (await payTimes(stage, sender, 3)) as [Payment, Payment, Payment]
  await inPool(stage, sender, [0])
  await copyDatabase(stage)
  await theNextInPool(sender)
  const noOp = await cancelForGood(canceled)
  await mineUntil(stage, 'the last', async () => (await view(stage, last)).status === 'confirmed')

  await putBack(stage)
  await mineUntil(stage, 'the last again', async () => (await view(stage, last)).status === 'confirmed')
  await untilFinal(canceled)
  await expectWon(canceled, noOp)
  await audit(stage, sender)
})

test('several that may be meant: none is sent, newer ones go on, and their clients decide', async () => {
  const sender = stage.sender('several')
  const [, canceled, other, third] = (await payTimes(stage, sender, 4)) as [Payment, Payment, Payment, Payment]
  await inPool(stage, sender, [0])
  await copyDatabase(stage)
  await theNextInPool(sender)
  // Free: no nonce shows it.
  for (const each of [other, third]) await cancel(stage, each)
  const noOp = await cancelForGood(canceled)

  await putBack(stage)
  const reported = `waits: the no-op ${noOp} (nonce 1) canceled this or another transaction`
  await mineUntil(
    stage,
    'the history check',
    async () => (await view(stage, third)).status_reason?.startsWith(reported) === true,
  )
  const later = await pay(stage, sender)
  await mineUntil(stage, 'what came later', async () => (await view(stage, later)).status === 'confirmed')
  for (const each of [canceled, other, third]) {
    const { status, status_reason } = await view(stage, each)
    expect([status, status_reason?.slice(0, reported.length)]).toEqual(['pending', reported])
  }
  // Its wait for a client is an event.
  expect(stage.rows.events(other.id)).toMatchObject([{ status: 'pending', kind: 'attention', terminal: 0 }])

  await stage.service.kill9()
  await stage.service.restart()
  const [latest] = await payTimes(stage, sender, 1)
  if (!latest) throw new Error('one was paid')
  await mineUntil(stage, 'the latest', async () => (await view(stage, latest)).status === 'confirmed')
  expect((await view(stage, canceled)).status).toBe('pending')

  await cancel(stage, canceled)
  expect(await stage.client.cancellation(sender.id, canceled.id)).toMatchObject({
    state: 'dropped',
    final: true,
    safe_to_retry: true,
  })
  const body = { to: third.to, value: String(third.value), gas_limit: 21_000, speed: 'fast' }
  const put = await stage.client.request('PUT', `/relayers/${sender.id}/transactions/${third.id}`, { body })
  expect(put.status).toBe(200)
  await mineUntil(stage, 'the replacement', async () => (await view(stage, third)).status === 'confirmed')
  await stage.client.cancelPending(sender.id)
  expect((await reached(stage, other, 'canceled')).status_reason).toBe('canceled on request')
  expect(await isExecuted(canceled)).toBe(false)
  expect(await isExecuted(other)).toBe(false)
  // The no-op stays nobody's.
  await audit(stage, sender, 1)
})
