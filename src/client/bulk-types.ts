// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.

export interface BulkView {
  readonly id: string
  /** `delete`: a DELETE of everything pending made it */
  readonly origin: 'request' | 'delete'
  readonly name?: string
  readonly reason?: string
  readonly requested_at: string
  /** The API key */
  readonly requested_by?: string
  readonly filter: {
    /** For a key that is bound to relayers: those of transactions at its relayers, and none once these are removed */
    readonly ids?: readonly string[]
    /** The address of the receiver: 0x and 40 hex digits */
    readonly to?: string
    /** The first four bytes of the data: 0x and 8 hex digits, or 0x for a call without data */
    readonly selector?: string
    readonly tag?: readonly string[]
    /** A list of pending, sent, submitted */
    readonly status?: readonly ('pending' | 'sent' | 'submitted')[]
    /** A whole number and s, m, h or d, such as "10m": created at least so long before the instant of the relayer */
    readonly older_than?: string
    /** A whole number and s, m, h or d, such as "10m": created less than so long before the instant of the relayer */
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
  /** It was requested for all relayers */
  readonly every_relayer: boolean
  /** Those that the key sees */
  readonly relayers: readonly string[]
  readonly pause: boolean
  readonly only?: 'free'
  /** Wei */
  readonly max_cost?: string
  readonly counts: {
    /** No node ever had them */
    readonly dropped: number
    /** A no-op competes for their nonce */
    readonly racing: number
    /** The no-op took their nonce */
    readonly won: number
    /** They, or their replacements, were mined */
    readonly lost: number
    /** A foreign transaction took their nonce */
    readonly external: number
    /** Those of the above whose state may change again */
    readonly not_final: number
    /** Matches whose earlier cancellation was racing at the instant: they are not counted above */
    readonly already: number
    /** Matches that were not canceled */
    readonly refused: number
    /** Wei that no-ops cost in fees so far */
    readonly cost: string
    /** No-ops whose fees no node reported */
    readonly cost_unknown: number
    /** How many can never execute, so their payloads may be sent again; "all" once that holds for each of those that were canceled */
    readonly safe_to_retry: 'all' | number
  }
  /** What the preview showed whose token the request had: the object takes nothing beyond it */
  readonly preview?: {
    /** Those that the preview showed as canceled */
    readonly matches: number
    /** Those of them that it found ended, canceled before, or no longer matching. Absent until all rows are written */
    readonly ended?: number
    /** No-ops that the preview showed */
    readonly no_ops: number
    /** Wei that the preview showed as the most. Absent if it had no price */
    readonly cost_max?: string
  }
  /** Every verdict is final */
  readonly final: boolean
  readonly final_at?: string
  readonly parts: readonly {
    readonly relayer_id: string
    /** `waiting`: the relayer still sends. `taking`: it does not, and the rows of its matches are being written. `written`: all are */
    readonly state: 'waiting' | 'taking' | 'written'
    /** When the relayer stopped; absent before, and of a relayer that was deleted first */
    readonly instant?: string
    readonly counts: {
      /** No node ever had them */
      readonly dropped: number
      /** A no-op competes for their nonce */
      readonly racing: number
      /** The no-op took their nonce */
      readonly won: number
      /** They, or their replacements, were mined */
      readonly lost: number
      /** A foreign transaction took their nonce */
      readonly external: number
      /** Those of the above whose state may change again */
      readonly not_final: number
      /** Matches whose earlier cancellation was racing at the instant: they are not counted above */
      readonly already: number
      /** Matches that were not canceled */
      readonly refused: number
      /** Wei that no-ops cost in fees so far */
      readonly cost: string
      /** No-ops whose fees no node reported */
      readonly cost_unknown: number
      /** How many can never execute, so their payloads may be sent again; "all" once that holds for each of those that were canceled */
      readonly safe_to_retry: 'all' | number
    }
    readonly refused: readonly {
      readonly transaction_id: string
      /** `unreadable`: its row is unreadable. `costs`: it is not free. `beyond_max_cost`: its share is more than the rest of `max_cost`. `not_in_preview`: the preview did not show it as canceled. `beyond_shown_no_ops`, `beyond_shown_cost`: the others need the no-ops, or the cost, that the preview showed */
      readonly reason:
        | 'unreadable'
        | 'costs'
        | 'beyond_max_cost'
        | 'not_in_preview'
        | 'beyond_shown_no_ops'
        | 'beyond_shown_cost'
      readonly message: string
      /** `no_op`: a node may have it. `gap_filler`: a nonce above its own stays in use */
      readonly needs?: 'no_op' | 'gap_filler'
      /** Wei that its cancellation may cost, if a price was observed */
      readonly cost?: string
      /** Wei of `max_cost`, or of the cost that the preview showed, that were left when its turn came */
      readonly left?: string
    }[]
    /** Wei that its no-ops may cost at most: the sum of the shares of `max_cost`, or of the cost that the preview showed */
    readonly cost_max?: string
    /** What the preview showed whose token the request had: the object takes nothing beyond it */
    readonly preview?: {
      /** Those that the preview showed as canceled */
      readonly matches: number
      /** Those of them that it found ended, canceled before, or no longer matching. Absent until all rows are written */
      readonly ended?: number
      /** No-ops that the preview showed */
      readonly no_ops: number
      /** Wei that the preview showed as the most. Absent if it had no price */
      readonly cost_max?: string
    }
    /** Every verdict is final */
    readonly final: boolean
    readonly final_at?: string
  }[]
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
  readonly filter: {
    /** For a key that is bound to relayers: those of transactions at its relayers, and none once these are removed */
    readonly ids?: readonly string[]
    /** The address of the receiver: 0x and 40 hex digits */
    readonly to?: string
    /** The first four bytes of the data: 0x and 8 hex digits, or 0x for a call without data */
    readonly selector?: string
    readonly tag?: readonly string[]
    /** A list of pending, sent, submitted */
    readonly status?: readonly ('pending' | 'sent' | 'submitted')[]
    /** A whole number and s, m, h or d, such as "10m": created at least so long before the instant of the relayer */
    readonly older_than?: string
    /** A whole number and s, m, h or d, such as "10m": created less than so long before the instant of the relayer */
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
  /** It was requested for all relayers */
  readonly every_relayer: boolean
  /** Those that the key sees */
  readonly relayers: readonly string[]
  readonly pause: boolean
  readonly only?: 'free'
  /** Wei */
  readonly max_cost?: string
  readonly counts: {
    /** No node ever had them */
    readonly dropped: number
    /** A no-op competes for their nonce */
    readonly racing: number
    /** The no-op took their nonce */
    readonly won: number
    /** They, or their replacements, were mined */
    readonly lost: number
    /** A foreign transaction took their nonce */
    readonly external: number
    /** Those of the above whose state may change again */
    readonly not_final: number
    /** Matches whose earlier cancellation was racing at the instant: they are not counted above */
    readonly already: number
    /** Matches that were not canceled */
    readonly refused: number
    /** Wei that no-ops cost in fees so far */
    readonly cost: string
    /** No-ops whose fees no node reported */
    readonly cost_unknown: number
    /** How many can never execute, so their payloads may be sent again; "all" once that holds for each of those that were canceled */
    readonly safe_to_retry: 'all' | number
  }
  /** What the preview showed whose token the request had: the object takes nothing beyond it */
  readonly preview?: {
    /** Those that the preview showed as canceled */
    readonly matches: number
    /** Those of them that it found ended, canceled before, or no longer matching. Absent until all rows are written */
    readonly ended?: number
    /** No-ops that the preview showed */
    readonly no_ops: number
    /** Wei that the preview showed as the most. Absent if it had no price */
    readonly cost_max?: string
  }
  /** Every verdict is final */
  readonly final: boolean
  readonly final_at?: string
}

export interface BulkTransactionView {
  readonly transaction: {
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
    readonly signature?: {
      readonly r: string
      readonly s: string
      readonly v: number
      /** r, s and 27 or 28, in 65 bytes */
      readonly sig: string
    }
    readonly speed?: { readonly name: 'safeLow' | 'average' | 'fast' | 'fastest' }
    /** An array of at most 256 objects of address and storage_keys (EIP-2930), with at most 1024 storage keys in all of them */
    readonly access_list?: readonly {
      /** An address: 0x and 40 hex digits, in one case or with its EIP-55 checksum */
      readonly address: string
      /** At most 1024 storage keys, as an array */
      readonly storage_keys: readonly string[]
    }[]
    /** Gas_limit stands, although it may not pay for a new account */
    readonly allow_out_of_gas?: true
  }
  readonly cancellation: {
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
    readonly winner?: {
      readonly hash: string
      readonly block_number: number
      readonly block_hash: string
    }
    /** How many endpoints showed the winner in its block, once the verdict is final */
    readonly witnesses?: number
    /** Wei that the no-op cost in fees; 0 unless it was mined; absent where no node reports its cost */
    readonly cost?: string
  }
}

export interface BulkInput {
  /** A text of 1 to 256 characters, none of them U+0000 */
  readonly name?: string
  /** A text of at most 1000 characters, none of them U+0000 */
  readonly reason?: string
  /** An object such as {"older_than": "10m"}; {} matches everything */
  readonly filter: {
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
    /** A whole number and s, m, h or d, such as "10m": created at least so long before the instant of the relayer */
    readonly older_than?: string
    /** A whole number and s, m, h or d, such as "10m": created less than so long before the instant of the relayer */
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
  /** 1 to 1000 ids of relayers, or "all" */
  readonly relayers: readonly string[] | 'all'
  /** True or false */
  readonly pause?: boolean
  /** "free": only those whose cancellation costs nothing */
  readonly only?: 'free'
  /** Wei as a decimal string, such as "100000000000000000": the most that the no-ops may cost together, by the last observed prices */
  readonly max_cost?: string
  /** The token of a preview with the same filter, relayers, pause, only and max_cost: nothing is canceled beyond what it showed */
  readonly preview?: string
  /** True or false; true: refused if anything differs from the preview */
  readonly exact?: boolean
}
