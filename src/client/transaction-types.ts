// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.
import type { WinnerView } from './shared-types.ts'

export interface TransactionView {
  readonly id: string
  readonly relayer_id: string
  readonly status: 'pending' | 'sent' | 'submitted' | 'mined' | 'confirmed' | 'failed' | 'canceled' | 'expired'
  readonly status_reason?: string
  readonly created_at: string
  readonly sent_at?: string
  readonly confirmed_at?: string
  /** The hash of the mined attempt with the payload, else of its newest attempt */
  readonly hash?: string
  readonly from: string
  /** Absent for a contract creation */
  readonly to?: string
  /** Wei, decimal */
  readonly value: string
  readonly data: string
  readonly nonce?: number
  readonly gas_limit?: number
  /** Wei, decimal */
  readonly gas_price?: string
  /** Wei, decimal */
  readonly max_fee_per_gas?: string
  /** Wei, decimal */
  readonly max_priority_fee_per_gas?: string
  readonly signature?: SignatureView
  readonly speed?: SpeedView
  /** An array of at most 256 objects of address and storage_keys (EIP-2930), with at most 1024 storage keys in all of them */
  readonly access_list?: readonly AccessListEntryView[]
  /** Gas_limit stands, although it may not pay for a new account */
  readonly allow_out_of_gas?: true
}

export interface SignatureView {
  readonly r: string
  readonly s: string
  readonly v: number
  /** r, s and 27 or 28, in 65 bytes */
  readonly sig: string
}

export interface SpeedView {
  readonly name: 'safeLow' | 'average' | 'fast' | 'fastest'
}

/** An object of address and storage_keys */
export interface AccessListEntryView {
  /** An address: 0x and 40 hex digits, in one case or with its EIP-55 checksum */
  readonly address: string
  /** At most 1024 storage keys, as an array */
  readonly storage_keys: readonly string[]
}

export interface CancellationView {
  readonly transaction_id: string
  readonly state: 'racing' | 'dropped' | 'won' | 'lost' | 'external'
  /** This state will not change again */
  readonly final: boolean
  /** The original can never execute, so its payload may be sent again */
  readonly safe_to_retry: boolean
  readonly origin: 'request' | 'expiry' | 'refusal'
  readonly requested_at: string
  /** Its share of the `max_cost` of a bulk cancellation: no no-op may cost more; absent without a bound */
  readonly cost_max?: string
  readonly status_reason?: string
  /** Lost by a preconfirmation: the sequencer has ordered the original, and no block shows it yet */
  readonly preconfirmed?: true
  readonly winner?: WinnerView
  /** How many endpoints showed the winner in its block, once the verdict is final */
  readonly witnesses?: number
  /** Wei that the no-op cost in fees; 0 unless it was mined; absent where no node reports its cost */
  readonly cost?: string
}

export interface AttemptView {
  readonly hash: string
  readonly kind: 'execute' | 'replace' | 'cancel'
  readonly nonce: number
  readonly gas_limit: number
  /** Wei, decimal */
  readonly gas_price?: string
  /** Wei, decimal */
  readonly max_fee_per_gas?: string
  /** Wei, decimal */
  readonly max_priority_fee_per_gas?: string
  /** Sending: on its way since it was recorded; handed: a node received it; refused: every node that received it called it invalid; held: no node ever received it; withdrawn: was held, and will never be sent */
  readonly state: 'sending' | 'handed' | 'refused' | 'held' | 'withdrawn'
  readonly outcome?: BroadcastOutcomeView
  /** True: every broadcast of it ended in a certain rejection, so no pool should hold it */
  readonly always_rejected?: boolean
  /** Why it is held or was refused */
  readonly reason?: string
  readonly recorded_at: string
  /** A no-op that was signed before the cancellation, and used because the signer did not sign */
  readonly presigned?: true
}

export interface BroadcastOutcomeView {
  readonly kind: 'accepted' | 'alreadyKnown' | 'rejected' | 'unknown'
  readonly code?: string
  readonly message?: string
  readonly at: string
}

export interface BulkCancellationView {
  readonly queued_for_cancellation_transaction_ids: readonly string[]
  readonly failed_to_queue_transaction_ids: readonly string[]
  readonly total_processed: number
}

