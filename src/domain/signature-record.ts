// The record of one signature that a key service made: an operator compares it with the provider's own log.
import type { Hash, RelayerId, TransactionId } from './ids.ts'
import type { TimestampMs } from './units.ts'

export interface SignatureRecord {
  readonly relayerId: RelayerId
  /** Absent for a message or typed data. */
  readonly transactionId?: TransactionId
  readonly signerId: string
  readonly keyVersion: string
  readonly digest: Hash
  /** The provider's own id of the request. */
  readonly requestId?: string
  readonly signedAt: TimestampMs
}

/** How many records stay, and for how long. */
export interface KeptRecords {
  readonly entriesMax: number
  readonly since: TimestampMs
}
