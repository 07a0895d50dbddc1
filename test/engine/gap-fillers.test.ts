// A gap filler that a node refuses, over the production store: one row and one attempt, whatever the node says.
import { expect, test } from 'vitest'
import type { BroadcastOutcome, RejectionCode } from '../../src/domain/attempt.ts'
import type { TransactionId } from '../../src/domain/ids.ts'
import { freshOwner } from '../../src/engine/step.ts'
import type { Ownership } from '../../src/ownership/ownership.ts'
import { headAt, height, someObservation, someRepeatAfter } from '../domain/some.ts'
import { noneHanging, nothingUnknown, openWorkplace, step, type Workplace } from './workplace.ts'

const invalid = rejected('invalid')

function rejected(code: RejectionCode): BroadcastOutcome {
  return { kind: 'rejected', code, message: `refused as ${code}` }
}

/** Nonce 0 is free, and an accepted transaction has nonce 1: then every no-op is answered with `outcome`. */
async function withGap(place: Workplace, outcome: BroadcastOutcome) {
  const { chain, context } = place
  const ownership = await place.own()
  const sent = [await place.send(), await place.send({ value: 2n })] as const
  await gapBelow(place, ownership, sent[0])
  chain.answer = () => outcome
  chain.view = someObservation({ pendingNonce: 0 })
  await step(context, ownership, nothingUnknown, noneHanging)
  return { ownership, behind: sent[1] }
}

/** No byte of `first` leaves, and it is canceled. */
async function gapBelow({ chain, context, cancel }: Workplace, ownership: Ownership, first: TransactionId) {
  chain.answer = (request) =>
    request === chain.broadcasts[0] ? { kind: 'unsent', message: 'no connection' } : { kind: 'accepted' }
  await step(context, ownership, nothingUnknown, noneHanging)
  await cancel(first)
}

const gapFillers = async ({ under }: Workplace) =>
  (await under.query("SELECT id, open, nonce FROM transactions WHERE origin = 'gap' ORDER BY sequence")) as {
    id: string
    open: number
    nonce: number | null
  }[]

test.each<RejectionCode>([
  'invalid',
  'insufficientFunds',
  'feeTooLow',
  'replacementUnderpriced',
  'poolFull',
  'typeConflict',
  'nodeLimit',
  'nonceGap',
])('a gap filler that every node refuses as %s stays one, through steps and blocks', async (code) => {
  await using place = await openWorkplace()
  const { ownership } = await withGap(place, rejected(code))
  for (let blocks = 1; blocks <= 8; blocks += 1) {
    place.clock.advance(someRepeatAfter.doubtfulMs)
    place.chain.view = someObservation({ pendingNonce: 0, head: headAt(height + blocks) })
    await step(place.context, ownership, nothingUnknown, noneHanging)
    await step(place.context, ownership, nothingUnknown, noneHanging)
  }
  expect(await gapFillers(place)).toMatchObject([{ open: 1, nonce: 0 }])
})

test('one that is called invalid is one attempt, and sets its next try rather than every second', async () => {
  await using place = await openWorkplace()
  const { ownership } = await withGap(place, invalid)
  const before = place.chain.broadcasts.length
  const rests: (number | undefined)[] = []
  for (let tries = 0; tries < 4; tries += 1) {
    const rest = await step(place.context, ownership, nothingUnknown, noneHanging)
    rests.push(rest.againAfterMs)
    place.clock.advance(rest.againAfterMs ?? 0)
    await step(place.context, ownership, nothingUnknown, noneHanging)
  }
  const [gapFiller] = await gapFillers(place)
  const attempts = await place.under.store.reads.attempts(gapFiller?.id as never)
  const [signed] = (await place.readAs(gapFiller?.id as never, 'inFlight')).lifecycle.attempts
  expect(attempts).toMatchObject([{ broadcast: { outcome: { code: 'invalid' }, rejections: 'all' } }])
  expect(place.chain.broadcasts.slice(before).map(({ raw }) => raw)).toEqual(Array(4).fill(signed?.raw))
  expect(rests).toEqual([1_000, 1_000, 2_000, 4_000])
})

test('a try that comes due between the decision and the end of the step is made at once, not with the next block', async () => {
  await using place = await openWorkplace()
  const { ownership } = await withGap(place, invalid)
  const { clock, context } = place
  const { againAfterMs = 0 } = await step(context, ownership, nothingUnknown, noneHanging)
  clock.advance(againAfterMs - 1)
  const observer = { ...context.observer, observed: () => clock.advance(2) }
  const before = place.chain.broadcasts.length
  const rest = await step({ ...context, observer }, ownership, nothingUnknown, noneHanging)
  expect(place.chain.broadcasts).toHaveLength(before)
  expect(rest.againAfterMs).toBe(1)
})

test('the next transaction does not take its nonce: a node may have the no-op all the same', async () => {
  await using place = await openWorkplace()
  const { ownership } = await withGap(place, invalid)
  place.chain.answer = () => ({ kind: 'accepted' })
  place.clock.advance(10 * someRepeatAfter.doubtfulMs)
  const next = await place.send({ value: 3n })
  await step(place.context, ownership, nothingUnknown, noneHanging)
  expect((await place.readAs(next, 'inFlight')).lifecycle.nonce).toBe(2)
  expect(await gapFillers(place)).toMatchObject([{ open: 1, nonce: 0 }])
})

test('an owner that died while it was tried again tries it at once, and from then on a node may have it', async () => {
  await using place = await openWorkplace()
  const { ownership } = await withGap(place, invalid)
  place.clock.advance(someRepeatAfter.doubtfulMs)
  place.chain.whileBroadcasting = async () => {
    throw new Error('the process dies here')
  }
  await expect(step(place.context, ownership, nothingUnknown, noneHanging)).rejects.toThrow('dies')
  place.chain.whileBroadcasting = async () => {}
  const next = await place.send({ value: 3n })
  await step(place.context, await place.own(), freshOwner, noneHanging)
  const [gapFiller] = await gapFillers(place)
  expect((await place.readAs(gapFiller?.id as never, 'inFlight')).lifecycle.attempts).toMatchObject([
    { broadcast: { state: 'handed', outcome: { code: 'invalid' } } },
  ])
  expect((await place.readAs(next, 'inFlight')).lifecycle.nonce).toBe(2)
})

test('where no node shows its pool, the step reads once, and says so instead of looking again', async () => {
  await using place = await openWorkplace()
  const { chain, context } = place
  const ownership = await place.own()
  const [first, behind] = [await place.send(), await place.send({ value: 2n })]
  await gapBelow(place, ownership, first)
  const before = chain.inquiries.length
  const { conditions } = await step(context, ownership, nothingUnknown, noneHanging)
  expect(chain.inquiries.slice(before).map(({ pendingNonce }) => pendingNonce)).toEqual([false, true])
  expect(conditions).toEqual(['pool_unseen'])
  expect((await place.read(behind)).wait?.facts).toMatchObject({ nonce: 0 })
})
