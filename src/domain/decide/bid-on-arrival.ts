// The price where transactions are ordered as they come: the market's, however many tries came before. A higher price buys
// nothing there, so the only price that is too low is one below the base fee.
import { escalatedFees, feeCap, isSame, lowered, type Market } from '../fees.ts'
import type { Bid, Bidder } from './bidder.ts'

export function bidOnArrival({ transaction, own, speed, gas, cap, funds }: Bidder, market: Market): Bid {
  const { kind } = transaction.lifecycle.attempts[0].fees
  const wanted = escalatedFees(market, { speed, tries: 0, kind })
  const affordable = funds === undefined ? undefined : funds < 0n ? 0n : funds / BigInt(gas)
  const isFundsLower = affordable !== undefined && (cap === undefined || affordable < cap)
  const fees = lowered(wanted, isFundsLower ? affordable : cap)
  const least = market.baseFee ?? feeCap(wanted)
  if (feeCap(fees) < least) return { kind: 'wait', until: isFundsLower ? 'funds' : 'cap', wanted }
  const latest = own.at(-1)
  const signed = own.find(
    (attempt) => isSame(attempt.fees, fees) && attempt.revision === latest?.revision && attempt.gasLimit >= gas,
  )
  return signed ? { kind: 'repeat', attempt: signed } : { kind: 'sign', fees }
}
