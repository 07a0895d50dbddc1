// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.
import type { BulkCountsView } from './shared-types.ts'
import type { CancellationView, TransactionView } from './transaction-types.ts'

export interface BulkView extends BulkHeadView {
  readonly parts: readonly BulkPartView[]
}

export interface BulkPartView {
  readonly relayer_id: string
  /** `waiting`: the relayer still sends. `written`: its matches are canceled */
  readonly state: 'waiting' | 'written'
  /** When the relayer stopped; absent before, and of a relayer that was deleted first */
  readonly instant?: string
  readonly counts: BulkCountsView
  readonly refused: readonly BulkRefusalView[]
  /** Wei that its no-ops may cost at most: the sum of the shares of `max_cost` */
  readonly cost_max?: string
  /** Every verdict is final */
  readonly final: boolean
  readonly final_at?: string
}

export interface BulkRefusalView {
  readonly transaction_id: string
  /** `unreadable`: its row is unreadable. `costs`: it is not free. `beyond_max_cost`: its share is more than the rest of `max_cost` */
  readonly reason: 'unreadable' | 'costs' | 'beyond_max_cost'
  readonly message: string
  /** `no_op`: a node may have it. `gap_filler`: a nonce above its own stays in use */
  readonly needs?: 'no_op' | 'gap_filler'
  /** Wei that its cancellation may cost, if a price was observed */
  readonly cost?: string
  /** Wei of `max_cost` that were left when its turn came */
  readonly left?: string
}

export interface BulkHeadView {
  readonly id: string
  /** `delete`: a DELETE of everything pending made it */
  readonly origin: 'request' | 'delete'
  readonly name?: string
  readonly reason?: string
  readonly requested_at: string
  /** The API key */
  readonly requested_by?: string
  readonly filter: AppliedBulkFilterView
  /** It was requested for all relayers */
  readonly every_relayer: boolean
  /** Those that the key sees */
  readonly relayers: readonly string[]
  readonly pause: boolean
  readonly only?: 'free'
  /** Wei */
  readonly max_cost?: string
  readonly counts: BulkCountsView
  /** Every verdict is final */
  readonly final: boolean
  readonly final_at?: string
}

export interface AppliedBulkFilterView {
  /** For a key that is bound to relayers: those of transactions at its relayers, and none once these are removed */
  readonly ids?: readonly string[]
  /** The address of the receiver: 0x and 40 hex digits */
  readonly to?: string
  /** The first four bytes of the data: 0x and 8 hex digits, or 0x for a call without data */
  readonly selector?: string
  readonly tag?: readonly string[]
  /** A list of pending, sent, submitted */
  readonly status?: readonly ('pending' | 'sent' | 'submitted')[]
  /** A time by RFC 3339, such as "2030-01-31T12:00:00Z": the latest creation of those listed */
  readonly created_to?: string
  /** A whole number and s, m, h or d, such as "10m": created at least so long before the instant of the relayer, or before created_to if that is earlier */
  readonly older_than?: string
  /** A whole number and s, m, h or d, such as "10m": created less than so long before the instant of the relayer, or before created_to if that is earlier */
  readonly newer_than?: string
  /** A nonce as a decimal integer, 0 or more: the lowest of those listed */
  readonly nonce_from?: number
  /** A nonce as a decimal integer, 0 or more: the highest of those listed */
  readonly nonce_to?: number
  /** Wei as a decimal integer below 2^256: the smallest value of those listed */
  readonly value_from?: string
  /** Wei as a decimal integer below 2^256: the largest value of those listed */
  readonly value_to?: string
}

export interface BulkTransactionView {
  readonly transaction: TransactionView
  readonly cancellation: CancellationView
}

export interface BulkInput extends BulkPreviewInput {
  /** A number of transactions, 0 or more: if more would be canceled, nothing is */
  readonly at_most?: number
}

