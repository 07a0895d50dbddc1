// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.

export interface BulkPreviewInput {
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
}

export interface BulkPreviewView {
  /** For `preview` of one bulk cancellation with the same filter, relayers, `pause`, `only` and `max_cost`, by the same API key */
  readonly token: string
  readonly expires_at: string
  /** What the token bounds. `cost` is absent unless a price was observed for each relayer */
  readonly bounds: readonly ('transactions' | 'no_ops' | 'cost')[]
  readonly counts: {
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
  readonly cost?: {
    /** Wei: the most that its no-ops can cost at the last observed price */
    readonly now: string
    /** Wei: the most that they can come to cost, which the token bounds: with `max_cost` no more than that, else up to `cancel_gas_price_cap`, and without this policy ten times `now` */
    readonly max: string
  }
  readonly parts: readonly {
    readonly relayer_id: string
    readonly counts: {
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
    readonly cost?: {
      /** Wei: the most that its no-ops can cost at the last observed price */
      readonly now: string
      /** Wei: the most that they can come to cost, which the token bounds: with `max_cost` no more than that, else up to `cancel_gas_price_cap`, and without this policy ten times `now` */
      readonly max: string
    }
    readonly symbol: string
  }[]
  /** At most 20 of those that would be canceled */
  readonly sample: readonly {
    readonly relayer_id: string
    readonly transaction_id: string
    readonly nonce?: number
    /** `no_op`: a node may have it. `gap_filler`: its nonce would be left unused. Absent: it is free */
    readonly by?: 'no_op' | 'gap_filler'
    /** Wei that its cancellation may cost, if a price was observed */
    readonly cost?: string
  }[]
}
