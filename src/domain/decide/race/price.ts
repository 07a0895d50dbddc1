// The only place that bids for a contender: at the fees that its client named, or at those of the market.
import { covers, type Fees, feeCap, type Market } from '../../fees.ts'
import type { Gas, Wei } from '../../units.ts'
import type { Situation } from '../plan/work.ts'
import { bidWithin } from '../rules/cost-bound.ts'
import type { Bid, Bidder } from '../terms/bidder.ts'
import { type Contender, purposeOf } from '../terms/contender.ts'
import { upfrontCost } from '../terms/funds.ts'
import { usualFees } from '../terms/rivals.ts'
import { floorFor, nextBid } from './bid.ts'
import { fundsOf } from './gas-and-funds.ts'

interface Terms {
  readonly gas: Gas
  readonly market: Market
  /** The balance of the account. Absent: funds set no limit. */
  readonly balance?: Wei | undefined
}

export function price(contender: Contender, { gas, market, balance }: Terms, situation: Situation): Bid {
  const { transaction, wants, own, speed, limit, named } = contender
  const { observation, policy, now } = situation
  const funds = balance === undefined ? undefined : fundsOf(contender, balance, market, situation)
  // The account cannot pay its value alone.
  if (wants === 'replacement' && funds !== undefined && funds < 0n) {
    return { kind: 'wait', until: 'funds', wanted: named ?? usualFees(contender, market) }
  }
  const bidder = { transaction, own, purpose: purposeOf(contender), speed, gas, cap: limit.cap, funds }
  if (named) return bidAsNamed(named, floorFor(transaction, market, observation, policy), bidder)
  // The bound wraps the bid of either order.
  return bidWithin(bidder, market, policy.profile, (each) => nextBid(each, { ...observation, now }, market, policy))
}

/** Bids the fees that the client named, even if they do not suffice. The cap may be below them by now. */
function bidAsNamed(named: Fees, floor: Fees | undefined, { gas, cap, funds }: Bidder): Bid {
  if (cap !== undefined && feeCap(named) > cap) return { kind: 'wait', until: 'cap', wanted: named }
  const suffices = !floor || (named.kind === floor.kind && covers(named, floor))
  if (!suffices) return { kind: 'wait', until: 'named', wanted: floor }
  const isShort = funds !== undefined && upfrontCost(0n, gas, named) > funds
  return isShort ? { kind: 'wait', until: 'funds', wanted: named } : { kind: 'sign', fees: named }
}
