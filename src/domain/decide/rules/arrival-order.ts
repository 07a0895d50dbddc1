// The order on arrival: sequencers that order transactions as they come (`pool` is `fcfs` in a network's profile: Arbitrum).
//
// No price replaces a transaction there, and the answers to its broadcasts are all that matters: one may show that the sequencer has ordered
// it. Such a sequencer drops a nonce above a gap after about a second (`keepsFutureNonceMs`), so sends go out one at a time: the next once a
// node accepted the one before it, or said that its nonce is spent. A refused send goes out again after that.
//
// Without this file a canceled transaction would be outbid at rising prices although its answer showed that it will be mined, and of ten
// sends at once those that overtake the first would be lost. The promise: a payload whose nonce the answer calls spent gets no no-op; one
// whose every broadcast was rejected is dropped a second later, at no cost; any other gets a no-op at the market's price, which further tries don't raise.
// For example: a payload is refused as "nonce too low" 200 ms after its broadcast. No no-op follows, and the next block shows it.
//
// On every other chain each function answers undefined, or what it was given. Those that let sends out one at a time depend on
// `keepsFutureNonceMs` instead.
import {
  type Attempt,
  attemptWith,
  invalidReasonOf,
  isNonceSpent,
  isNonceTaken,
  isNoOp,
  isSequenced,
  mayBeKnown,
  rejectionOf,
  takenAtOf,
  wasAlwaysRejected,
  wasTaken,
} from '../../attempt.ts'
import { escalatedFees, type Fees, feeCap, lowered, type Market } from '../../fees.ts'
import { lacksGas } from '../../no-op.ts'
import type { Observation } from '../../observation.ts'
import { lastsMs } from '../../patience.ts'
import { priceCeiling } from '../../price-ceiling.ts'
import { isFcfs } from '../../profile.ts'
import type { DecisionProfile, NetworkPolicy } from '../../relayer.ts'
import { type InPhase, payloadAttempts } from '../../transaction.ts'
import type { TimestampMs } from '../../units.ts'
import { type Decision, explain, type Steps } from '../plan/decision.ts'
import { inFlightOf, type Situation, type Work } from '../plan/work.ts'
import { hasHad, hasHadBlock, isBelowBaseFee } from '../terms/attempts.ts'
import {
  affordablePrice,
  type Bid,
  type Bidder,
  type BidRules,
  equalAttempt,
  type ReasonToBid,
} from '../terms/bidder.ts'
import type { Contender } from '../terms/contender.ts'
import { lowestGap } from '../terms/free-nonces.ts'
import { isAboveBalance, upfrontCost } from '../terms/funds.ts'
import { rivalsInPools } from '../terms/rivals.ts'
import { type Room, roomBy } from '../terms/window.ts'

type Rules = Pick<NetworkPolicy, 'profile'>
type Pool = { readonly profile: Pick<DecisionProfile, 'pool'> }

/**
 * The steps of a canceled transaction whose answers decide. Undefined if a no-op takes the nonce, unless the payload was ordered first: an
 * accepted hash proves nothing.
 *
 * 1. Every broadcast was certainly rejected: it is dropped, at no cost.
 * 2. An answer shows that the sequencer ordered it: a block will show that the cancellation lost.
 * 3. A payload that was rejected may be kept for a moment. Then it is dropped, and costs nothing.
 */
export function fateOnArrival(transaction: InPhase<'inFlight'>, situation: Situation): Steps | undefined {
  if (!isFcfs(situation.policy)) return undefined
  const { attempts } = transaction.lifecycle
  const known = attempts.filter(mayBeKnown)
  if (known.every((attempt) => isRejectedForGood(attempt, situation))) return [{ do: 'drop', transaction }]
  if (isOrdered(transaction, situation)) {
    const by = payloadAttempts(attempts).some(isSequenced) ? 'receipt' : 'spentNonce'
    return explain(transaction, { condition: 'already_ordered', facts: { of: 'cancellation', by } })
  }
  const areAllRejected = !attempts.some(isNoOp) && known.every((attempt) => isRejectedForNow(attempt, situation))
  return areAllRejected ? [] : undefined
}

