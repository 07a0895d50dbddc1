// A bulk cancellation: the request, its part at each relayer, and the counts of its transactions.
import type { BulkFilter } from './bulk-filter.ts'
import type { CostLimit, NotTaken } from './cost-limit.ts'
import type { ApiKeyId, BulkId, RelayerId, TransactionId } from './ids.ts'
import type { TimestampMs, Wei } from './units.ts'

/** `delete`: a DELETE of everything pending. */
export type BulkOrigin = 'request' | 'delete'

export interface BulkTerms {
  readonly filter: BulkFilter
  /** Each relayer is paused in the commit that stops it. */
  readonly pause: boolean
  /** `free`: cancels only what costs nothing. */
  readonly only?: 'free'
  /** Absent: the cost has no bound. */
  readonly maxCost?: Wei
}

/** Undefined if the request does not limit the cost. */
export function costLimitOf({ only, maxCost }: Pick<BulkTerms, 'only' | 'maxCost'>): CostLimit | undefined {
  if (only !== undefined) return { only, ...(maxCost !== undefined && { maxCost }) }
  return maxCost === undefined ? undefined : { maxCost }
}

export interface BulkRequest extends BulkTerms {
  readonly name?: string
  readonly reason?: string
}

/** The object, without its parts. */
export interface BulkHead extends BulkRequest {
  readonly id: BulkId
  readonly origin: BulkOrigin
  /** All relayers that existed, and that the key may see, rather than named ones. */
  readonly everyRelayer: boolean
  readonly requestedAt: TimestampMs
  readonly requestedBy?: ApiKeyId
}

export interface BulkCancellation extends BulkHead {
  /** One part a relayer. A key with relayers of its own gets the parts at its relayers only. */
  readonly parts: readonly BulkPart[]
}

/** `written`: the commit that stopped the relayer is durable. */
export type BulkPartState = 'waiting' | 'written'

/** A match that was not taken, and is unchanged. `unreadable`: its row can't be read or changed; `text` is for people. */
export type BulkRefusal = { readonly id: TransactionId } & (
  | { readonly reason: 'unreadable'; readonly text: string }
  | NotTaken
)

export interface BulkPart {
  readonly number: number
  readonly relayerId: RelayerId
  readonly state: BulkPartState
  /** When the relayer stopped. Absent before, and of a relayer that was deleted first. */
  readonly instant?: TimestampMs
  readonly counts: BulkCounts
  /** Matches that an earlier cancellation had taken, and whose race was on. */
  readonly already: number
  readonly refused: readonly BulkRefusal[]
  /** The sum of the shares of `maxCost`. Absent without a limit of cost, and before the instant. */
  readonly spent?: Wei
  readonly finalAt?: TimestampMs
}

/** A part whose relayer still sends. */
export interface WaitingBulkPart {
  readonly bulkId: BulkId
  readonly relayerId: RelayerId
  /** The object's own `pause`. */
  readonly pause: boolean
}

/** Transactions by verdict, each once, and how many of them are unsettled, safe or unpriced. */
export interface BulkCounts {
  readonly dropped: number
  readonly racing: number
  readonly won: number
  readonly lost: number
  readonly external: number
  /** Transactions whose verdict is not final. */
  readonly unsettled: number
  /** Transactions whose payload can never execute. */
  readonly safe: number
  /** Transactions whose no-op was mined, and no node reported its fees. */
  readonly unpriced: number
  readonly cost: Wei
}

/** The result of the commit that stops a relayer. */
export interface TakenInBulk {
  /** Absent if there was nothing to cancel. */
  readonly bulkId?: BulkId
  readonly canceled: readonly TransactionId[]
  readonly failed: readonly { readonly id: TransactionId; readonly reason: string }[]
  /** How many of them a node may have: the owner has to win a race for each. */
  readonly racing: number
  /** How many that were canceled before have another bound of their cost now, or none any more. Absent: no one. */
  readonly rebounded?: number
}
