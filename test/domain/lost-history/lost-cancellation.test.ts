// A no-op of a lost history: which transaction it canceled, and what becomes of that one.
import { describe, expect, test } from 'vitest'
import { cancel, verdictOn } from '../../../src/domain/cancel.ts'
import { apply } from '../../../src/domain/decide/apply.ts'
import { finalize, include, reopen } from '../../../src/domain/decide/facts/inclusion.ts'
import {
  type Ended,
  isLostNoOp,
  matchNoOps,
  restoreCancellation,
  suspect,
} from '../../../src/domain/decide/lost-history/lost-cancellation.ts'
import { clockMarginMs, findAmong } from '../../../src/domain/decide/lost-history/recover.ts'
import type { Work } from '../../../src/domain/decide/plan/work.ts'
import type { TransactionId } from '../../../src/domain/ids.ts'
import type { LostNoOp, MinedPayload, Observation } from '../../../src/domain/observation.ts'
import { replace } from '../../../src/domain/replace.ts'
import { type InPhase, isInPhase, statusOf, type Transaction } from '../../../src/domain/transaction.ts'
import { statusReasonOf } from '../../../src/domain/wait.ts'
import { decideInWords as decide } from '../in-words.ts'
import {
  address,
  blockHash,
  by,
  canceled,
  hashOf,
  headAt,
  height,
  inFlight,
  now,
  queued,
  receiver,
  someAttempt,
  someNoOp,
  someObservation,
  somePayload,
  somePolicy,
  someSituation,
  someWork,
} from '../some.ts'

function noOpAt(nonce: number, changes: Partial<LostNoOp> = {}, says: Partial<MinedPayload> = {}): LostNoOp {
  const { raw, signature, fees } = someNoOp(nonce)
  return {
    nonce,
    hash: hashOf(0xf00 + nonce),
    block: { number: height - 5, hash: blockHash(height - 5) },
    minedAt: now,
    signed: { to: address, value: 0n, data: '0x', gasLimit: 21_000, raw, signature, fees, ...says },
    ...changes,
  }
}

const payloadOf = (sequence: number) => queued(sequence, { payload: { ...somePayload, value: BigInt(sequence) } })
const foundAt = (sequence: number, nonce: number) =>
  findAmong([payloadOf(sequence)], [noOpAt(nonce, {}, { to: receiver, value: BigInt(sequence) })])
const queue = [1, 2, 3, 4, 5].map(payloadOf)
const shown = ({ canceled: sure, suspected }: ReturnType<typeof matchNoOps>) => ({
  sure: sure.map(({ transaction, noOp }) => [transaction.sequence, noOp.nonce]),
  unclear: suspected.map(({ transaction, noOp }) => [transaction.sequence, noOp.nonce]),
})

describe('a no-op is', () => {
  test('to the relayer itself, without value, data or access list', () => {
    expect(isLostNoOp(noOpAt(5), address)).toBe(true)
    expect(isLostNoOp(noOpAt(5, {}, { accessList: [] }), address)).toBe(true)
    expect(isLostNoOp(noOpAt(5), receiver)).toBe(false)
    expect(isLostNoOp(noOpAt(5, {}, { value: 1n }), address)).toBe(false)
    expect(isLostNoOp(noOpAt(5, {}, { data: '0x00' }), address)).toBe(false)
    expect(isLostNoOp(noOpAt(5, {}, { accessList: [{ address, storageKeys: [] }] }), address)).toBe(false)
    const { signed: _, ...unproven } = noOpAt(5)
    expect(isLostNoOp(unproven, address)).toBe(false)
  })
})

