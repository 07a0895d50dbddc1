// Which of a relayer's matches a bulk cancellation takes within its limit of cost: only what costs nothing, or no more than
// `max_cost` together. The cost of each is the most that its no-op, and the gap filler that its cancellation makes necessary,
// may cost at the last observed price.
import { isNoOp, mayBeKnown } from '../attempt.ts'
import { type CostBy, type CostLimit, type NotTaken, type ObservedPrice, restOf } from '../cost-limit.ts'
import type { StoredWork } from '../decide/plan/work.ts'
import { nextBid } from '../decide/race/bid.ts'
import { gapFillerFees } from '../decide/rules/gap-fillers.ts'
import { noOpContender } from '../decide/terms/contender.ts'
import { inFlightMaxOf } from '../decide/terms/window.ts'
import { escalationMultiple, strictestRule } from '../fees.ts'
import type { RelayerId, TransactionId } from '../ids.ts'
import { costOfNoOps, noOpCost, noOpGasLimit } from '../no-op.ts'
import { isPaused } from '../pause.ts'
import type { NetworkPolicy } from '../relayer.ts'
import { type InPhase, isInPhase, neverReachedANode, type Transaction } from '../transaction.ts'
import { compareWei, type Gas, maxWei, type Nonce, type Wei } from '../units.ts'

export interface Matched {
  readonly work: Pick<StoredWork, 'relayer' | 'floor' | 'open' | 'confirmedNotFinal'>
  /** Whether the filter matches an open transaction. One that a cancel refuses, or a gap filler, never matches. */
  readonly covers: (transaction: Transaction) => boolean
  /** The first of the queue that stay there, in order: the filter does not match them. */
  readonly staying: readonly Transaction[]
  /** Whether the same commit pauses the relayer. */
  readonly pauses: boolean
}

export type MatchChoice = {
  readonly id: TransactionId
  readonly nonce: Nonce
} /** `share`: 0 without a price. `most`: what its no-op can come to cost, priced anew block after block. */ & (
  | { readonly taken: true; readonly share: Wei; readonly by?: CostBy; readonly most?: Wei }
  | { readonly taken: false; readonly why: NotTaken }
)

export interface Choices {
  /** One choice for each match with a nonce, cheapest first. A match without a nonce is free, and not listed. */
  readonly choices: readonly MatchChoice[]
  /** The sum of the shares. */
  readonly spent: Wei
}

/**
 * Takes matches, cheapest first, and the lowest nonce first among equals. A match that no longer fits is passed: a later one is no
 * cheaper.
 *
 * `price` is absent only where the limit needs none (needsPrice). Without a limit, each match is taken.
 */
export function chooseWithin(
  matched: Matched,
  limit: CostLimit | undefined,
  policy: NetworkPolicy,
  price: ObservedPrice | undefined,
): Choices {
  let spent = 0n
  const choices = costsOf(matched, policy, price).map(({ id, nonce, ...cost }): MatchChoice => {
    const { by } = cost
    if (by === undefined) return { id, nonce, taken: true, share: 0n }
    const why = whyLeft({ ...cost, by }, limit, spent)
    if (why) return { id, nonce, taken: false, why }
    const share = cost.cost ?? 0n
    spent += share
    return { id, nonce, taken: true, share, by, ...(cost.most !== undefined && { most: cost.most }) }
  })
  return { choices, spent }
}

function whyLeft(
  { by, cost }: Pick<Cost, 'cost'> & { readonly by: CostBy },
  limit: CostLimit | undefined,
  spent: Wei,
): NotTaken | undefined {
  if (!limit) return undefined
  if (limit.only !== undefined || cost === undefined) {
    return { reason: 'costs', facts: { by, ...(cost !== undefined && { cost }) } }
  }
  const left = limit.maxCost - spent
  return cost > left ? { reason: 'beyond_max_cost', facts: { by, cost, left } } : undefined
}

export interface RelayerMatch extends Matched {
  readonly policy: NetworkPolicy
  readonly price: ObservedPrice | undefined
}

/** Chooses for all relayers in their order, as if committed one after the other: for a preview. */
export function chooseInOrder(
  relayers: readonly RelayerMatch[],
  limit: CostLimit | undefined,
): readonly (Choices & { readonly relayerId: RelayerId })[] {
  const committed: Wei[] = []
  return relayers.map(({ policy, price, ...matched }) => {
    const chosen = chooseWithin(matched, limit && restOf(limit, committed), policy, price)
    committed.push(chosen.spent)
    return { relayerId: matched.work.relayer.id, ...chosen }
  })
}

interface Cost {
  readonly id: TransactionId
  readonly nonce: Nonce
  /** The reason of the cost. Absent: it costs nothing. */
  readonly by?: CostBy
  /** The cost at the observed price. Absent without a price. */
  readonly cost?: Wei
  /** The most that it can come to cost. Absent without a price. */
  readonly most?: Wei
}