export interface CancellationPreviewView {
  /** That no node ever had: they end at once, at no cost */
  readonly free: number
  /** That a node may have: each needs a no-op */
  readonly no_ops: number
  /** The no-ops that cancel_gas_price_cap forbids at today's price: they wait for a lower one. Absent where no node answers */
  readonly over_cap?: number
  /** Nonces of free ones below one that a node may have: each needs a no-op too */
  readonly gaps: number
  /** That were canceled before and are not decided: they come beside these */
  readonly racing: number
  /** That are pending by their status, and whose nonce the chain has spent */
  readonly too_late: number
  readonly cost?: CancellationCostView
  readonly fee_per_gas?: NoOpPriceView
  /** Wei: the most that the no-ops of those that race already can cost. Absent where no node answers */
  readonly committed?: string
  /** Wei: of the relayer; where payments count only after some blocks, as it counts now. Absent where no node answers */
  readonly balance?: string
  /** Wei: what the gas of all in flight has to fit in, by `reserve_balance` of the network; absent without one */
  readonly gas_budget?: string
  /** Wei: what sends leave untouched, for no-ops. Absent where no node answers */
  readonly cancel_reserve?: string
  /** Absent where no node answers */
  readonly balance_covers?: {
    /** cost.today, on top of committed amounts */
    readonly today: boolean
    /** cost.max, on top of committed amounts */
    readonly max?: boolean
  }
  readonly window?: CancellationWindowView
  /** The head of this preview. Absent where no node answers */
  readonly block_number?: number
}

/** Absent where no node answers */
export interface CancellationCostView {
  /** Wei: if all no-ops are mined in the next block */
  readonly expected: string
  /** Wei: the most that no-ops signed now can cost */
  readonly today: string
  /** Wei: the most that they can come to cost under cancel_gas_price_cap; absent without that policy */
  readonly max?: string
}

/** Gas_price_cap limits sends, and no no-op. Absent where no node answers */
export interface NoOpPriceView {
  /** Wei: the most that a no-op signed now offers for a unit of gas; absent without a no-op */
  readonly today?: string
  /** Wei: the policy cancel_gas_price_cap, which no later no-op exceeds; absent without that policy */
  readonly max?: string
}

/** How many transactions may be in flight. Absent in the preview of one transaction, and where no node answers */
export interface CancellationWindowView {
  /** How many may be in flight now; absent where another replica advances the relayer */
  readonly present?: number
  /** The upper bound: max_in_flight, or that of the window */
  readonly most: number
  /** Of a cancellation that needs a no-op for each of `most` */
  readonly cost: {
    /** Wei: the most that so many no-ops can cost at today's price */
    readonly today: string
    /** Wei: the same under cancel_gas_price_cap; absent without that policy */
    readonly max?: string
  }
  /** Whether the balance covers these costs */
  readonly balance_covers: { readonly today: boolean; readonly max?: boolean }
}

/** A transaction as an object, such as {"to": "0x…", "value": "1"} */
export interface SendInput extends ReplaceInput {
  /** A text of 1 to 128 bytes in UTF-8, without control characters */
  readonly external_id?: string
  /** A list of at most 8 different texts, each of 1 to 64 bytes in UTF-8, without control characters */
  readonly tags?: readonly string[]
  /** A text of 1 to 512 bytes in UTF-8, without control characters */
  readonly note?: string
}