describe('which transaction it canceled', () => {
  test('the only one', () => {
    expect(shown(matchNoOps([payloadOf(1)], [], [noOpAt(5)]))).toEqual({ sure: [[1, 5]], unclear: [] })
    expect(shown(matchNoOps([], [], [noOpAt(5)]))).toEqual({ sure: [], unclear: [] })
  })
  test('all of a queue of 200,000, or none for certain', () => {
    const [one] = queue
    if (!one) throw new Error('there is one')
    const long = Array.from({ length: 200_000 }, (_, index) => ({ ...one, id: String(index) as TransactionId }))
    const lost = noOpAt(5)
    const noOps = Array.from({ length: 200_000 }, (_, nonce) => ({ ...lost, nonce }))
    const { canceled: sure, suspected: none } = matchNoOps(long, [], noOps)
    expect([sure.length, none.length]).toEqual([200_000, 0])
    const { canceled: nobody, suspected: unclear } = matchNoOps(long, [], [lost])
    expect([nobody.length, unclear.length]).toEqual([0, 200_000])
  })
  test('none is certain, where one that it may have canceled has ended meanwhile', () => {
    const ended = { sequence: 2, createdAt: now }
    const last = Number.POSITIVE_INFINITY
    const since = (...ended: readonly Ended[]) => ({ ended, overtaken: new Map() })
    expect(shown(matchNoOps([payloadOf(1)], [], [noOpAt(5)], last, since(ended)))).toEqual({
      sure: [],
      unclear: [[1, 5]],
    })
    const young = { sequence: 2, createdAt: now + 2 * clockMarginMs }
    expect(shown(matchNoOps([payloadOf(1)], [], [noOpAt(5)], last, since(young)))).toEqual({
      sure: [[1, 5]],
      unclear: [],
    })
    const found = foundAt(2, 6)
    const after = { sequence: 3, createdAt: now }
    expect(shown(matchNoOps(queue, found, [noOpAt(5)], last, since(after)))).toEqual({ sure: [[1, 5]], unclear: [] })
  })
  test('none is certain, where an older one has a higher nonce, or it was sent after the no-op was mined', () => {
    const last = Number.POSITIVE_INFINITY
    const overtaken = (sequence: number) => ({ ended: [], overtaken: new Map([[5, sequence]]) })
    const [, second] = queue
    if (!second) throw new Error('there are five')
    expect(shown(matchNoOps([second], [], [noOpAt(5)], last, overtaken(1)))).toEqual({ sure: [], unclear: [[2, 5]] })
    expect(shown(matchNoOps([second], [], [noOpAt(5)], last, overtaken(3)))).toEqual({ sure: [[2, 5]], unclear: [] })
    const young = { ...second, createdAt: now + 1 }
    expect(shown(matchNoOps([young], [], [noOpAt(5)]))).toEqual({ sure: [], unclear: [[2, 5]] })
  })
  test('none is certain, where it was sent after the first owner since the restore began', () => {
    const last = Number.POSITIVE_INFINITY
    const marked = (uncheckedThrough: number) => ({ ended: [], overtaken: new Map(), uncheckedThrough })
    const [, second] = queue
    if (!second) throw new Error('there are five')
    expect(shown(matchNoOps([second], [], [noOpAt(5)], last, marked(1)))).toEqual({ sure: [], unclear: [[2, 5]] })
    expect(shown(matchNoOps([second], [], [noOpAt(5)], last, marked(2)))).toEqual({ sure: [[2, 5]], unclear: [] })
  })
  test('the one between two that are recognized by their payloads, first in, first out', () => {
    const found = [...foundAt(2, 5), ...foundAt(4, 7)]
    expect(shown(matchNoOps(queue, found, [noOpAt(6)]))).toEqual({ sure: [[3, 6]], unclear: [] })
    expect(shown(matchNoOps(queue, found, [noOpAt(4), noOpAt(8)]))).toEqual({
      sure: [
        [1, 4],
        [5, 8],
      ],
      unclear: [],
    })
  })
  test('each of as many as there are no-ops, in order', () => {
    const found = foundAt(3, 7)
    expect(shown(matchNoOps(queue, found, [noOpAt(5), noOpAt(6)]))).toEqual({
      sure: [
        [1, 5],
        [2, 6],
      ],
      unclear: [],
    })
  })
  test('where more can be meant, or fewer, all of them are unclear, and no other is', () => {
    const found = foundAt(3, 7)
    expect(shown(matchNoOps(queue, found, [noOpAt(6)]))).toEqual({
      sure: [],
      unclear: [
        [1, 6],
        [2, 6],
      ],
    })
    expect(shown(matchNoOps([payloadOf(1)], [], [noOpAt(5), noOpAt(6)]))).toEqual({ sure: [], unclear: [[1, 5]] })
  })
  test('an order that was not kept proves nothing', () => {
    const found = [...foundAt(4, 5), ...foundAt(2, 7)]
    expect(shown(matchNoOps(queue, found, [noOpAt(6)])).unclear.map(([sequence]) => sequence)).toEqual([1, 3, 5])
  })
  test('an order that a foreign transaction may have broken proves nothing above it, and as much as before below', () => {
    // What it displaced was bound again, later than others behind it: here the second, which is found at 7.
    const displaced = matchNoOps(queue, foundAt(2, 7), [noOpAt(6)], 5)
    expect(shown(displaced).unclear.map(([sequence]) => sequence)).toEqual([1, 3, 4, 5])
    const found = [...foundAt(2, 5), ...foundAt(4, 7)]
    expect(shown(matchNoOps(queue, found, [noOpAt(6)], 8))).toEqual({ sure: [[3, 6]], unclear: [] })
    // An order proven below it does not hold above it.
    expect(shown(matchNoOps(queue.slice(0, 4), found, [noOpAt(4), noOpAt(6), noOpAt(9)], 8)).sure).toEqual([
      [1, 4],
      [3, 6],
    ])
  })
  test('none is certain, where an unknown transaction took a lower nonce: a lost PUT may have made it of the remaining one', () => {
    expect(shown(matchNoOps([payloadOf(1)], [], [noOpAt(7)], 5))).toEqual({ sure: [], unclear: [[1, 7]] })
    expect(shown(matchNoOps([payloadOf(1)], [], [noOpAt(7)], 9))).toEqual({ sure: [[1, 7]], unclear: [] })
  })
  test('none that was requested long after it was mined', () => {
    const early = noOpAt(5, { minedAt: now - 2 * 3_600_000 })
    expect(shown(matchNoOps([payloadOf(1)], [], [early]))).toEqual({ sure: [], unclear: [] })
    expect(shown(matchNoOps(queue.slice(0, 2), [], [early, noOpAt(6)])).unclear).toEqual([
      [1, 6],
      [2, 6],
    ])
  })
  test('a later send, by right clocks, is not taken for it, and yet may be it', () => {
    const earlier = noOpAt(5, { minedAt: now - 60_000 - 61_000 })
    expect(shown(matchNoOps([payloadOf(1)], [], [earlier]))).toEqual({ sure: [], unclear: [[1, 5]] })
  })
  test('what is unclear by it already still counts, and what is by another does not', () => {
    const [one, two] = [payloadOf(1), payloadOf(2)]
    const unclear = suspect({ transaction: one, noOp: noOpAt(5) }, now)
    expect(shown(matchNoOps([unclear, two], [], [noOpAt(5)]))).toEqual({ sure: [], unclear: [[2, 5]] })
    expect(shown(matchNoOps([unclear], [], [noOpAt(5)]))).toEqual({ sure: [], unclear: [] })
    expect(shown(matchNoOps([unclear, two], [], [noOpAt(6)]))).toEqual({ sure: [[2, 6]], unclear: [] })
  })
})