/** Whether a no-op may take a nonce that is only counted as spent. What comes first there is ordered, and a no-op takes no place. */
export function mayRaceForCounted(policy: Rules): boolean {
  return !isFcfs(policy)
}

/**
 * Whether the rejection holds by now. A sequencer may have kept a nonce that was too high, and ordered it once the one before it
 * came: the answer does not show that.
 */
function isRejectedForGood(attempt: Attempt, situation: Situation): boolean {
  const { broadcast } = attempt
  const keptMs = situation.policy.profile.keepsFutureNonceMs ?? 0
  return isRejectedForNow(attempt, situation) && broadcast.state === 'handed' && broadcast.at + keptMs <= situation.now
}

/**
 * Whether every broadcast was rejected, as far as answers show. A proxy may still repeat one a moment later. Not where the sequencer may keep
 * the nonce, nor where a gateway says "invalid"; a nonce that is too low counts as ordered.
 */
function isRejectedForNow(attempt: Attempt, situation: Situation): boolean {
  const isKept = situation.policy.profile.keepsFutureNonceMs && rejectionOf(attempt)?.code === 'nonceGap'
  // A gateway's "invalid" proves nothing about the sequencer.
  if (invalidReasonOf(attempt) !== undefined) return false
  return wasAlwaysRejected(attempt) && !isKept && !isAhead(attempt, situation)
}

/** Whether the answer is ahead of the clock, which was set back by an unknown amount. */
function isAhead({ broadcast }: Attempt, { now }: Situation): boolean {
  return broadcast.state === 'handed' && broadcast.at > now
}

/** Why a replacement waits for ever: the sequencer's answer came after the PUT. Empty if it may still replace. */
export function explainOrdered(transaction: InPhase<'inFlight'>, situation: Situation): readonly Decision[] {
  if (!isOrdered(transaction, situation)) return []
  return explain(transaction, { condition: 'already_ordered', facts: { of: 'replacement' } })
}

/** Explains a no-op that the sequencer has accepted: that proves nothing, so its outcome is unknown until a block shows it. */
export function explainUnordered({ transaction, wants }: Contender, { policy }: Situation): readonly Decision[] {
  if (!isFcfs(policy) || wants !== 'noOp') return []
  return explain(transaction, { condition: 'outcome_unknown', facts: {} })
}

/**
 * Whether nothing can take the nonce any more: the sequencer answered with the receipt of the payload, or says that the nonce is
 * spent. It also says so to a repeat of bytes that it ordered, before any block shows them. An accepted hash proves nothing: Arbitrum
 * announced answers that come before the order, and a transaction that was accepted may then be lost.
 */
export function isOrdered({ lifecycle }: InPhase<'inFlight'>, situation: Situation): boolean {
  const { observation, policy, now } = situation
  if (!isFcfs(policy)) return false
  return payloadAttempts(lifecycle.attempts).some((attempt) => {
    const { broadcast } = attempt
    if (!isNonceSpent(attempt) || broadcast.state !== 'handed') return false
    // Another nonce comes first, so blocks prove nothing.
    if (lifecycle.nonce > observation.nonce) return true
    const waitedMs = now - broadcast.at
    const { timestampMs } = observation.head
    const isForgotten =
      hasHad(policy.bumpAfter, attempt, situation) &&
      (waitedMs < 0 || waitedMs >= forgottenAfterMs(situation)) &&
      (timestampMs > broadcast.at || waitedMs >= staleHeadMs)
    return !isForgotten
  })
}

/** Whether the sequencer ordered the payload between two reads of the attempts. Then a decision on the earlier read no longer holds. */
export function wasOrderedSince(earlier: readonly Attempt[], now: readonly Attempt[], policy: Rules): boolean {
  if (!isFcfs(policy)) return false
  return payloadAttempts(now).some((attempt) => {
    if (!isNonceSpent(attempt)) return false
    const before = attemptWith(earlier, attempt.hash)
    return !before || !isNonceSpent(before) || answeredAt(before) !== answeredAt(attempt)
  })
}

function answeredAt({ broadcast }: Attempt): TimestampMs | undefined {
  return broadcast.state === 'handed' ? broadcast.at : undefined
}

