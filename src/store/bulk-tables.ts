// The tables of bulk cancellations; schema.ts has the others.
import type { Generated } from 'kysely'
import type { Requester } from '../domain/audit.ts'
import type { BulkOrigin, BulkPartState } from '../domain/bulk-cancellation.ts'
import type { BulkShown } from '../domain/bulk-event.ts'
import type { ApiKeyId, BulkId, RelayerId } from '../domain/ids.ts'
import type { Json } from './values.ts'

/** A bulk cancellation. */
export interface BulkTable {
  id: BulkId
  origin: BulkOrigin
  name: string | null
  reason: string | null
  /** JSON; see bulk-rows.ts. */
  filter: string
  /** 1: all relayers that existed then, and that the key may see. */
  every_relayer: 0 | 1
  pause: 0 | 1
  only_what: 'free' | null
  max_cost: string | null
  requested_at: number
  /** Null without a requester. */
  requested_by: ApiKeyId | null
  /** The state that its events have shown. */
  shown: Json<BulkShown> | null
  /** When its last event was written. */
  announced_at: number | null
  /** 1: no further event. */
  announced: Generated<0 | 1>
  /** 1: its last event was written, and it took and paused nothing. */
  empty: Generated<0 | 1>
}

/** The idempotency key of a bulk cancellation. */
export interface BulkKeyTable {
  owner: ApiKeyId
  key: string
  digest: string
  bulk_id: BulkId
  created_at: number
}

/** The sums of a part's transactions. */
export interface BulkCountColumns {
  dropped: number
  racing: number
  won: number
  lost: number
  external: number
  /** Transactions whose verdict is not final. */
  unsettled: number
  /** Transactions whose payload can never execute. */
  safe: number
  /** Transactions whose fees no node reported. */
  unpriced: number
  /** The fees of no-ops are `gwei` * 1e9 + `wei`. */
  gwei: number
  wei: number
}

/** A bulk cancellation at one relayer. */
export interface BulkPartTable extends Record<keyof BulkCountColumns, Generated<number>> {
  id: Generated<number>
  bulk_id: BulkId
  relayer_id: RelayerId
  state: BulkPartState
  /** For the audit record of its first commit, which may come after a crash. */
  requester: Json<Requester> | null
  /** When it stopped the relayer. Null before, and for a relayer that was deleted first. */
  instant: number | null
  /** Transactions that matched, and whose earlier cancellation was racing. */
  already: Generated<number>
  /** Amounts as in amountsToText. */
  refusals: string | null
  /** Decimal wei: the sum of the shares. Null without a limit of cost, and before the instant. */
  spent: string | null
  final_at: number | null
}
