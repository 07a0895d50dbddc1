// A sweep whose account pays for it no more: the balance fell, or the market rose beyond what the sweep left. Other payloads wait for
// money; a sweep sends less. The lower value replaces the other at the same nonce, so the chain executes one of them.

import { newest } from '../../attempt.ts'
import { higher } from '../../fees.ts'
import { l1FeeOf } from '../../l1-fee.ts'
import { sweptValue } from '../../sweep.ts'
import { type InPhase, revisionOf } from '../../transaction.ts'
import type { Wei } from '../../units.ts'
import type { Decision, NeedsBalance } from '../plan/decision.ts'
import type { Situation } from '../plan/situation.ts'
import { maxCostOf, spendable } from '../queue/funds.ts'
import { countedBalance } from '../queue/reserve-balance.ts'
import { untouchable } from '../queue/sweeping.ts'
import { attemptsMax, floorFor, usualFees } from './bid.ts'
import { payloadContender } from './contender.ts'

type Steps = readonly (Decision | NeedsBalance)[]

/** `steps`: the next steps of any payload. No attempt of the higher value is broadcast again. */
export function lowerIfShort(transaction: InPhase<'inFlight'>, steps: Steps, situation: Situation): Steps {
  if (!steps.some(isShort)) return steps
  const value = payableValue(transaction, situation)
  const isLower = value !== undefined && value > 0n && value < transaction.payload.value
  return isLower && revisionOf(transaction) < attemptsMax ? [{ do: 'lowerValue', transaction, value }] : steps
}

/** Whether a step explains a shortage that does not end by itself. */
function isShort(each: Steps[number]): boolean {
  if (each.do !== 'explain' || each.condition !== 'balance_short') return false
  return each.facts.of === 'higherPrice' || each.facts.of === 'attempt'
}

/** The value that the account can pay for, at a price that replaces every attempt that a pool may hold. */
function payableValue(transaction: InPhase<'inFlight'>, situation: Situation): Wei | undefined {
  const { work, observation, policy } = situation
  const { market } = observation
  const balance = market && countedBalance(work, observation, market, policy)
  if (!market || balance === undefined) return undefined
  const usual = usualFees(payloadContender(transaction, situation), market)
  const floor = floorFor(transaction, market, observation, policy)
  const cost = {
    gas: newest(transaction.lifecycle.attempts).gasLimit,
    fees: floor ? higher(floor, usual) : usual,
    l1Fee: l1FeeOf(transaction.payload, market),
  }
  const funds = spendable(work, balance, market, 0n) + maxCostOf(transaction, market)
  return sweptValue(funds - untouchable(policy.profile, observation), cost)
}
