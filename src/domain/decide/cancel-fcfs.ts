// Cancellation where the sequencer orders transactions as they come. No price replaces one there, so the outcome of the
// payload's broadcasts decides:
//
// 1. Every broadcast was certainly rejected: it is dropped, at no cost.
// 2. The sequencer accepted it: the receipt will show that the cancellation lost, and no no-op is paid for it.
// 3. The outcome is unknown: one no-op takes the nonce, unless the payload was ordered first. The same bytes are
//    broadcast until something with the nonce is mined.
import {
  type Attempt,
  isNoOp,
  mayBeKnown,
  newest,
  rejectionOf,
  unrecognizedErrorOf,
  wasAlwaysRejected,
  wasTaken,
} from '../attempt.ts'
import { feeCap, type Market } from '../fees.ts'
import { isNonEmpty, type NonEmpty } from '../ids.ts'
import { lacksGas } from '../no-op.ts'
import { type InPhase, payloadAttempts } from '../transaction.ts'
import { explainRefusedNoOp, explainUnfundedNoOp, takeOver } from './cancel-race.ts'
import { type Decision, explain, type NeedsBalance } from './decision.ts'
import { lasting } from './hindrance.ts'
import { isOrdered } from './ordered.ts'
import { blocksWaited, isOutpaced } from './reason-to-bid.ts'
import { rebroadcastIfDue } from './rebroadcast.ts'
import type { Situation } from './situation.ts'

export function cancelFcfs(transaction: InPhase<'inFlight'>, situation: Situation): (Decision | NeedsBalance)[] {
  const { attempts } = transaction.lifecycle
  const known = attempts.filter(mayBeKnown)
  if (known.every((attempt) => isCertainlyOut(attempt, situation))) return [{ do: 'drop', transaction }]
  if (isOrdered(transaction, situation)) {
    const reason = payloadAttempts(attempts).some(wasTaken)
      ? 'canceled; the sequencer accepted it before, and nothing replaces a transaction there: it waits for its receipt, which ends the cancellation as lost'
      : 'canceled; the sequencer says that its nonce is spent, and nothing else can take it: it waits for the block that shows which transaction used it'
    return explain(transaction, 'already_ordered', reason)
  }
  const noOps = attempts.filter(isNoOp)
  if (isNonEmpty(noOps)) return raceOn(transaction, noOps, situation)
  // A payload that was rejected may be kept for a moment. Then it is dropped, and costs nothing.
  if (known.every((attempt) => isOutSoon(attempt, situation))) return []
  // Where gas is free an account may be empty, so its no-op has to offer nothing, too.
  const { market, balance } = situation.observation
  if (market?.gasPrice === 0n && balance === undefined) return [{ do: 'readBalance' }]
  return takeOver(transaction, noOps, balance, situation)
}

/**
 * A proxy may repeat a rejected broadcast a moment later. A nonce that was too high may have been kept, and ordered once
 * the one before it came: the answer does not show that.
 */
function isCertainlyOut(attempt: Attempt, situation: Situation): boolean {
  const { broadcast } = attempt
  const keptMs = situation.policy.profile.keepsFutureNonceMs ?? 0
  return isOutSoon(attempt, situation) && broadcast.state === 'handed' && broadcast.at + keptMs <= situation.now
}

function isOutSoon(attempt: Attempt, situation: Situation): boolean {
  const mayBeKept = situation.policy.profile.keepsFutureNonceMs && rejectionOf(attempt)?.code === 'nonceGap'
  return wasAlwaysRejected(attempt) && !mayBeKept && !isAhead(attempt, situation)
}

/** A time ahead of the clock: the clock was set back, by an unknown amount. */
function isAhead({ broadcast }: Attempt, { now }: Situation): boolean {
  return broadcast.state === 'handed' && broadcast.at > now
}

/** One no-op is live. Another is signed only where the last can't be ordered as it is. */
function raceOn(
  transaction: InPhase<'inFlight'>,
  noOps: NonEmpty<Attempt>,
  situation: Situation,
): (Decision | NeedsBalance)[] {
  const { balance, market } = situation.observation
  const latest = newest(noOps)
  const again = rebroadcastIfDue(transaction, noOps, situation)
  if (!needsAnother(latest, situation)) return [...explainLatest(transaction, latest, market), ...again]
  if (balance === undefined) return [{ do: 'readBalance' }, ...again]
  const next = takeOver(transaction, noOps, balance, situation)
  const [decision] = next
  if (decision?.do !== 'takeOver') return [...next, ...again]
  // It has to differ in what the last one lacked.
  const isUnfunded = rejectionOf(latest)?.code === 'insufficientFunds'
  const isBetter = isUnfunded
    ? feeCap(decision.fees) < feeCap(latest.fees)
    : feeCap(decision.fees) > feeCap(latest.fees) || lacksGas(latest, market)
  return isBetter ? next : [...explainLatest(transaction, latest, market), ...again]
}

function needsAnother(latest: Attempt, { observation }: Situation): boolean {
  if (blocksWaited(latest, observation.head.number) < 1) return false
  if (isOutpaced(latest, observation) || lacksGas(latest, observation.market)) return true
  const code = wasAlwaysRejected(latest) ? rejectionOf(latest)?.code : undefined
  return code === 'feeTooLow' || code === 'replacementUnderpriced' || code === 'insufficientFunds'
}

function explainLatest(transaction: InPhase<'inFlight'>, latest: Attempt, market: Market | undefined): Decision[] {
  if (latest.broadcast.state === 'held') {
    const reason = `canceled; the no-op could not reach a node: ${latest.broadcast.reason}`
    return explain(transaction, 'node_unreachable', reason)
  }
  if (latest.broadcast.state === 'refused') return explainRefusedNoOp(transaction, latest)
  const rejection = rejectionOf(latest)
  if (rejection?.code === 'insufficientFunds') return explainUnfundedNoOp(transaction, latest, market)
  const error = unrecognizedErrorOf(latest)
  const refusal = error ?? (rejection && lasting.includes(rejection.code) ? rejection.message : undefined)
  if (refusal !== undefined) {
    const reason = `canceled; the node refuses the no-op for now, and it is broadcast again: ${refusal}`
    return explain(transaction, 'node_refuses', reason)
  }
  const reason =
    'canceled; no answer shows whether the sequencer has it: one no-op is broadcast until something with the nonce is mined, and whichever came first is mined; no price changes that'
  return explain(transaction, 'outcome_unknown', reason)
}