describe('a restored cancellation', () => {
  const mineNoOp = (transaction: Transaction, noOp: LostNoOp) => {
    const restored = restoreCancellation({ transaction, noOp }, now)
    if (!isInPhase(restored, 'inFlight')) throw new Error('it must be in flight')
    const attempt = restored.lifecycle.attempts.find(({ kind }) => kind === 'cancel')
    if (!attempt) throw new Error('it must have a no-op')
    const included = include(restored, by(attempt, height - 5))
    if (!isInPhase(included, 'mined')) throw new Error('it must be mined')
    return { restored, included }
  }

  test.each([
    ['in the queue', queued(1)],
    ['in flight', inFlight(5)],
  ])('of one %s wins at finality, at the cost of the receipt, and says where it comes from', (_, transaction) => {
    const noOp = noOpAt(5)
    const { restored, included } = mineNoOp(transaction, noOp)
    expect(restored.cancellation).toEqual({ origin: 'request', requestedAt: noOp.minedAt })
    expect(statusOf(restored)).toBe('canceled')
    expect(restored.statusReason).toMatch(/^canceled on request; restored from the chain/)
    const final = finalize(included, { ...included.lifecycle, witnesses: 2 }, now)
    expect(verdictOn(final)).toMatchObject({
      state: 'won',
      final: true,
      safeToRetry: true,
      winner: { hash: noOp.hash },
      witnesses: 2,
      cost: 21_000n * 3_000_000_000n,
    })
    expect(final.statusReason).toMatch(/^canceled: the no-op 0x\w+ took its nonce; restored from the chain/)
  })
  test('is an expiry where valid_until had passed when the no-op was mined, and no earlier', () => {
    const originOf = (validUntil: number) =>
      restoreCancellation({ transaction: queued(1, { validUntil }), noOp: noOpAt(5) }, now).cancellation?.origin
    expect([originOf(now - 1), originOf(now + 1)]).toEqual(['expiry', 'request'])
    const expired = mineNoOp(queued(1, { validUntil: now - 1 }), noOpAt(5)).included
    expect(statusOf(finalize(expired, { ...expired.lifecycle, witnesses: 2 }, now))).toBe('expired')
  })
  test('keeps the request on record, and every attempt', () => {
    const attempts = [someAttempt(5), someNoOp(5)] as const
    const { restored } = mineNoOp(inFlight(5, [...attempts], canceled), noOpAt(5))
    expect(restored.cancellation).toEqual(canceled.cancellation)
    expect('attempts' in restored.lifecycle && restored.lifecycle.attempts.slice(0, 2)).toEqual(attempts)
  })
  test('is on record once, where the copy holds the no-op as one that was not sent', () => {
    const held = someNoOp(5, { hash: noOpAt(5).hash, broadcast: { state: 'held', reason: 'no connection' } })
    const { restored } = mineNoOp(inFlight(5, [someAttempt(5), held], canceled), noOpAt(5))
    expect('attempts' in restored.lifecycle && restored.lifecycle.attempts).toMatchObject([
      { kind: 'execute' },
      { kind: 'cancel', hash: held.hash, broadcast: { state: 'handed' } },
    ])
  })
  test('is a race again where a reorganization takes the block back, and its payload is not sent', () => {
    const { included } = mineNoOp(inFlight(5), noOpAt(5))
    const work = someWork({ open: [reopen(included, 'reorganized')] })
    const atOnce = decide({
      work,
      observation: someObservation({ nonce: 5, head: headAt(height - 5) }),
      policy: somePolicy,
      now: now + 60_000,
    })
    expect(atOnce.decisions).toMatchObject([{ do: 'rebroadcast', attempt: { kind: 'cancel', hash: noOpAt(5).hash } }])
    const stuck = decide({ work, observation: someObservation({ nonce: 5 }), policy: somePolicy, now: now + 60_000 })
    expect(stuck.decisions).toMatchObject([{ do: 'signNoOp' }])
  })
  test('of the recorded holder of the nonce is decided at once', () => {
    const bound = someAttempt(5, { recordedAtBlock: height - 6 })
    const lostNoOps = new Map([[5, noOpAt(5)]])
    const plan = decide(someSituation({ open: [inFlight(5, [bound])] }, { nonce: 6, lostNoOps }))
    expect(plan.decisions).toMatchObject([{ do: 'restoreCancellation', noOp: { nonce: 5 } }])
    expect(plan.observeAgainAtOnce).toBe(true)
  })
  test('is not of a transaction that no node ever accepted: another may have had the nonce since', () => {
    const sending = someAttempt(5, { recordedAtBlock: height - 6, broadcast: { state: 'sending' } })
    const decidedOn = (holder: InPhase<'inFlight'>) =>
      decide(someSituation({ open: [holder] }, { nonce: 6, lostNoOps: new Map([[5, noOpAt(5)]]) })).decisions[0]
    expect(decidedOn(inFlight(5, [sending]))).toMatchObject({ do: 'include', inclusion: { by: 'external' } })
    expect(decidedOn(inFlight(5, [sending], canceled))).toMatchObject({ do: 'restoreCancellation' })
  })
  test('is not of a transaction bound to the nonce after the no-op was mined', () => {
    const bound = someAttempt(5, { recordedAtBlock: height - 5, recordedAt: now })
    const lostNoOps = new Map([[5, noOpAt(5)]])
    const { decisions } = decide(someSituation({ open: [inFlight(5, [bound])] }, { nonce: 6, lostNoOps }))
    expect(decisions[0]).toMatchObject({ do: 'include', inclusion: { by: 'external', hash: noOpAt(5).hash } })
  })
})

