// The gas that a relayer paid on one day, of transactions that became final on that day.
import type { RelayerId } from './ids.ts'
import type { TimestampMs, Wei } from './units.ts'

export interface DailyGas {
  readonly relayerId: RelayerId
  /** Days since 1 January 1970, in UTC. */
  readonly day: number
  /** All transactions, no-ops included. */
  readonly transactions: number
  readonly noOps: number
  /** Transactions whose fees no node reported, or whose fees are absurd: `fees` does not contain them. */
  readonly unpriced: number
  readonly fees: Wei
}

export const dayMs = 86_400_000

export function dayOf(at: TimestampMs): number {
  return Math.floor(at / dayMs)
}
