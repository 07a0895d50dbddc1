// The part of the store port for sweeps.
import type { RelayerId } from '../domain/ids.ts'
import type { Transaction } from '../domain/transaction.ts'

export interface SweepReads {
  /** The relayer's newest sweep. */
  sweep(relayerId: RelayerId): Promise<Transaction | undefined>
}
