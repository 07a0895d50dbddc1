// Types of the API, written from its OpenAPI document: `npx vitest run --project real test/client/types.test.ts -u`.
import type { LabelsView, WaitView } from './shared-types.ts'
import type { AttemptView, CancellationView, TransactionView } from './transaction-types.ts'

export interface TraceView extends ListedTraceView {
  /** Gap: a no-op of the service for a nonce that nobody uses; sweep: it empties the account */
  readonly origin: 'client' | 'gap' | 'sweep'
  /** It will not change again */
  readonly final: boolean
  /** The id of the API key that sent it */
  readonly created_by?: string
  readonly inclusion?: InclusionView
  /** Of its current nonce, oldest first */
  readonly attempts: readonly TracedAttemptView[]
}

export interface InclusionView {
  /** The kind of transaction that spent the nonce */
  readonly spender: 'payload' | 'no_op' | 'foreign'
  readonly hash: string
  readonly block_number: number
  /** Absent where no node reports it */
  readonly succeeded?: boolean
  readonly revert_reason?: string
  readonly gas_used?: number
  /** Wei: for each unit of gas */
  readonly effective_gas_price?: string
  /** Wei: all fees; absent where no node reports all of them */
  readonly fees?: string
}

export interface ListedTraceView {
  readonly transaction: TransactionView
  readonly wait?: WaitView
  readonly cancellation?: CancellationView
  readonly labels?: LabelsView
}

export interface TracedAttemptView extends AttemptView {
  /** The head when it was signed */
  readonly recorded_at_block: number
}

export interface FindingView {
  readonly relayer_id: string
  /** Absent: the relayer itself was found */
  readonly transaction_id?: string
}

export interface DailySpendView {
  /** In UTC: the day on which the transactions became final */
  readonly day: string
  readonly relayer_id: string
  /** With the no-ops */
  readonly transactions: number
  /** Of cancellations and gaps */
  readonly no_ops: number
  /** Those whose fees no node reported: the fees do not contain them */
  readonly unpriced: number
  /** Wei */
  readonly fees: string
  /** Wei: fees and values, without those of sweeps */
  readonly spent: string
}

export interface SeriesView {
  readonly from: string
  /** The end of the last step, which may be in the future */
  readonly to: string
  /** 300, 1800 or 7200 */
  readonly step_seconds: number
  /** Of `confirmation_times` */
  readonly bounds_seconds: readonly number[]
  /** One for each step, oldest first, also where nothing happened */
  readonly points: readonly {
    /** The beginning of the step */
    readonly at: string
    /** Transactions that got a nonce and were signed */
    readonly sent: number
    /** Transactions that were executed, and confirmed */
    readonly confirmed: number
    /** Transactions that reverted, counted once confirmed, or that no node took */
    readonly failed: number
    /** Transactions whose cancellation was requested in this step, and has not lost */
    readonly canceled: number
    /** The same for those whose `valid_until` passed */
    readonly expired: number
    /** The sum of the times from the request to the confirmation */
    readonly confirmation_seconds: number
    /** How many took at most `bounds_seconds` of the same index, and more than the one before; the last: longer */
    readonly confirmation_times: readonly number[]
    /** Nonces that the accounts spent and paid for, with those of no-ops */
    readonly spent: number
    /** Of cancellations, among them */
    readonly no_ops: number
    /** Those whose gas or fees no node reported: the sums do not contain them */
    readonly unpriced: number
    /** Of all of them */
    readonly gas_used: number
    /** By network, as their currencies differ; without relayers that were deleted */
    readonly fees: readonly {
      readonly network: string
      /** Wei */
      readonly fees: string
    }[]
    /** Calls to the nodes of the relayers' networks, for all relayers of these networks. Absent for a key that is bound to relayers */
    readonly calls?: number
    /** Calls among them without a value. Absent with `calls` */
    readonly failed_calls?: number
  }[]
}
