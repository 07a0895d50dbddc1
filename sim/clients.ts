// What clients have sent, and what the service has answered.
import type { BulkRequest } from '../src/domain/bulk-cancellation.ts'
import type { Hash, RelayerId } from '../src/domain/ids.ts'
import type { SendRequest } from '../src/domain/submit.ts'
import type { TimestampMs } from '../src/domain/units.ts'

export interface Clients {
  /** The number of the next payload. Each payload carries its number in its data. */
  nextTag: number
  /** Payloads that were sent, by number, whether the service answered or not. */
  readonly requests: Map<number, SendRequest>
  /** Transactions whose send was answered with success, by id. */
  readonly accepted: Map<string, { readonly relayer: number; readonly tag: number }>
  /** Replacements that were answered with success, and the numbers of their payloads. */
  readonly replaced: { readonly id: string; readonly tag: number }[]
  /** Ids of transactions that a client tried to cancel, and of relayers whose queue a client tried to cancel. */
  readonly requested: Set<string>
  /** Transactions whose DELETE was answered with success: the position of that database transaction, by id. */
  readonly deleted: Map<string, number>
}

export function openClients(): Clients {
  return {
    nextTag: 1,
    requests: new Map(),
    accepted: new Map(),
    replaced: [],
    requested: new Set(),
    deleted: new Map(),
  }
}

/** A preview that a client received. */
export interface KnownPreview {
  readonly instant: TimestampMs
  /** How many transactions would be canceled. */
  readonly matches: number
  readonly request: BulkRequest
  readonly relayers: readonly RelayerId[]
}

/** A payload that the service showed to a key. */
export interface Shown {
  readonly tag: number
  readonly digest: Hash
}
