// A transaction in flight that is not canceled: its payload contends for the nonce, or the payload that replaced it,
// or a sweep of a lower value.
import { newest } from '../../attempt.ts'
import { higher } from '../../fees.ts'
import { l1FeeOf } from '../../l1-fee.ts'
import { isSweep, sweptValue } from '../../sweep.ts'
import { awaitsReplacement, type InPhase, neverReachedANode, revisionOf } from '../../transaction.ts'
import type { Wei } from '../../units.ts'
import type { Steps } from '../plan/decision.ts'
import type { Situation } from '../plan/work.ts'
import { countedBalance } from '../rules/gas-reserve.ts'
import { untouchable } from '../rules/sweeps.ts'
import { payloadContender, replacementContender } from '../terms/contender.ts'
import { maxCostOf, spendable } from '../terms/funds.ts'
import { attemptsMax, usualFees } from '../terms/rivals.ts'
import { advance } from './advance.ts'
import { floorFor } from './bid.ts'

export function pursue(transaction: InPhase<'inFlight'>, situation: Situation): Steps {
  const steps = pursuePayload(transaction, situation)
  return isSweep(transaction) ? lowerIfShort(transaction, steps, situation) : steps
}

function pursuePayload(transaction: InPhase<'inFlight'>, situation: Situation): Steps {
  if (!awaitsReplacement(transaction)) return advance(payloadContender(transaction, situation), situation)
  // From the replacement on, no attempt of the old payload is broadcast again.
  if (neverReachedANode(transaction)) return [{ do: 'unbind', transaction }]
  return advance(replacementContender(transaction, situation), situation)
}

/**
 * Lowers the value of a sweep whose account pays for it no more: the balance fell, or the market rose beyond what the sweep left.
 * Other payloads wait for money; a sweep sends less. The lower value replaces the other at the same nonce, so the chain executes
 * one of them. `steps`: the next steps of any payload. No attempt of the higher value is broadcast again.
 */
function lowerIfShort(transaction: InPhase<'inFlight'>, steps: Steps, situation: Situation): Steps {
  if (!steps.some(isShort)) return steps
  const value = payableValue(transaction, situation)
  const isLower = value !== undefined && value > 0n && value < transaction.payload.value
  return isLower && revisionOf(transaction) < attemptsMax ? [{ do: 'lowerValue', transaction, value }] : steps
}

/** Whether a step explains a shortage that does not end by itself. */
function isShort(each: Steps[number]): boolean {
  if ('lacks' in each || each.do !== 'explain' || each.condition !== 'balance_short') return false
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
