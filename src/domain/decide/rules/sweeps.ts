// The sweep: an operator empties an account (`POST …/sweep`), and its value is what the account can pay for when it gets its nonce.
//
// A sweep goes alone: everything before it has ended or is mined, and nothing gets a nonce beside it. It keeps its place in the queue, so
// what a client sends after it waits behind it. No pause holds it, and no reserve or minimum stays behind. Without this file a sweep of an
// account with 1 ether would send a fixed value, and leave the rest, or be short. The promise: it sends all but twice the cost of its gas, so
// that it can bid again: 0.99916 ether at 20 gwei. If the market rises or the balance falls, it sends less by the same nonce, never more.
//
// For every other transaction each function answers undefined, or what it was given.

import { newest } from '../../attempt.ts'
import { type Fees, higher, type Market } from '../../fees.ts'
import { transferGas } from '../../gas-figures.ts'
import { l1FeeOf } from '../../l1-fee.ts'
import { estimatedGas, type LivePayload, type Observation } from '../../observation.ts'
import { isPaused } from '../../pause.ts'
import type { NetworkPolicy, Relayer } from '../../relayer.ts'
import { inEther } from '../../shown-amount.ts'
import { estimatedValue, isSweep, sweptValue, withValue } from '../../sweep.ts'
import { type InPhase, type Payload, revisionOf, type Transaction } from '../../transaction.ts'
import type { Wei } from '../../units.ts'
import type { Reason } from '../../wait-facts.ts'
import type { Decision, Steps } from '../plan/decision.ts'
import { inFlightOf, type ProcessMemory, queuedOf, type Situation, type StoredWork } from '../plan/work.ts'
import { payloadContender } from '../terms/contender.ts'
import { firstPrice, withTipOf } from '../terms/first-price.ts'
import { maxCostOf, reserveOf, spendable } from '../terms/funds.ts'
import { attemptsMax, usualFees } from '../terms/rivals.ts'
import { countedBalance, lagOf, untouchable } from './gas-reserve.ts'

/** The first of the queue, as far as nothing but room and funds keeps them from a nonce. */
export function frontOf(work: StoredWork & ProcessMemory): readonly Transaction[] {
  const queued = queuedOf(work)
  const at = queued.findIndex(isSweep)
  if (at === 0) return queued.slice(0, 1)
  if (isPaused(work.relayer)) return []
  return at === -1 ? queued : queued.slice(0, at)
}

/** Whether the first of the queue is a sweep that waits for others. */
export function isSweepWaiting({ queued: [first], suspected, ...work }: StoredWork): boolean {
  if (!first || !isSweep(first)) return false
  return inFlightOf(work).length > 0 || suspected.some(({ sequence }) => sequence < first.sequence)
}

/** Whether a sweep is next, and waits for what these decisions return to the queue: it would leave that without money. */
export function sweepAwaitsReturn({ queued: [first] }: StoredWork, followUps: readonly Decision[]): boolean {
  return first !== undefined && isSweep(first) && followUps.some(({ do: what }) => what === 'requeue')
}

/** The balance that a transaction leaves untouched. A sweep may spend the reserve for cancellations. */
export function reserveBeside(transaction: Transaction, relayer: Relayer, market: Market, policy: NetworkPolicy): Wei {
  return isSweep(transaction) ? 0n : reserveOf(relayer, market, policy)
}

/**
 * The transaction as it would be signed now: only the value of a sweep depends on `wallet`, the funds that pay for it. It is 0 or less where
 * the account cannot pay for it. While its gas or its price are unknown it is the least that could be left, and the sweep gets no nonce.
 */
export function withSweptValue(
  sweep: InPhase<'queued'>,
  wallet: Wei,
  market: Market,
  { work, observation, policy }: Omit<Situation, 'now'>,
): InPhase<'queued'> {
  if (!isSweep(sweep)) return sweep
  const fees = firstPrice(sweep, work.relayer, withTipOf(market, observation.estimates.get(sweep.id)), policy)
  const gas = sweep.payload.gasLimit ?? estimatedGas(sweep, observation) ?? transferGas
  const l1Fee = l1FeeOf(sweep.payload, market)
  const funds = wallet - untouchable(policy.profile, observation)
  return withValue(sweep, fees ? sweptValue(funds, { gas, fees, l1Fee }) : funds)
}

