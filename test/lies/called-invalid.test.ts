// A node that calls valid bytes invalid. Of three, it costs nothing: the others get the bytes. As the only one it may cost the
// payload's end, by a no-op that the chain shows; never a second execution, and never a statement that the chain does not bear out.
import { afterEach, expect, test } from 'vitest'
import { until } from '../../tooling/client.ts'
import { decode, minedFrom } from '../../tooling/ledger.ts'
import { audit } from '../e2e/support/audit.ts'
import { cancel, mineUntil, type Payment, pay, verdict, view } from '../e2e/support/play.ts'
import { type LyingStage, lyingStage, seats } from './support/lying-stage.ts'

let stage: LyingStage | undefined
afterEach(() => stage?.[Symbol.asyncDispose]())

const invalid = { error: { code: -32000, message: 'exceeds block gas limit' } } as const

/** The node keeps the bytes all the same. */
const keeps = (staged: LyingStage) =>
  staged.liar.lie(({ method }) => (method === 'eth_sendRawTransaction' ? invalid : undefined))

const isOver = (staged: LyingStage, payment: Payment) => async () => {
  const { status } = await view(staged, payment)
  return status === 'confirmed' || status === 'failed'
}

test.each(seats)('%s calls a payload invalid and keeps it: it is executed, once', async (seat) => {
  stage = await lyingStage(seat, { relayers: { one: {} } })
  const sender = stage.sender('one')
  keeps(stage)
  const payment = await pay(stage, sender)
  await until(() => stage?.rows.attempts(payment.id)[0]?.outcome != null, { what: 'an answer' })
  expect((await view(stage, payment)).status).toBe('submitted')
  await mineUntil(stage, 'a confirmation', isOver(stage, payment))
  expect(await view(stage, payment)).toMatchObject({ status: 'confirmed', nonce: 0 })
  expect(await audit(stage, sender)).toHaveLength(1)
  expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
})

test.each(seats)(
  '%s calls a payload invalid and keeps it, and its client cancels: the verdict is the true one',
  async (seat) => {
    stage = await lyingStage(seat, { relayers: { one: {} } })
    const sender = stage.sender('one')
    keeps(stage)
    const [payment, behind] = [await pay(stage, sender), await pay(stage, sender)]
    await until(() => stage?.rows.attempts(payment.id)[0]?.outcome != null, { what: 'an answer' })
    await cancel(stage, payment)
    expect((await stage.client.cancellation('one', payment.id)).state, 'no free end by the word of a node').toBe(
      'racing',
    )
    const staged = stage
    await mineUntil(stage, 'a final verdict', async () => (await staged.client.cancellation('one', payment.id)).final)
    await mineUntil(stage, 'the end of the other', isOver(stage, behind))
    const { state, winner } = await verdict(stage, payment, ({ final }) => final)
    const mined = await minedFrom(stage.node, sender.address)
    expect({ state, hash: winner?.hash }).toEqual({
      state: mined[0]?.value === 0n ? 'won' : 'lost',
      hash: mined[0]?.hash,
    })
    expect((await view(stage, behind)).nonce, 'the nonce behind it').toBe(1)
    await audit(stage, sender)
  },
)

test.each(seats)(
  '%s calls a payload invalid and drops it: it is executed, or failed as the chain shows',
  async (seat) => {
    stage = await lyingStage(seat, { relayers: { one: {} } })
    const sender = stage.sender('one')
    // A no-op is as any node takes it.
    stage.liar.withhold(({ method, params: [raw] }) => {
      const isSend = method === 'eth_sendRawTransaction'
      return isSend && (decode(String(raw)).value ?? 0n) > 0n ? invalid : undefined
    })
    const payment = await pay(stage, sender)
    await mineUntil(stage, 'its end', isOver(stage, payment))
    const staged = stage
    await mineUntil(stage, 'its last event', () =>
      staged.rows.events(payment.id).some(({ terminal }) => terminal === 1),
    )
    const mined = await audit(stage, sender)
    expect(mined.map(({ nonce }) => nonce)).toEqual([0])
    const isPayload = mined[0]?.value === payment.value
    expect(await view(stage, payment)).toMatchObject({ status: isPayload ? 'confirmed' : 'failed' })
    expect(isPayload, 'whether the payload is executed').toBe(seat === 'one of three')
    expect(stage.liar.lies(), 'false answers').toBeGreaterThan(0)
    if (seat === 'the only one') {
      const kinds = stage.rows.attempts(payment.id).map(({ kind }) => kind)
      expect(
        kinds.filter((kind) => kind === 'cancel'),
        'no-ops',
      ).toHaveLength(1)
      expect(stage.liar.lies(), 'calls until it is given up').toBeLessThanOrEqual(8)
      const events = stage.rows
        .events(payment.id)
        .map(({ kind, status, status_reason: reason }) => [kind, status, reason])
      expect(events, 'reported at once').toContainEqual([
        ...['attention', 'submitted'],
        'waits for a no-op with its nonce 0, as every node that answers refuses it: once that is confirmed, it has failed; exceeds block gas limit',
      ])
    }
  },
)
