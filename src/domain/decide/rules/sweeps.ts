// When a sweep gets its nonce, and with which value.
//
// A sweep goes alone: everything before it has ended or is mined, and nothing gets a nonce beside it. It keeps its place in the queue,
// so what a client sends after it waits behind it. No pause holds it.
import { roughly } from '../../condition.ts'
import type { Fees, Market } from '../../fees.ts'
import { transferGas } from '../../gas-figures.ts'
import { l1FeeOf } from '../../l1-fee.ts'
import { estimatedGas, type Observation } from '../../observation.ts'
import { isPaused } from '../../pause.ts'
import type { DecisionProfile, NetworkPolicy, Relayer } from '../../relayer.ts'
import { inEther } from '../../shown-amount.ts'
import { isSweep, sweptValue, withValue } from '../../sweep.ts'
import type { InPhase, Transaction } from '../../transaction.ts'
import type { Wei } from '../../units.ts'
import type { Reason } from '../../wait-facts.ts'
import { inFlightOf, type ProcessMemory, queuedOf, type StoredWork } from '../plan/work.ts'
import { reserveOf } from '../terms/funds.ts'
import { lagOf } from './gas-reserve.ts'

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

/** The balance that a transaction leaves untouched. A sweep may spend the reserve for cancellations. */
export function reserveBeside(transaction: Transaction, relayer: Relayer, market: Market, policy: NetworkPolicy): Wei {
  return isSweep(transaction) ? 0n : reserveOf(relayer, market, policy)
}

/** The balance that no value may touch: where the account delegates, the reserve of the network. Such a value would always revert. */
export function untouchable(
  { reserveBalance = 0n }: DecisionProfile,
  { delegated }: Pick<Observation, 'delegated'>,
): Wei {
  return delegated ? reserveBalance : 0n
}

interface Payer {
  /** The funds that pay for the sweep now. */
  readonly wallet: Wei
  readonly market: Market
  /** The price of the sweep. Undefined while no price is within its limits. */
  readonly fees: Fees | undefined
}

/**
 * The sweep with the value that it is to send. It is 0 or less where the account cannot pay for it. While its gas or its price are
 * unknown it is the least that could be left, and the sweep gets no nonce.
 */
export function withSweptValue(
  sweep: InPhase<'queued'>,
  { wallet, market, fees }: Payer,
  observation: Observation,
  policy: NetworkPolicy,
): InPhase<'queued'> {
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
  const facts = { of: 'late', balance: counted, value: balance, short: roughly(missing), paysL1: false } as const
  return { condition: 'balance_short', facts: { ...facts, lagBlocks: lagOf(profile) } }
}
