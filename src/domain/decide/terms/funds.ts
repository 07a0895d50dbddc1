// What an account can still pay: the balance less the cost of transactions in flight, and less the reserve for a
// cancellation.
import { type Attempt, isNoOp, newest, wasAlwaysRejected } from '../../attempt.ts'
import { type Fees, feeCap, type Market, marketFees } from '../../fees.ts'
import { isNonEmpty, type NonEmpty } from '../../ids.ts'
import { l1FeeOf } from '../../l1-fee.ts'
import { noOpCost, noOpReserve } from '../../no-op.ts'
import type { Observation } from '../../observation.ts'
import type { NetworkPolicy, Relayer } from '../../relayer.ts'
import { type InPhase, isInPhase, type Payload } from '../../transaction.ts'
import { type Gas, maxWei, type Nonce, type Wei } from '../../units.ts'
import type { Decision } from '../plan/decision.ts'
import { inFlightOf, type Work } from '../plan/work.ts'

/** The balance that a pool demands (geth `core/types/transaction.go`, Cost). */
export function upfrontCost(value: Wei, gasLimit: Gas, fees: Fees): Wei {
  return value + BigInt(gasLimit) * feeCap(fees)
}

export function usesEip1559(relayer: Relayer, policy: NetworkPolicy): boolean {
  return policy.eip1559 && relayer.policies.eip1559Pricing
}

/** The balance that sends leave untouched, so that a cancellation can be paid. */
export function reserveOf(relayer: Relayer, market: Market, policy: NetworkPolicy): Wei {
  const { cancelReserve } = relayer.policies
  const fees = marketFees(market, 'fastest', usesEip1559(relayer, policy))
  return cancelReserve ?? 2n * noOpReserve(fees, market, policy.profile)
}

/** Whether the balance is a remembered one, and may have been topped up since. */
export function isRemembered({ head, balanceReadAt }: Pick<Observation, 'head' | 'balanceReadAt'>): boolean {
  return balanceReadAt !== undefined && balanceReadAt !== head.number
}

/** The balance is without the cost of nonces below: it was read at the count's own head. Where payments count later, both are of an earlier one. */
export function paidBelow({
  nonce,
  head,
  balanceReadAt,
  lagged,
}: Pick<Observation, 'nonce' | 'head' | 'balanceReadAt' | 'lagged'>): Nonce {
  return balanceReadAt === head.number ? Math.min(nonce, lagged?.nonce ?? nonce) : 0
}

/** `paid`: nonces below are spent in the balance. */
export function spendable(work: Work, balance: Wei, market: Market, reserve: Wei, paid: Nonce = 0): Wei {
  const live = inFlightOf(work).filter(({ lifecycle }) => lifecycle.nonce >= paid)
  const unsigned = work.unsignedCost ?? 0n
  return live.reduce((left, transaction) => left - maxCostOf(transaction, market), balance - reserve - unsigned)
}

/** What further sends may use: the balance without min_balance, the reserve, and all that is in flight. */
export function freeFunds(work: Work, observation: Observation, policy: NetworkPolicy): Wei | undefined {
  const { balance, market, nonce } = observation
  if (balance === undefined || !market) return undefined
  const kept = work.relayer.policies.minBalance + reserveOf(work.relayer, market, policy)
  return spendable(work, balance, market, kept, paidBelow(observation)) - minedAhead(work, nonce, market)
}

/**
 * The cost of transactions in blocks above the observed head, where the balance still includes it. `nonce` is the
 * account's at the head.
 */
export function minedAhead({ open }: Work, nonce: Nonce, market: Market): Wei {
  const mined = open.filter((transaction) => isInPhase(transaction, 'mined'))
  return mined.reduce((sum, each) => (each.lifecycle.nonce < nonce ? sum : sum + maxCostOf(each, market)), 0n)
}

/** The most that an attempt of a transaction can cost. One that every node rejected costs nothing while a block may hold another. */
export function maxCostOf(transaction: InPhase<'inFlight' | 'mined'>, market: Market): Wei {
  const costs = minableAttempts(transaction.lifecycle.attempts).map((attempt) => costOf(transaction, attempt, market))
  return maxWei(0n, ...costs)
}

/** Attempts that a block may still hold. */
export function minableAttempts(attempts: NonEmpty<Attempt>): NonEmpty<Attempt> {
  const minable = attempts.filter((attempt) => !wasAlwaysRejected(attempt))
  return isNonEmpty(minable) ? minable : [newest(attempts)]
}

/** The cost that a decision to sign adds to the most that an open transaction may cost. */
export function addedBy(decision: Decision, market: Market): Wei {
  const { do: what } = decision
  if (what !== 'bump' && what !== 'replace' && what !== 'signNoOp') return 0n
  const { transaction, gasLimit, fees } = decision
  const cost =
    what === 'signNoOp' ? noOpCost(gasLimit, fees, market) : payloadCost(transaction.payload, decision, market)
  return maxWei(0n, cost - maxCostOf(transaction, market))
}

/** The balance that one attempt needs, with its fee for data on L1. */
export function costOf(
  { payload, earlier }: InPhase<'inFlight' | 'mined'>,
  attempt: Attempt,
  market: Pick<Market, 'noOpL1Fee' | 'l1FeePerByte'>,
): Wei {
  const { revision = 0, gasLimit, fees } = attempt
  if (isNoOp(attempt)) return noOpCost(gasLimit, fees, market)
  return payloadCost(earlier?.[revision] ?? payload, attempt, market)
}

/** Whether the balance that was read does not cover the attempt. A sequencer that accepts before it orders leaves it out silently. */
export function isAboveBalance(
  transaction: InPhase<'inFlight'>,
  attempt: Attempt,
  { balance, market }: Pick<Observation, 'balance' | 'market'>,
): boolean {
  return balance !== undefined && costOf(transaction, attempt, market ?? {}) > balance
}

/** The most that an attempt of a payload costs, with its fee for data on L1. */
export function payloadCost(
  payload: Payload,
  { gasLimit, fees }: Pick<Attempt, 'gasLimit' | 'fees'>,
  market: Pick<Market, 'noOpL1Fee' | 'l1FeePerByte'>,
): Wei {
  return upfrontCost(payload.value + l1FeeOf(payload, market), gasLimit, fees)
}