test('an attempt that the copy holds as not sent is the one that was mined, by its hash', () => {
  const held = someAttempt(5, { broadcast: { state: 'held', reason: 'no connection' } })
  const block = { number: height, hash: blockHash(height) }
  const included = include(inFlight(5, [held]), { by: 'unrecorded', hash: held.hash, block })
  expect(included.lifecycle).toMatchObject({ inclusion: { by: 'attempt', kind: 'execute', hash: held.hash } })
  // A reorganization may put it back into a pool, so from here on a DELETE races it.
  expect(included.lifecycle).toMatchObject({
    attempts: [{ broadcast: { state: 'handed', outcome: { kind: 'unknown' } } }],
  })
  const other = include(inFlight(5, [held]), { by: 'unrecorded', hash: hashOf(0xbad), block })
  expect(other.lifecycle).toMatchObject({ inclusion: { by: 'unrecorded' } })
})

describe('one that is unclear', () => {
  const unclear = suspect({ transaction: queued(1), noOp: noOpAt(5) }, now)

  test('is pending, and says which no-op it is about and what to do', () => {
    expect(statusOf(unclear)).toBe('pending')
    expect(unclear).toMatchObject({ suspectedNoOp: { hash: noOpAt(5).hash, nonce: 5 } })
    expect(unclear.wait?.condition).toBe('cancellation_unclear')
    expect(statusReasonOf(unclear)).toMatch(/^waits: the no-op 0x0+f05 \(nonce 5\) .* cancel it, or replace it/)
  })
  test('ends by a DELETE, for good, and by its valid_until', () => {
    expect(verdictOn(cancel(unclear, now))).toMatchObject({ state: 'dropped', final: true, safeToRetry: true })
    expect(statusOf(cancel(unclear, now, 'expiry'))).toBe('expired')
  })
  test('is sent again once it is replaced', () => {
    const { from: _, ...request } = somePayload
    const replaced = replace(unclear, { ...request, value: 9n }, 'public')
    expect(replaced.suspectedNoOp).toBeUndefined()
    expect(replaced.lifecycle).toEqual({ phase: 'queued' })
  })
  test('is no longer so once its payload is found', () => {
    const [found] = findAmong([unclear], [noOpAt(6, {}, { to: receiver, value: 1n })])
    if (!found) throw new Error('it must be found')
    expect(apply({ do: 'recover', ...found }, unclear, undefined, now).suspectedNoOp).toBeUndefined()
  })
})

