// The price where transactions are ordered as they come: the market's, however many tries came before. A higher price buys
// nothing there, so the only price that is too low is one below the base fee.
import { type Attempt, isNoOp, rejectionOf } from '../../attempt.ts'
import { escalatedFees, type Fees, feeCap, lowered, type Market } from '../../fees.ts'
import { lacksGas } from '../../no-op.ts'
import { type CeilingRules, priceCeiling } from '../../price-ceiling.ts'
import { upfrontCost } from '../queue/funds.ts'
import { type Bid, type Bidder, equalAttempt } from './bidder.ts'

export function bidFcfs(bidder: Bidder, market: Market, profile: CeilingRules): Bid {
  const { transaction, own, speed, gas, funds } = bidder
  const { kind } = transaction.lifecycle.attempts[0].fees
  const wanted = escalatedFees(market, { speed, tries: 0, kind })
  const cap = bidder.cap ?? priceCeiling(market, speed, bidder.purpose, profile)
  const affordable = funds === undefined ? undefined : funds < 0n ? 0n : funds / BigInt(gas)
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
