// What a relayer spent on one day: fees and values of transactions that became final on that day.
import type { RelayerId } from './ids.ts'
import { executedPayload, type Inclusion, spenderKind, type Transaction } from './transaction.ts'
import type { TimestampMs, Wei } from './units.ts'

export interface DailySpend {
  readonly relayerId: RelayerId
  /** Days since 1 January 1970, in UTC. */
  readonly day: number
  /** All transactions, no-ops included. */
  readonly transactions: number
  readonly noOps: number
  /** Transactions whose fees no node reported, or whose fees are absurd: `fees` does not contain them. */
  readonly unpriced: number
  readonly fees: Wei
  /** Fees and values without those of sweeps: what the account needs to go on for as long again. */
  readonly spent: Wei
}

export const dayMs = 86_400_000

export function dayOf(at: TimestampMs): number {
  return Math.floor(at / dayMs)
}

/** What the account paid, beside the fees, for the transaction that used a nonce. A revert pays no value. */
export function valuePaid(transaction: Transaction, inclusion: Inclusion): Wei {
  const isPaid = spenderKind(inclusion) === 'payload' && inclusion.by !== 'external' && inclusion.succeeded !== false
  return isPaid ? executedPayload(transaction).value : 0n
}
