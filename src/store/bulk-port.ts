// The part of the store port for bulk cancellations.
import type { Requester } from '../domain/audit.ts'
import type { BulkCancellation, BulkHead, TakenInBulk, WaitingBulkPart } from '../domain/bulk-cancellation.ts'
import type { BulkFilter } from '../domain/bulk-filter.ts'
import type { Reckoning } from '../domain/cost-limit.ts'
import type { Work } from '../domain/decide/plan/work.ts'
import type { ApiKeyId, BulkId, RelayerId, TransactionId } from '../domain/ids.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { TimestampMs } from '../domain/units.ts'
import type { Page, PageItem, PageRequest } from './list-port.ts'

/** The facts by which a bulk cancellation chooses. */
export interface BulkWork {
  readonly work: Work
  /** The tags of an open transaction; empty unless the filter names tags. */
  readonly tagsOf: (id: TransactionId) => readonly string[]
}

interface BulkClaim {
  readonly owner: ApiKeyId
  readonly key: string
  /** The digest of the request. */
  readonly digest: string
}

/** The earlier object under a key. */
export interface ClaimedBulk {
  readonly id: BulkId
  readonly digest: string
}

export interface NewBulk {
  readonly head: BulkHead
  readonly relayers: readonly RelayerId[]
  readonly requester: Requester
  readonly claim: BulkClaim
}

/** The object that a DELETE makes, unless there is nothing to cancel. */
export type DeleteBulk = Pick<BulkHead, 'id' | 'requestedBy'>

/** The commit of a part. */
export interface BulkStop {
  readonly head: BulkHead
  /** Who requested it. */
  readonly requester?: Requester
  readonly taken: TakenInBulk
}

/** What a preview shows of a relayer, read at one instant. An owner reads `work`. */
export interface BulkMatches extends BulkWork {
  /** The matches without a nonce: how many there are, and the oldest of them. */
  readonly queued: { readonly count: number; readonly oldest: readonly TransactionId[] }
}

export interface MatchRequest {
  readonly filter: BulkFilter
  readonly now: TimestampMs
  /** How many of the oldest. */
  readonly oldest: number
}

export interface BulkReads {
  /**
   * The objects with something to announce, among the next `limit` by id after `after` that may change. `last`: there may be
   * more.
   */
  bulksToAnnounce(
    after: BulkId | undefined,
    limit: number,
  ): Promise<{ readonly changed: readonly BulkId[]; readonly last?: BulkId }>
  /** The oldest first, after the part with this number. */
  waitingBulkParts(limit: number, after?: number): Promise<readonly (WaitingBulkPart & { readonly number: number })[]>
  /** The object; with `relayers` its parts, and the ids of its filter, at these only, and undefined if it has no such part. */
  bulk(id: BulkId, relayers?: readonly RelayerId[]): Promise<BulkCancellation | undefined>
  /** Newest first; `relayers` as in `bulk`. */
  bulks(page: PageRequest, relayers?: readonly RelayerId[]): Promise<Page<BulkCancellation>>
  /** The object that canceled each of these transactions; absent where none did, or it is pruned. */
  bulksOf(ids: readonly TransactionId[]): Promise<ReadonlyMap<TransactionId, BulkId>>
  /** The object under this idempotency key. */
  bulkOfKey(owner: ApiKeyId, key: string): Promise<ClaimedBulk | undefined>
  /** Every relayer, by id. */
  relayerIds(): Promise<readonly RelayerId[]>
  /** Undefined without such a relayer. */
  bulkMatches(relayerId: RelayerId, request: MatchRequest): Promise<BulkMatches | undefined>
  /** The transactions of these parts, by part and sequence. */
  bulkTransactions(parts: readonly number[], page: PageRequest): Promise<Page<PageItem<Transaction>>>
}

export interface BulkChanges {
  /**
   * Publishes the changes since the last event of the object, at most once in a second. Resolves to whether it did.
   */
  announceBulk(id: BulkId, now: TimestampMs): Promise<boolean>
  /** Every relayer, by id. */
  relayerIds(): Promise<readonly RelayerId[]>
  /** Returns the earlier object under the same key; undefined if this one is recorded, and its parts wait. */
  recordBulk(bulk: NewBulk): Promise<ClaimedBulk | undefined>
  /**
   * Stops the relayer for a part that waits, and takes its matches as they are now: the commit of the part, as
   * `cancelPending`. Undefined if the part does not wait any more, or the relayer was deleted: then the part is over. Of an object with
   * `max_cost`, the parts on record leave the rest of it to this one: throws PRICE_UNOBSERVED without a price.
   */
  takeBulk(
    part: Pick<WaitingBulkPart, 'bulkId' | 'relayerId'>,
    now: TimestampMs,
    reckoning: Reckoning,
  ): Promise<BulkStop | undefined>
  /**
   * Records a cancellation of every pending transaction, lowest nonce first. Returns their ids in that order, and the ids of
   * rows that could not be changed.
   */
  cancelPending(relayerId: RelayerId, now: TimestampMs, by: DeleteBulk): Promise<TakenInBulk>
}