function costsOf(matched: Matched, policy: NetworkPolicy, price: ObservedPrice | undefined): readonly Cost[] {
  const gas = noOpGasLimit(price?.market, policy.profile)
  const priced = price && gas !== undefined ? { ...price, gas, policy, work: matched.work } : undefined
  const gapFillers = gapFillersNeeded(matched)
  return matched.work.open
    .filter((each) => isInPhase(each, 'inFlight', 'mined'))
    .filter(matched.covers)
    .map((each): Cost => {
      const of = { id: each.id, nonce: each.lifecycle.nonce }
      // A block has spent its nonce, and no no-op is signed for it.
      if (!isInPhase(each, 'inFlight')) return of
      if (!neverReachedANode(each))
        return { ...of, by: 'no_op', ...(priced && upFrom(costOfRace(each, priced), priced)) }
      if (!gapFillers.has(each.lifecycle.nonce)) return of
      return { ...of, by: 'gap_filler', ...(priced && upFrom(costOfGapFiller(priced), priced)) }
    })
    .sort((one, other) => compareWei(one.cost ?? 0n, other.cost ?? 0n) || one.nonce - other.nonce)
}

/**
 * The nonces of unsent matches that need a gap filler: a nonce above them stays in use, and the queue does not take them. The
 * queue takes the lowest first, and gaps that are open already count among them.
 */
function gapFillersNeeded({ work, covers, staying, pauses }: Matched): ReadonlySet<Nonce> {
  const bound = work.open.filter((each) => isInPhase(each, 'inFlight'))
  const given = bound.filter((each) => covers(each) && neverReachedANode(each)).map(({ lifecycle }) => lifecycle.nonce)
  const kept = new Set(bound.map(({ lifecycle }) => lifecycle.nonce).filter((nonce) => !given.includes(nonce)))
  const highest = Math.max(-1, ...kept)
  const below = given.filter((nonce) => nonce < highest).sort((one, other) => one - other)
  const from = Math.max(work.floor.spentBelow, (work.confirmedNotFinal?.nonce ?? -1) + 1)
  const openGaps = Math.max(0, highest - from - countBetween(work, from, highest))
  const room = Math.max(0, inFlightMaxOf(work.relayer) - kept.size)
  const ready = isPaused(work.relayer) || pauses ? 0 : Math.min(room, readyOf(staying))
  return new Set(below.slice(Math.max(0, ready - openGaps)))
}

/** Counts the nonces of open transactions from `from` up to `to`. */
function countBetween({ open }: Matched['work'], from: Nonce, to: Nonce): number {
  const nonces = open.flatMap(({ lifecycle }) => ('nonce' in lifecycle ? [lifecycle.nonce] : []))
  return nonces.filter((nonce) => nonce >= from && nonce < to).length
}

/** Counts the queued transactions that wait for nothing but a nonce. First in, first out: one that waits blocks those behind it. */
function readyOf(staying: readonly Transaction[]): number {
  const waiting = staying.findIndex(({ wait, suspectedNoOp }) => wait !== undefined || suspectedNoOp !== undefined)
  return waiting < 0 ? staying.length : waiting
}

interface Priced extends ObservedPrice {
  readonly gas: Gas
  readonly policy: NetworkPolicy
  readonly work: Matched['work']
}

/** The most that a no-op can cost that is signed at this price, or that was signed before. */
function costOfRace(transaction: InPhase<'inFlight'>, { gas, market, block, policy, work }: Priced): Wei {
  const { own, speed, limit } = noOpContender(transaction, { work, policy })
  const bidder = { transaction, own, purpose: 'noOp', speed, gas, cap: limit.cap, funds: undefined } as const
  // The dearer: where the blocks of a raised tip have passed, its time may have, too.
  const now = Number.POSITIVE_INFINITY
  const seen = { head: { number: block }, nonce: work.floor.spentBelow, rule: strictestRule, now }
  const bid = nextBid(bidder, seen, market, policy)
  const next =
    bid.kind === 'repeat'
      ? noOpCost(bid.attempt.gasLimit, bid.attempt.fees, market)
      : noOpCost(gas, bid.kind === 'sign' ? bid.fees : bid.wanted, market)
  const signed = transaction.lifecycle.attempts
    .filter((attempt) => isNoOp(attempt) && mayBeKnown(attempt))
    .map(({ gasLimit, fees }) => noOpCost(gasLimit, fees, market))
  return maxWei(next, ...signed)
}

function costOfGapFiller({ gas, market, policy, work }: Priced): Wei {
  return noOpCost(gas, gapFillerFees(work.relayer, market, policy), market)
}

/**
 * The cost and the most that it may become. With `cancel_gas_price_cap` the cap is the limit of later bids. Without one the price
 * has no limit, and the most is as far above the present cost as the service's own bids go above the market.
 */
function upFrom(cost: Wei, { gas, market, work }: Priced): Pick<Cost, 'cost' | 'most'> {
  const { cancelGasPriceCap: cap } = work.relayer.policies
  const most = cap === undefined ? escalationMultiple * cost : costOfNoOps(1, gas, cap, market)
  return { cost, most: maxWei(cost, most) }
}
