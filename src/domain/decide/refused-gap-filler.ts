// A gap filler that nodes call invalid, as on a chain where a no-op needs more gas. A fresh one would fare no better, so the
// same bytes go out again, each time after as long a pause as all of it took so far. A client's transaction that comes takes
// the nonce instead.
import { isNoOp, newest } from '../attempt.ts'
import { type InPhase, isInPhase } from '../transaction.ts'
import type { TimestampMs } from '../units.ts'
import { type Decision, explain } from './decision.ts'
import { givesWay, refusalOfGapFiller } from './gap-filler.ts'
import { isRefusedDue, type RepeatAfter, refusedRetryAt } from './repeat-after.ts'
import type { Work } from './work.ts'

export function makeWay(gapFiller: InPhase<'inFlight'>): Decision {
  return { do: 'refuse', transaction: gapFiller, reason: `the node refused it: ${refusalOfGapFiller(gapFiller)}` }
}

export function pursueRefusedGapFiller(
  gapFiller: InPhase<'inFlight'>,
  refusal: string,
  work: Work,
  repeats: RepeatAfter,
  now: TimestampMs,
): Decision[] {
  const { nonce, attempts } = gapFiller.lifecycle
  // While it is not known what was before the owner, it may be filled for what nobody has on record.
  if (givesWay(gapFiller) && !work.lostHistory && !isWaitedFor(nonce, work)) return [makeWay(gapFiller)]
  const reason = `waits: the node refuses the no-op that fills nonce ${nonce}, and it is broadcast again, less and less often: ${refusal}`
  const again: Decision[] = isRefusedDue(newest(attempts), repeats, now)
    ? [{ do: 'rebroadcast', transaction: gapFiller, attempt: newest(attempts) }]
    : []
  return [...explain(gapFiller, 'node_refuses', reason), ...again]
}

/** What is next in line behind such a gap filler, for as long as nothing else takes the nonce. */
export function explainRefusedGapFiller({ open }: Work): Decision[] {
  const inFlight = open.filter((each) => isInPhase(each, 'inFlight'))
  const gapFiller = inFlight.find((each) => refusalOfGapFiller(each) !== undefined)
  const behind = gapFiller && inFlight.find((each) => isBehind(each, gapFiller.lifecycle.nonce))
  if (!gapFiller || !behind) return []
  const prefix = behind.cancellation ? 'canceled; ' : 'waits: '
  const remedy = givesWay(gapFiller) ? ', and the next transaction sent takes the nonce' : ''
  const reason = `${prefix}nonce ${gapFiller.lifecycle.nonce} comes first, and the node refuses the no-op that would fill it: ${refusalOfGapFiller(gapFiller)}; the no-op is tried again${remedy}`
  return explain(behind, 'node_refuses', reason)
}

/** When the first of them, or of refused no-ops that race, is tried again, of those that are not due at `now`. */
export function nextRefusedRetry({ open }: Work, repeats: RepeatAfter, now: TimestampMs): TimestampMs | undefined {
  const times = open.flatMap((each) =>
    isInPhase(each, 'inFlight') && (refusalOfGapFiller(each) !== undefined || isRefusedNoOp(each))
      ? [refusedRetryAt(newest(each.lifecycle.attempts), repeats)]
      : [],
  )
  const later = times.filter((at) => at > now)
  return later.length === 0 ? undefined : Math.min(...later)
}

function isRefusedNoOp({ lifecycle }: InPhase<'inFlight'>): boolean {
  const latest = newest(lifecycle.attempts)
  return isNoOp(latest) && latest.broadcast.state === 'refused'
}

function isWaitedFor(nonce: number, { open }: Work): boolean {
  return open.some((each) => isInPhase(each, 'inFlight') && isBehind(each, nonce))
}

function isBehind(transaction: InPhase<'inFlight'>, nonce: number): boolean {
  return transaction.lifecycle.nonce > nonce && !givesWay(transaction)
}
