// Decides whether the newest attempt of a nonce has had its chance, and why another price is needed.
import {
  type Attempt,
  invalidReasonOf,
  invalidWordsOf,
  newest,
  type RefusalCode,
  recordedAtBlockOf,
  refusalCodeOf,
  refusedSinceOf,
  rejectionOf,
} from '../../attempt.ts'
import { gasRulesOf, isBelowLeastGas } from '../../intrinsic-gas.ts'
import { lacksGas } from '../../no-op.ts'
import type { Patience } from '../../patience.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { InPhase } from '../../transaction.ts'
import type { BlockNumber, TimestampMs } from '../../units.ts'
import type { Situation } from '../plan/work.ts'
import { isTightOnArrival, reasonOnArrival } from '../rules/arrival-order.ts'
import { wantsRaisedTip } from '../rules/raised-tip.ts'
import { lowerGas } from '../rules/refused-gas.ts'
import { hasHad, hasHadBlock, isBelowBaseFee } from '../terms/attempts.ts'
import type { ReasonToBid } from '../terms/bidder.ts'
import type { Contender } from '../terms/contender.ts'

/** The reason to bid now, at most once a block. Undefined: the newest attempt keeps its chance. */
export function reasonToBid(contender: Contender, latest: Attempt, situation: Situation): ReasonToBid | undefined {
  const { transaction, wants, speed, patience } = contender
  const { observation } = situation
  const { nonce, market } = observation
  if (isTooTight(contender, latest, situation) || typeof lowerGas(contender, situation) === 'number') return 'gas'
  // A new gap filler would be refused as well. The same bytes go out again, at pauses that grow: a pool may have them all the same.
  if (wants === 'gapFiller' && invalidReasonOf(latest) !== undefined) return undefined
  const code = rejectionOf(latest)?.code
  const onArrival = reasonOnArrival(contender, latest, situation)
  if (onArrival) return onArrival === 'none' ? undefined : onArrival
  const isRefused =
    code === 'insufficientFunds' ? 'unfunded' : code && tooCheap.includes(code) ? 'outpriced' : undefined
  if (isRefused) return hasHadBlock(latest, situation) ? isRefused : undefined
  if (!hasHad(patience, latest, situation)) return undefined
  if (isBelowBaseFee(latest, observation)) return 'belowBaseFee'
  if (latest.nonce !== nonce) return undefined
  if (wantsRaisedTip(transaction, latest, speed, situation)) return 'tip'
  if (wants === 'noOp' && isRefusedLong(latest, patience, situation.now)) return 'refused'
  // If no transaction at all is mined, a higher price changes nothing.
  return market?.blocks?.areUsed === false ? undefined : 'waited'
}

const tooCheap: readonly RefusalCode[] = ['replacementUnderpriced', 'feeTooLow']

/** Whether an attempt has too little gas by now. A no-op with more gas may be valid where the chain demands more. */
function isTooTight({ transaction, wants }: Contender, latest: Attempt, situation: Situation): boolean {
  const { observation, policy } = situation
  if (wants === 'payload' && isBelowLeastGas(transaction, gasRulesOf(policy.profile, observation)))
    return hasHadBlock(latest, situation)
  if (wants === 'payload' || !lacksGas(latest, observation.market)) return false
  return isTightOnArrival(latest, situation) ?? invalidWordsOf(latest) !== undefined
}

/** Refusals that a higher price may end. A node's own limit on prices and a nonce that it calls too high are not among them. */
const endedByPrice: readonly RefusalCode[] = ['unrecognized', 'invalid', 'poolFull', 'typeConflict']

/** Whether the newest no-op was refused in the same way for as long as a race waits. */
function isRefusedLong(latest: Attempt, { ms }: Patience, now: TimestampMs): boolean {
  const code = refusalCodeOf(latest)
  const since = refusedSinceOf(latest)
  return since !== undefined && code !== undefined && endedByPrice.includes(code) && now - since >= ms
}

/**
 * The time at which the first in line has waited long enough, if enough blocks have passed. Without it no further block
 * may trigger the step. Undefined if the time has passed, or if blocks are still to come.
 */
export function patienceEndsAt(
  [first]: readonly InPhase<'inFlight'>[],
  head: BlockNumber,
  policy: NetworkPolicy,
  now: TimestampMs,
): TimestampMs | undefined {
  if (!first) return undefined
  const latest = newest(first.lifecycle.attempts)
  const { blocks, ms } = first.cancellation ? policy.cancelBumpAfter : policy.bumpAfter
  const end = latest.recordedAt + ms
  return head - recordedAtBlockOf(latest, head) >= blocks && end > now ? end : undefined
}