/** An object such as {"older_than": "10m"}; {} matches everything */
export interface BulkFilterInput {
  /** 1 to 1000 ids of transactions */
  readonly ids?: readonly string[]
  /** The address of the receiver: 0x and 40 hex digits */
  readonly to?: string
  /** The first four bytes of the data: 0x and 8 hex digits, or 0x for a call without data */
  readonly selector?: string
  /** A tag, or a list of up to 16 tags: those that have one of them */
  readonly tag?: string | readonly string[]
  /** A list of pending, sent, submitted */
  readonly status?: readonly ('pending' | 'sent' | 'submitted')[]
  /** A time by RFC 3339, such as "2030-01-31T12:00:00Z": the latest creation of those listed */
  readonly created_to?: string
  /** A whole number and s, m, h or d, such as "10m": created at least so long before the instant of the relayer, or before created_to if that is earlier */
  readonly older_than?: string
  /** A whole number and s, m, h or d, such as "10m": created less than so long before the instant of the relayer, or before created_to if that is earlier */
  readonly newer_than?: string
  /** A nonce as a decimal integer, 0 or more: the lowest of those listed */
  readonly nonce_from?: number
  /** A nonce as a decimal integer, 0 or more: the highest of those listed */
  readonly nonce_to?: number
  /** Wei as a decimal integer below 2^256: the smallest value of those listed */
  readonly value_from?: string
  /** Wei as a decimal integer below 2^256: the largest value of those listed */
  readonly value_to?: string
}

export interface BulkPreviewInput {
  /** A text of 1 to 256 characters, none of them U+0000 */
  readonly name?: string
  /** A text of at most 1000 characters, none of them U+0000 */
  readonly reason?: string
  readonly filter: BulkFilterInput
  /** 1 to 1000 ids of relayers, or "all" */
  readonly relayers: readonly string[] | 'all'
  /** True or false */
  readonly pause?: boolean
  /** "free": only those whose cancellation costs nothing */
  readonly only?: 'free'
  /** Wei as a decimal string, such as "100000000000000000": the most that the no-ops may cost together, by the last observed prices */
  readonly max_cost?: string
}

export interface BulkPreviewView {
  /** Later creations are not counted. As `filter.created_to` of the bulk cancellation it excludes later sends, and `counts.matches` as its `at_most` refuses more */
  readonly instant: string
  readonly counts: BulkPreviewCountsView
  readonly cost?: BulkPreviewCostView
  readonly parts: readonly BulkPreviewPartView[]
  /** At most 20 of those that would be canceled */
  readonly sample: readonly BulkPreviewSampleView[]
}

export interface BulkPreviewCountsView {
  /** Those that would be canceled */
  readonly matches: number
  /** Those of them that cost nothing */
  readonly free: number
  /** No-ops that they need: one each, also for a nonce that a gap filler has to use */
  readonly no_ops: number
  /** Matches whose earlier cancellation is racing: they are not counted above */
  readonly already: number
  /** Matches that `only` or `max_cost` leaves as they are */
  readonly left: number
}

/** Absent without an observed price, and for relayers of different symbols together */
export interface BulkPreviewCostView {
  /** Wei: the most that its no-ops can cost at the last observed price */
  readonly now: string
  /** Wei: the most that they can come to cost: with `max_cost` no more than that, else up to `cancel_gas_price_cap`, and without this policy ten times `now` */
  readonly max: string
}

export interface BulkPreviewPartView {
  readonly relayer_id: string
  readonly counts: BulkPreviewCountsView
  readonly cost?: BulkPreviewCostView
  readonly symbol: string
}

export interface BulkPreviewSampleView {
  readonly relayer_id: string
  readonly transaction_id: string
  readonly nonce?: number
  /** `no_op`: a node may have it. `gap_filler`: its nonce would be left unused. Absent: it is free */
  readonly by?: 'no_op' | 'gap_filler'
  /** Wei that its cancellation may cost, if a price was observed */
  readonly cost?: string
}