/** Age of an answer beyond which the head counts as newer: the clocks of the machine and of the chain differ. */
const staleHeadMs = 60_000

/** Time after which a block would show an ordered payload. The head at its signature may have been old, so blocks alone don't count. */
function forgottenAfterMs({ observation, policy }: Situation): number {
  const { bumpAfter, profile } = policy
  const shown = { ...bumpAfter, blocks: bumpAfter.blocks + 1 }
  return Math.max(profile.keepsFutureNonceMs ?? 0, lastsMs(shown, observation, policy))
}

/**
 * The price where transactions are ordered as they come: the market's, however many tries came before. A higher
 * price buys nothing there, so the only price that is too low is one below the base fee.
 */
export function bidOnArrival(bidder: Bidder, market: Market, policy: BidRules): Bid | undefined {
  if (!isFcfs(policy)) return undefined
  const { transaction, own, speed } = bidder
  const { kind } = transaction.lifecycle.attempts[0].fees
  const wanted = escalatedFees(market, { speed, tries: 0, kind })
  const cap = bidder.cap ?? priceCeiling(market, speed, bidder.purpose, policy.profile)
  const affordable = affordablePrice(bidder)
  const isFundsLower = affordable !== undefined && affordable < cap
  const fees = lowered(wanted, isFundsLower ? affordable : cap)
  const least = market.baseFee ?? feeCap(wanted)
  if (feeCap(fees) < least)
    return { kind: 'wait', until: isFundsLower ? 'funds' : bidder.cap === undefined ? 'ceiling' : 'cap', wanted }
  const latest = own.at(-1)
  const signed = equalAttempt(bidder, fees)
  // A new attempt has to differ in what the last one lacked.
  const repeated = signed ?? (latest && !isBetter(fees, latest, bidder, market) ? latest : undefined)
  return repeated ? { kind: 'repeat', attempt: repeated } : { kind: 'sign', fees }
}

function isBetter(fees: Fees, latest: Attempt, { funds }: Bidder, market: Market): boolean {
  const isShort = funds !== undefined && upfrontCost(0n, latest.gasLimit, latest.fees) > funds
  if (isShort || rejectionOf(latest)?.code === 'insufficientFunds') return feeCap(fees) < feeCap(latest.fees)
  return feeCap(fees) > feeCap(latest.fees) || (isNoOp(latest) && lacksGas(latest, market))
}

/** The attempts that a bid has to replace: none where nothing is replaced. */
export function rivalsOf(transaction: InPhase<'inFlight'>, policy: Pool): readonly Attempt[] {
  return isFcfs(policy) ? [] : rivalsInPools(transaction)
}

/** The blocks that could have held bytes which the sequencer has: it leaves nothing out, at whatever price. */
export function blocksOnArrival(passed: number, policy: Rules): number | undefined {
  return isFcfs(policy) ? passed : undefined
}

/** Why another bid is due, at most once a block. There a price buys nothing beyond the least one. Undefined: the usual reasons hold. */
export function reasonOnArrival(
  contender: Contender,
  latest: Attempt,
  situation: Situation,
): ReasonToBid | 'none' | undefined {
  const { observation, policy } = situation
  if (!isFcfs(policy)) return undefined
  if (!hasHadBlock(latest, situation)) return 'none'
  if (isBelowBaseFee(latest, observation)) return 'belowBaseFee'
  const code = rejectionOf(latest)?.code
  if (code === 'insufficientFunds' || isAboveBalance(contender.transaction, latest, observation)) return 'unfunded'
  const isRejected = wasAlwaysRejected(latest) && (code === 'feeTooLow' || code === 'replacementUnderpriced')
  return isRejected ? 'outpriced' : 'none'
}

/** Whether a no-op with too little gas is due for another. A sequencer may drop it without a word. Undefined: a node's word decides. */
export function isTightOnArrival(latest: Attempt, situation: Situation): boolean | undefined {
  return isFcfs(situation.policy) ? hasHadBlock(latest, situation) : undefined
}

/** Whether the sequencer may have dropped the next nonce's bytes in silence, as one does that accepts before it orders. */
export function mayBeLeftOut(latest: Attempt, { observation, policy }: Situation): boolean {
  return isFcfs(policy) && latest.nonce === observation.nonce && wasTaken(latest)
}

