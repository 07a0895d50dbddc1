// The bound of cost: a client cancels for no more than it names (`max_cost`, which a bulk cancellation shares among its matches).
//
// Any no-op that was signed may be the one that is mined, so each bid keeps within the bound, with its fee for data on L1. The race goes on
// below it. Without this file a bid would follow the market: at 21,000 gas and a bound of 0.001 ether, up to far more than 47 gwei.
// The promise: the cancellation costs at most its bound, and it waits (`cost_bound`) where that pays less than the
// base fee. Above the base fee it bids what it may, below the market.
//
// Without a bound each function changes nothing.
import { roughly } from '../../condition.ts'
import type { Fees, Market } from '../../fees.ts'
import { lacksL1Fee } from '../../l1-fee.ts'
import { noOpCost, type PresignedNoOp } from '../../no-op.ts'
import type { DecisionProfile } from '../../relayer.ts'
import type { InPhase, Transaction } from '../../transaction.ts'
import type { Gas, Wei } from '../../units.ts'
import { type Decision, explain } from '../plan/decision.ts'
import type { Bid, Bidder } from '../terms/bidder.ts'
import { usualFees } from '../terms/rivals.ts'

/** `nextBid` within the bound of the whole cost, as if the balance were no higher. */
export function bidWithin(
  bidder: Bidder,
  market: Market,
  profile: DecisionProfile,
  nextBid: (bidder: Bidder) => Bid,
): Bid {
  const costMax = boundOf(bidder.transaction)
  if (costMax === undefined) return nextBid(bidder)
  // Without the L1 fee the cost of a no-op is unknown.
  if (lacksL1Fee(profile, market)) {
    return { kind: 'wait', until: 'l1Fee', wanted: usualFees(bidder, market) }
  }
  const forGas = costMax - (market.noOpL1Fee ?? 0n)
  const isFundsLower = bidder.funds !== undefined && bidder.funds < forGas
  const bid = nextBid(isFundsLower ? bidder : { ...bidder, funds: forGas })
  if (bid.kind === 'wait' && bid.until === 'funds' && !isFundsLower) return { ...bid, until: 'bound' }
  // Gas may be free where data on L1 is not.
  const isAbove = bid.kind === 'sign' && noOpCost(bidder.gas, bid.fees, market) > costMax
  return isAbove ? { kind: 'wait', until: 'bound', wanted: bid.fees } : bid
}

/** Explains a bid that would exceed the bound. `wanted`: the least fees that it would need. */
export function explainBound(
  transaction: InPhase<'inFlight'>,
  { wanted, gas, market }: { wanted: Fees; gas: Gas; market: Market },
): readonly Decision[] {
  const facts = { costMax: boundOf(transaction) ?? 0n, cost: roughly(noOpCost(gas, wanted, market)) }
  return explain(transaction, { condition: 'cost_bound', facts })
}

/** Whether a no-op that was signed in advance keeps the bound. */
export function isWithinBound(
  transaction: Transaction,
  { gasLimit, fees }: Pick<PresignedNoOp, 'gasLimit' | 'fees'>,
  market: Market,
): boolean {
  const costMax = boundOf(transaction)
  return costMax === undefined || noOpCost(gasLimit, fees, market) <= costMax
}

/** Whether a price that was made for `known` keeps the bound, which may have changed since. */
export function keepsBound(known: Transaction, fresh: Transaction): boolean {
  const costMax = boundOf(fresh)
  return costMax === undefined || costMax === boundOf(known)
}

function boundOf({ cancellation }: Transaction): Wei | undefined {
  return cancellation?.costMax
}