/** Why a sweep of an empty account ends without a nonce. */
export function refusalOfEmpty(
  { payload, ...sweep }: Pick<Transaction, 'payload' | 'origin'>,
  { balance = 0n }: Pick<Observation, 'balance'>,
): string | undefined {
  if (!isSweep(sweep) || payload.value > 0n) return undefined
  return `its balance of ${inEther(balance)} does not exceed twice the cost of a transfer at present: there is nothing to sweep`
}

/** Why a sweep waits for a payment that does not count yet: it would be left behind. */
export function blockedByPayment(
  transaction: Transaction,
  { balance, counted }: { readonly balance: Wei; readonly counted: Wei },
  { profile }: NetworkPolicy,
): Reason | undefined {
  const missing = balance - counted
  if (!isSweep(transaction) || missing <= 0n) return undefined
  const facts = { of: 'late', balance: counted, value: balance, paysL1: false } as const
  return { condition: 'balance_short', facts: { ...facts, lagBlocks: lagOf(profile) } }
}

/** The value that its nonce binds: it has none before. */
export function boundValueOf(stored: Transaction, { payload: { value } }: Transaction): { readonly value?: Wei } {
  return isSweep(stored) ? { value } : {}
}

/** The least balance that a transaction needs. */
export function minBalanceFor(transaction: Transaction, { policies }: Relayer): Wei {
  return isSweep(transaction) ? 0n : policies.minBalance
}

/** Whether the transaction waits for the end of a pause. */
export function obeysPause(transaction: Transaction): boolean {
  return !isSweep(transaction)
}

/** Whether policies may have changed since they were checked: a sweep had no value then. */
export function wasCheckedWhole(transaction: Transaction): boolean {
  return !isSweep(transaction)
}

/** Whether the balance is read anew: a payment that nothing else shows would be left behind. */
export function wantsFreshBalance(front: readonly Transaction[]): boolean {
  return front.some(isSweep)
}

/** The value by which its gas is estimated. */
export function valueToEstimate({ origin, lifecycle, payload }: Transaction): Wei {
  return isSweep({ origin }) && lifecycle.phase === 'queued' ? estimatedValue : payload.value
}

/** The payload by which a spender is recognized: a lost attempt of a sweep may carry another value. */
export function comparedPayload(transaction: Transaction, payload: Payload): LivePayload {
  return isSweep(transaction) ? { ...payload, isAnyValue: true } : payload
}

/**
 * The steps of a sweep whose account pays for it no more: the balance fell, or the market rose beyond what the sweep left. Other payloads
 * wait for money; a sweep sends less. The lower value replaces the other at the same nonce, so the chain executes one of them. `steps`: the
 * next steps of any payload. No attempt of the higher value is broadcast again. `floor`: what replaces every attempt of a pool.
 */
export function lowerIfShort(
  transaction: InPhase<'inFlight'>,
  steps: Steps,
  floor: (market: Market) => Fees | undefined,
  situation: Situation,
): Steps {
  if (!isSweep(transaction) || !steps.some(isShort)) return steps
  const value = payableValue(transaction, floor, situation)
  const isLower = value !== undefined && value > 0n && value < transaction.payload.value
  return isLower && revisionOf(transaction) < attemptsMax ? [{ do: 'lowerValue', transaction, value }] : steps
}

/** Whether a step explains a shortage that does not end by itself. */
function isShort(each: Steps[number]): boolean {
  if ('lacks' in each || each.do !== 'explain' || each.condition !== 'balance_short') return false
  return each.facts.of === 'higherPrice' || each.facts.of === 'attempt'
}

/** The value that the account can pay for, at a price that replaces every attempt that a pool may hold. */
function payableValue(
  transaction: InPhase<'inFlight'>,
  floorOf: (market: Market) => Fees | undefined,
  situation: Situation,
): Wei | undefined {
  const { work, observation, policy } = situation
  const { market } = observation
  const balance = market && countedBalance(work, observation, market, policy)
  if (!market || balance === undefined) return undefined
  const usual = usualFees(payloadContender(transaction, situation), market)
  const floor = floorOf(market)
  const cost = {
    gas: newest(transaction.lifecycle.attempts).gasLimit,
    fees: floor ? higher(floor, usual) : usual,
    l1Fee: l1FeeOf(transaction.payload, market),
  }
  const funds = spendable(work, balance, market, 0n) + maxCostOf(transaction, market)
  return sweptValue(funds - untouchable(policy.profile, observation), cost)
}