/** Whether the sequencer leaves the attempt out, in silence, as the balance does not cover it. */
export function isLeftOut(
  transaction: InPhase<'inFlight'>,
  attempt: Attempt,
  { observation, policy }: Situation,
): boolean {
  return isFcfs(policy) && isAboveBalance(transaction, attempt, observation)
}

/** Whether the count is read anew: without its receipt, only the count shows that an accepted transaction is mined, and a no-op too late. */
export function wantsCount(inFlight: readonly InPhase<'inFlight'>[], policy: Pool): boolean {
  return isFcfs(policy) && inFlight.some(({ cancellation }) => cancellation)
}

/** The levels of pre-signed no-ops: a higher price buys nothing, so one suffices. */
export function levelsOnArrival(levels: number, policy: Rules): number {
  return isFcfs(policy) ? Math.min(1, levels) : levels
}

/**
 * Whether a cancellation would need a no-op: the sequencer that accepted a payload has ordered it, and one that rejected it has not. A no-op
 * helps in between. Undefined: it needs one if a node may have the payload.
 */
export function isExposedOnArrival(attempts: readonly Attempt[], policy: Rules): boolean | undefined {
  return isFcfs(policy) ? attempts.some(isOutcomeUnknown) : undefined
}

function isOutcomeUnknown({ broadcast }: Attempt): boolean {
  return broadcast.state === 'handed' && broadcast.outcome.kind === 'unknown'
}

function isOrderStrict({ keepsFutureNonceMs = 0 }: DecisionProfile): boolean {
  return keepsFutureNonceMs > 0
}

/** The work with the part of the queue that may get a nonce in this step. A gap is filled at once: all others wait for it. */
export function queueAllowedNow(work: Work, observation: Observation, { profile }: NetworkPolicy): Work {
  if (!isOrderStrict(profile)) return work
  const isAwaited = !inFlightOf(work).every(hasTakenNonce) && lowestGap(work, observation) === undefined
  return { ...work, queued: isAwaited ? [] : work.queued, bindsMax: 1 }
}

/** The room in flight. Behind a nonce whose receipt is missing none is made: what lies above a gap would be lost there. */
export function roomOnArrival(
  work: Pick<Work, 'relayer' | 'window'>,
  seen: Pick<Observation, 'nonce' | 'delegated'>,
  profile: DecisionProfile,
): Room {
  return roomBy(work, isOrderStrict(profile) ? { ...seen, nonce: 0 } : seen)
}

/** Whether the next step may bind another nonce at once. */
export function mayBindMore(work: Work, decisions: readonly Decision[], { profile }: NetworkPolicy): boolean {
  return isOrderStrict(profile) && work.queued.length > 1 && decisions.some((each) => each.do === 'assignNonce')
}

/** Whether a decision's bytes may be broadcast now. A no-op does not wait: a race is lost by waiting. */
export function mayBroadcastNow(decision: Decision, work: Work, { profile }: NetworkPolicy): boolean {
  if (!isOrderStrict(profile)) return true
  if (decision.do !== 'rebroadcast' && decision.do !== 'bump' && decision.do !== 'replace') return true
  if (decision.do === 'rebroadcast' && isNoOp(decision.attempt)) return true
  const { nonce } = decision.transaction.lifecycle
  return inFlightOf(work).every((each) => each.lifecycle.nonce >= nonce || hasTakenNonce(each))
}

/** Whether an answer shows that the nonce is taken. The head may not show it yet: its node may be behind the sequencer. */
function hasTakenNonce({ lifecycle }: InPhase<'inFlight'>): boolean {
  return lifecycle.attempts.some((attempt) => isNonceTaken(attempt) || wasTakenBefore(attempt))
}

/** Whether a node accepted an earlier broadcast of the bytes. A repeat without an answer takes back no acceptance. */
function wasTakenBefore(attempt: Attempt): boolean {
  const { broadcast } = attempt
  return broadcast.state === 'handed' && broadcast.outcome.kind === 'unknown' && takenAtOf(attempt) !== undefined
}
