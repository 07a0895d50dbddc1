// What a relayer has before it: everything open, and as much of the queue as it could send now.
import { isNoOp, newest, wasTaken } from '../attempt.ts'
import type { Hash } from '../ids.ts'
import type { NoOpMatches } from '../lost-history/lost-cancellation.ts'
import type { Found } from '../lost-history/recover.ts'
import type { LostHistory } from '../observation.ts'
import type { NonceFloor, Relayer } from '../relayer.ts'
import { type InPhase, isInPhase, type Transaction } from '../transaction.ts'
import type { TimestampMs } from '../units.ts'
import { givesWay, refusalOfGapFiller } from './gap-filler.ts'

export interface Work {
  readonly relayer: Relayer
  readonly floor: NonceFloor
  /** `inFlight` and `mined`, by nonce. */
  readonly open: readonly Transaction[]
  /** The first `maxInFlight` of the queue, in order, without those that are not to be sent. */
  readonly queued: readonly Transaction[]
  /** The first of the queue that is not sent for a no-op of a lost history, which may have canceled it: empty where none is. */
  readonly suspected: readonly Transaction[]
  /** Those of the whole queue that their valid_until ends first, soonest first. */
  readonly expiring: readonly Transaction[]
  /** Attempts that are on their way to a node that has not answered yet. */
  readonly underWay?: ReadonlySet<Hash>
  /** The last sequence of the relayer that is taken. */
  readonly lastSequence: number
  /** What its owner, new as it is, does not know yet. */
  readonly lostHistory?: LostHistory
  /** Where all that took the unexplained nonces is known: what of the queue it carries. */
  readonly found?: readonly Found[]
  /** Likewise: what of the queue the no-ops among them canceled. */
  readonly noOpMatches?: NoOpMatches
}

/** What could get a nonce in this step, if there is room. */
export function queuedOf(work: Work): readonly Transaction[] {
  return isHeldUp(work) ? [] : work.queued
}

/**
 * Whether payloads have to wait for a node's answer: to one that comes before them, in their order. A no-op takes a place
 * that was given before.
 */
export function isHeldUp(work: Work): boolean {
  const { underWay } = work
  if (!underWay || underWay.size === 0) return false
  const attempts = inFlightOf(work).flatMap(({ lifecycle }) => lifecycle.attempts)
  return attempts.some((attempt) => underWay.has(attempt.hash) && !isNoOp(attempt))
}

/** When the next of them expires, of those that are still valid at `now`. */
export function nextExpiry(work: Work, now: TimestampMs): TimestampMs | undefined {
  const ends = [...inFlightOf(work), ...work.expiring].flatMap(({ validUntil, cancellation }) =>
    validUntil === undefined || validUntil <= now || cancellation ? [] : [validUntil],
  )
  return ends.length === 0 ? undefined : Math.min(...ends)
}

export function inFlightOf(work: Work): readonly InPhase<'inFlight'>[] {
  return work.open.filter((transaction) => isInPhase(transaction, 'inFlight'))
}

/**
 * How many of the queue may get a nonce now; a delegated account (EIP-7702) may have one in flight. The nonce of a gap filler
 * that gives way is always one: what is in flight waits for it.
 */
export function roomIn(work: Work, delegated = false): number {
  return openRoomIn(work, delegated) + inFlightOf(work).filter(givesWay).length
}

/** How many more there may be in flight. */
export function openRoomIn(work: Work, delegated = false): number {
  const most = delegated ? 1 : work.relayer.policies.maxInFlight
  return Math.max(0, most - inFlightOf(work).length)
}

/** Whether a broadcast has to be repeated before long: a chain that waits for it may make no block until then. */
export function isInDoubt(work: Work): boolean {
  return inFlightOf(work).some((each) => {
    // A refused gap filler has its own times.
    return !wasTaken(newest(each.lifecycle.attempts)) && refusalOfGapFiller(each) === undefined
  })
}