/** A transaction as an object, such as {"to": "0x…", "value": "1"} */
export interface ReplaceInput {
  /** An address: 0x and 40 hex digits, in one case or with its EIP-55 checksum; none creates a contract */
  readonly to?: string
  readonly value: ValueInput
  /** Bytes in hex: an even number of digits, with 0x or without; empty for a transfer */
  readonly data?: string
  /** Gas units as an integer from 12000, or nothing to have it estimated; the network decides the least */
  readonly gas_limit?: number
  /** One of safeLow, average, fast, fastest, as {"name": "fast"} or as the bare string; fast when no fee is given */
  readonly speed?: SpeedView | 'safeLow' | 'average' | 'fast' | 'fastest'
  /** Wei as a decimal string, such as "1000000000000000000", or as an integer, below 2^256 */
  readonly gas_price?: AmountInput
  /** Wei as a decimal string, such as "1000000000000000000", or as an integer, below 2^256 */
  readonly max_fee_per_gas?: AmountInput
  /** Wei as a decimal string, such as "1000000000000000000", or as an integer, below 2^256; at most max_fee_per_gas */
  readonly max_priority_fee_per_gas?: AmountInput
  /** True: gas_limit stands, although the value may create its receiver and the limit would not pay for that; false or nothing: such a transaction fails before it is signed */
  readonly allow_out_of_gas?: boolean
  /** An array of at most 256 objects of address and storage_keys (EIP-2930), with at most 1024 storage keys in all of them */
  readonly access_list?: readonly AccessListEntryView[]
  /** A time by RFC 3339 in the future, such as "2030-01-31T12:00:00Z" */
  readonly valid_until?: string
  /** True: it gets no nonce until its release (POST …/release); at most one of hold, hold_for and not_before */
  readonly hold?: boolean
  /** A duration from "30s" to "24h", such as "10m": so long it gets no nonce, unless it is released */
  readonly hold_for?: string
  /** A time by RFC 3339, at most a year ahead, such as "2030-01-31T12:00:00Z": before it, it gets no nonce, unless it is released */
  readonly not_before?: string
}

/** Wei as a decimal string, such as "1000000000000000000", or as an integer, below 2^256, or in hex: 0x and 1 to 64 digits */
export type ValueInput = string | number

/** Wei as a decimal string, such as "1000000000000000000", or as an integer, below 2^256 */
export type AmountInput = string | number

export interface HoldView {
  readonly transaction_id: string
  /** What decides its end: a member of the send, or a policy of the relayer */
  readonly rule: 'hold' | 'hold_for' | 'not_before' | 'min_hold' | 'hold_above_value' | 'four_eyes'
  /** When it began. A replacement begins it anew */
  readonly since: string
  /** When it ends by itself; absent: only a release ends it */
  readonly until?: string
  /** The API key that set the payload */
  readonly by?: string
  readonly requested?: RequestedHoldView
  /** Why it waits, in words */
  readonly reason?: string
  readonly payload: ApprovedPayloadView
  /** SHA-256 of payload as JSON, sorted by name and without white space (RFC 8785) */
  readonly payload_digest: string
  readonly four_eyes?: FourEyesView
}

/** The client's own part of it */
export interface RequestedHoldView {
  readonly hold?: true
  readonly hold_for?: string
  readonly not_before?: string
}

/** What a release approves, sorted by name */
export interface ApprovedPayloadView {
  /** An array of at most 256 objects of address and storage_keys (EIP-2930), with at most 1024 storage keys in all of them */
  readonly access_list?: readonly AccessListEntryView[]
  readonly allow_out_of_gas?: true
  readonly data: string
  readonly from: string
  readonly gas_limit?: number
  /** Wei, decimal */
  readonly gas_price?: string
  /** Wei, decimal */
  readonly max_fee_per_gas?: string
  /** Wei, decimal */
  readonly max_priority_fee_per_gas?: string
  readonly relayer_id: string
  readonly speed?: 'safeLow' | 'average' | 'fast' | 'fastest'
  /** Absent for a contract creation */
  readonly to?: string
  readonly transaction_id: string
  readonly valid_until?: string
  /** Wei, decimal */
  readonly value: string
}

/** Absent: it is not under four eyes */
export interface FourEyesView {
  /** The keys that set a payload: none may release it */
  readonly set_by: readonly string[]
  readonly released?: ApprovalView
}

export interface ApprovalView {
  readonly by: string
  readonly at: string
  /** The digest that the releaser sent */
  readonly payload_digest: string
}

export interface ReleaseResultView {
  readonly transaction_id: string
  /** Not_on_hold: nothing changed; refused: code and message say why */
  readonly result: 'released' | 'not_on_hold' | 'refused'
  /** An error code, as in the header Relayer-Error-Code */
  readonly code?: string
  readonly message?: string
}

export interface ReleaseInput {
  /** The payload_digest of the hold, which four eyes demand: 0x and 64 hex digits */
  readonly payload_digest?: string
}

/** An object with an id, {"id": "…"}, and under four eyes a payload_digest */
export interface ReleaseOfInput {
  /** The id of a transaction */
  readonly id: string
  /** The payload_digest of the hold, which four eyes demand: 0x and 64 hex digits */
  readonly payload_digest?: string
}
