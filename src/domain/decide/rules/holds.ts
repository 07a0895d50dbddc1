// Holds: a send waits for a time before it may get a nonce (`hold_for`, `not_before`, or a policy).
//
// Without this file a hold would never end, or end by our clock alone, and a clock that is wrong would send too early. So our clock and the
// chain's have to agree that the time has come. Where no newer head comes, ours alone ends the hold a minute later. The promise: no transaction
// leaves its hold before its time. A pause keeps it on hold. For example, a send on hold until 12:00: at 12:00:05 the head is of 11:59:53, and
// it waits. The next head is of 12:00:05 and releases it. Were that head the last one of 11:59, our clock would release it at 12:01.
//
// Without transactions on hold each function answers that nothing is due.
import { hasHoldEnded, patienceEndsAt } from '../../hold.ts'
import { isPaused } from '../../pause.ts'
import { isInPhase } from '../../transaction.ts'
import type { TimestampMs } from '../../units.ts'
import type { Decision } from '../plan/decision.ts'
import type { Situation, StoredWork, Work } from '../plan/work.ts'
import { hasExpired } from '../terms/expired.ts'

export function releaseEnded({
  work,
  observation,
  now,
}: Pick<Situation, 'work' | 'observation' | 'now'>): readonly Decision[] {
  if (isPaused(work.relayer)) return []
  const clocks = { now, headAt: observation.head.timestampMs, headSince: work.headSince ?? now }
  return work.held.flatMap((transaction): Decision[] =>
    isInPhase(transaction, 'held') && !hasExpired(transaction, now) && hasHoldEnded(transaction.lifecycle.hold, clocks)
      ? [{ do: 'release', transaction }]
      : [],
  )
}

/** Whether a step is due for a transaction on hold: it has expired, or its hold has ended by our clock. */
export function hasDueHold(work: Pick<StoredWork, 'relayer' | 'held' | 'expiring'>, now: TimestampMs): boolean {
  return endsOf(work).some((until) => until <= now) || work.expiring.some((each) => hasExpired(each, now))
}

/** Whether nothing is open but transactions on hold that are not due: such a step does not observe the chain. */
export function isIdle(work: Work, now: TimestampMs): boolean {
  const { open, confirmedNotFinal, queued, suspected } = work
  return open.length + queued.length + suspected.length === 0 && !confirmedNotFinal && !hasDueHold(work, now)
}

/**
 * The time after `now` at which our clock ends the next hold. Where no head has reached a hold's time, our clock alone ends it a
 * while later: without a newer head nothing else would.
 */
export function nextRelease(
  work: Pick<Work, 'relayer' | 'held' | 'headSince'>,
  now: TimestampMs,
): TimestampMs | undefined {
  const { headSince = now } = work
  const ends = endsOf(work).map((until) => (until > now ? until : patienceEndsAt(until, headSince)))
  return ends.length === 0 ? undefined : Math.min(...ends)
}

function endsOf({ relayer, held }: Pick<StoredWork, 'relayer' | 'held'>): readonly TimestampMs[] {
  if (isPaused(relayer)) return []
  return held.flatMap((each) => (isInPhase(each, 'held') ? (each.lifecycle.hold.until ?? []) : []))
}