describe('once all that took the unknown nonces is final', () => {
  const lostHistory = { through: 9, seen: { below: 7, at: height - 2, isWhole: false } }
  const spenders = [noOpAt(5), noOpAt(6)]
  const seen = { lostHistory: { below: 7, finalBelow: 7, spenders }, nonce: 7 }
  const plan = (work: Partial<Work>, observation: Partial<Observation> = seen) =>
    decide(someSituation({ floor: { spentBelow: 5, explainedBelow: 5 }, lostHistory, found: [], ...work }, observation))
  const whatOf = ({ decisions }: ReturnType<typeof plan>) => decisions.map(({ do: what }) => what)

  test('a certain cancellation is restored, in the commit that explains the nonces', () => {
    const noOpMatches = matchNoOps([queued(1), queued(2)], [], spenders)
    const reported = plan({ queued: [queued(1), queued(2)], noOpMatches })
    expect(whatOf(reported)).toEqual(['restoreCancellation', 'restoreCancellation'])
    expect(reported).toMatchObject({ floor: { spentBelow: 7, explainedBelow: 7 }, observeAgainAtOnce: true })
    expect(reported.lostHistory).toBeDefined()
  })
  test('an unclear transaction is marked in the commit that explains the nonces', () => {
    const waiting = [queued(1), queued(2), queued(3)]
    const reported = plan({ queued: waiting, noOpMatches: matchNoOps(waiting, [], spenders) })
    expect(whatOf(reported)).toEqual(['suspect', 'suspect', 'suspect'])
    expect(reported).toMatchObject({ floor: { spentBelow: 7, explainedBelow: 7 }, observeAgainAtOnce: true })
  })
  test('of a long queue a part at a time, and the nonces are explained with the last', () => {
    const waiting = Array.from({ length: 600 }, (_, index) => queued(index + 1))
    const reported = plan({
      lostHistory: { ...lostHistory, through: 600 },
      queued: waiting.slice(0, 4),
      noOpMatches: matchNoOps(waiting, [], spenders),
    })
    expect(new Set(whatOf(reported))).toEqual(new Set(['suspect']))
    expect(reported.decisions).toHaveLength(500)
    expect(reported).toMatchObject({ floor: { explainedBelow: 5 }, observeAgainAtOnce: true })
    expect(reported.lostHistory).toBeDefined()
  })
  test('nothing of it as long as another holds one of the nonces on record', () => {
    const noOpMatches = matchNoOps([queued(1), queued(2)], [], spenders)
    const reported = plan({ open: [inFlight(5)], queued: [queued(1), queued(2)], noOpMatches })
    expect(whatOf(reported)).not.toContain('restoreCancellation')
    expect(reported.lostHistory).toBeDefined()
  })
  test('an unclear transaction holds up nobody, is searched again by the next owner, and is a condition', () => {
    const unclear = suspect({ transaction: queued(1), noOp: noOpAt(5) }, now)
    const reported = plan(
      { suspected: [unclear], queued: [queued(10)], found: [] },
      { nonce: 7, lostHistory: { below: 7 } },
    )
    expect(whatOf(reported)).toEqual(['assignNonce'])
    expect(reported.conditions).toContain('cancellation_unclear')
    expect(reported.lostHistory).toBeDefined()
    const later = plan({ suspected: [unclear], lostHistory: { through: 9 } }, { nonce: 5, lostHistory: { below: 5 } })
    expect(later.lostHistory).toBeUndefined()
  })
})
