// The payload of a PUT: it contends for the nonce with the older payloads of its transaction, and with no attempt of its own yet.

import { type Attempt, newest } from '../../attempt.ts'
import { type Fees, feeCap, marketFees, replacementFloor, tipOf } from '../../fees.ts'
import { forbids } from '../../forbid.ts'
import { isNonEmpty, type NonEmpty } from '../../ids.ts'
import { l1FeeOf } from '../../l1-fee.ts'
import { isFcfs } from '../../profile.ts'
import type { InPhase } from '../../transaction.ts'
import type { Gas, Wei } from '../../units.ts'
import { type Decision, explain, type NeedsBalance } from '../plan/decision.ts'
import type { Situation } from '../plan/situation.ts'
import { promisedTo, spendable, upfrontCost } from '../queue/funds.ts'
import { nextBid, rivalsOf } from './bid.ts'
import type { Bid } from './bidder.ts'
import { explainCeiling, explainUnfunded } from './explain-contender.ts'
import { isOrdered } from './ordered.ts'

/** Signs the new payload over every attempt of the old ones, or explains why that has to wait. */
export function takeOverWithPayload(
  transaction: InPhase<'inFlight'>,
  situation: Situation,
): (Decision | NeedsBalance)[] {
  const { work, observation, policy } = situation
  // The answer came after the PUT.
  if (isFcfs(policy) && isOrdered(transaction, situation)) {
    return explain(transaction, { condition: 'already_ordered', facts: { of: 'replacement' } })
  }
  const forbidden = forbids(work.relayer, transaction.payload)
  if (forbidden !== undefined) return explain(transaction, { condition: 'policy', facts: { forbidden } })
  const { market, estimates } = observation
  const { attempts } = transaction.lifecycle
  const estimate = estimates.get(transaction.id)
  if (estimate?.kind === 'reverts') {
    return explain(transaction, { condition: 'would_revert', facts: { of: 'replacement', words: estimate.reason } })
  }
  const gasLimit: Gas | undefined =
    transaction.payload.gasLimit ?? (estimate?.kind === 'gas' ? estimate.gas : undefined)
  if (!market) return []
  if (gasLimit === undefined)
    return estimate ? explain(transaction, { condition: 'gas_unknown', facts: { of: 'replacement' } }) : []

  if (observation.balance === undefined) return [{ do: 'readBalance' }]
  const { value, pricing } = transaction.payload
  const onL1 = l1FeeOf(transaction.payload, market)
  // One of the two payloads is executed, and not both.
  const funds = spendable(work, observation.balance, market, policy) + promisedTo(transaction, market) - value - onL1
  if (funds < 0n) {
    const usual = pricing.kind === 'speed' ? marketFees(market, pricing.speed, isEip1559(attempts)) : pricing
    return explainUnfunded(transaction, market, usual, gasLimit)
  }
  const cap = work.relayer.policies.gasPriceCap
  const { profile } = policy
  const rivals = isFcfs(policy) ? [] : rivalsOf(attempts)
  const floor = isNonEmpty(rivals) ? replacementFloor(rivals, market, observation.rule) : undefined
  const bid =
    pricing.kind === 'speed'
      ? // The new payload has no attempt yet.
        nextBid(
          { transaction, own: [], purpose: 'payload', speed: pricing.speed, gas: gasLimit, cap, funds },
          observation,
          market,
          {
            profile,
          },
        )
      : bidAsNamed(pricing, { cap, funds, gasLimit, floor })
  if (bid.kind === 'sign') return [{ do: 'replace', transaction, fees: bid.fees, gasLimit }]
  if (bid.kind === 'wait' && bid.until === 'ceiling') return explainCeiling(transaction, bid.wanted, 'gas_price_cap')
  if (bid.kind === 'wait' && bid.until === 'funds') return explainUnfunded(transaction, market, bid.wanted, gasLimit)
  const needed = floor && { perGas: feeCap(floor), tip: tipOf(floor) }
  const isCapped = pricing.kind === 'speed' || exceeds(pricing, cap)
  const over = newest(attempts).hash
  return explain(transaction, {
    condition: isCapped ? 'gas_price_cap' : 'own_price',
    facts: {
      of: 'replacement',
      over,
      ...(needed && { needed }),
    },
  })
}

function isEip1559([first]: NonEmpty<Attempt>): boolean {
  return first.fees.kind === 'eip1559'
}

/** A client's own price suffices, exceeds the funds, or has to wait. */
function bidAsNamed(
  pricing: Fees,
  { cap, funds, gasLimit, floor }: { cap: Wei | undefined; funds: Wei; gasLimit: Gas; floor: Fees | undefined },
): Bid {
  const fees = ownFees(pricing, floor, cap)
  if (!fees) return { kind: 'wait', until: 'cap', wanted: floor ?? pricing }
  return upfrontCost(0n, gasLimit, fees) > funds
    ? { kind: 'wait', until: 'funds', wanted: fees }
    : { kind: 'sign', fees }
}

/** Fees that the client named are its limit, even if they do not suffice. The cap may be below them by now. */
function ownFees(pricing: Fees, floor: Fees | undefined, cap: Wei | undefined): Fees | undefined {
  if (exceeds(pricing, cap)) return undefined
  if (!floor) return pricing
  const suffices = pricing.kind === floor.kind && feeCap(pricing) >= feeCap(floor) && tipOf(pricing) >= tipOf(floor)
  return suffices ? pricing : undefined
}

function exceeds(fees: Fees, cap: Wei | undefined): boolean {
  return cap !== undefined && feeCap(fees) > cap
}
