// A gap filler that nodes call invalid, as on a chain where a no-op needs more gas. A fresh one would fare no better, so the
// same bytes go out again, each time after as long a pause as all of it took so far. A client's transaction that comes takes
// the nonce instead.
import { isNoOp, newest } from '../attempt.ts'
import { type InPhase, isInPhase } from '../transaction.ts'
import type { TimestampMs } from '../units.ts'
import { type Decision, explain } from './decision.ts'
import { givesWay, refusalOfFiller } from './gap-filler.ts'
import { isRefusedDue, type RepeatAfter, refusedRetryAt } from './repeat-after.ts'
import type { Work } from './work.ts'

export function makeWay(filler: InPhase<'inFlight'>): Decision {
  return { do: 'refuse', transaction: filler, reason: `the node refused it: ${refusalOfFiller(filler)}` }
}

export function pursueRefusedFiller(
  filler: InPhase<'inFlight'>,
  refusal: string,
  work: Work,
  repeats: RepeatAfter,
  now: TimestampMs,
): Decision[] {
  const { nonce, attempts } = filler.lifecycle
  // While it is not known what was before the owner, it may be filled for what nobody has on record.
  if (givesWay(filler) && !work.past && !isWaitedFor(nonce, work)) return [makeWay(filler)]
  const reason = `waits: the node refuses the no-op that fills nonce ${nonce}, and it is broadcast again, less and less often: ${refusal}`
  const again: Decision[] = isRefusedDue(newest(attempts), repeats, now)
    ? [{ do: 'rebroadcast', transaction: filler, attempt: newest(attempts) }]
    : []
  return [...explain(filler, 'node_refuses', reason), ...again]
}

/** What is next in line behind such a filler, for as long as nothing else takes the nonce. */
export function tellRefusedFiller({ open }: Work): Decision[] {
  const inFlight = open.filter((each) => isInPhase(each, 'inFlight'))
  const filler = inFlight.find((each) => refusalOfFiller(each) !== undefined)
  const behind = filler && inFlight.find((each) => isBehind(each, filler.lifecycle.nonce))
  if (!filler || !behind) return []
  const opening = behind.cancellation ? 'canceled; ' : 'waits: '
  const remedy = givesWay(filler) ? ', and the next transaction sent takes the nonce' : ''
  const reason = `${opening}nonce ${filler.lifecycle.nonce} comes first, and the node refuses the no-op that would fill it: ${refusalOfFiller(filler)}; the no-op is tried again${remedy}`
  return explain(behind, 'node_refuses', reason)
}

/** When the first of them, or of refused no-ops that race, is tried again, of those that are not due at `now`. */
export function nextRefusedRetry({ open }: Work, repeats: RepeatAfter, now: TimestampMs): TimestampMs | undefined {
  const times = open.flatMap((each) =>
    isInPhase(each, 'inFlight') && (refusalOfFiller(each) !== undefined || isRefusedNoOp(each))
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
