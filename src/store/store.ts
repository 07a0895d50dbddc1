// The store port. A unit of work is a function over a session: when `commit` resolves, all of it is durable.
import type { ApiKey } from '../domain/api-key.ts'
import type { Attempt } from '../domain/attempt.ts'
import type { AuditEntry, AuditPosition, AuditRecord } from '../domain/audit.ts'
import type { Claim, Claimed } from '../domain/claim.ts'
import type { ConfirmedRowsDue } from '../domain/decide/facts/confirmed-not-final.ts'
import type { Ended } from '../domain/decide/lost-history/lost-cancellation.ts'
import type { Work } from '../domain/decide/plan/work.ts'
import type { DeadLetter, Due, FailingQueue, QueueCount, Tried } from '../domain/delivery.ts'
import type { EventRange, EventSubject, StoredEvent } from '../domain/event.ts'
import type { Address, ApiKeyId, Hash, RelayerId, TransactionId } from '../domain/ids.ts'
import type { QueuedSend } from '../domain/preview/top-up.ts'
import type { NonceFloor, Relayer } from '../domain/relayer.ts'
import type { Status, Transaction } from '../domain/transaction.ts'
import type { Nonce, TimestampMs } from '../domain/units.ts'
import type { QueueHead } from '../domain/wait.ts'
import { OperatorError } from '../ops/operator-error.ts'
import type { BulkChanges, BulkReads } from './bulk-port.ts'
import type { DashboardChanges, DashboardReads } from './dashboard-port.ts'
import type { EventSearchReads, ListReads, Page, PageItem, PageRequest } from './list-port.ts'
import type { LockProof } from './locks.ts'
import type { NetworkChanges, NetworkReads } from './network-port.ts'
import type { RelayerChanges, RelayerReads } from './relayer-port.ts'
import type { RetentionChanges, RetentionReads } from './retention-port.ts'
import type { TransactionChanges, TransactionReads } from './transaction-port.ts'

export interface Store extends AsyncDisposable {
  /**
   * Runs `unit` inside a database transaction. Concurrent units share one commit, and each fails alone.
   * A unit awaits its session only: it does no other input or output, and may run again.
   * `relayer` owns the transactions that the unit writes: units of one relayer run in turn, across all processes.
   * `ahead` only makes the unit faster.
   */
  commit<T>(unit: (session: Session) => Promise<T>, relayer?: RelayerId, ahead?: Ahead): Promise<T>
  /** Reads see committed data only. */
  readonly reads: Reads
  /** Rejects unless a read and a durable write succeed. */
  check(): Promise<void>
  /** Whether the next start will open another database, without what is stored now. Absent where that can't happen. */
  isReplaced?(): boolean
  /** The bytes that its files may still grow by. Absent where the database is on another machine. */
  freeBytes?(): Promise<number>
}

/** Facts of a unit before it runs. */
export interface Ahead {
  /** The unit may write thousands of rows: units of other relayers do not share its transaction, and may overtake it. */
  readonly long?: true
  /** The unit changes the registry: that lock comes before its relayer's, as in every change of the registry. */
  readonly registry?: true
  // Rows that it will read: a remote database reads them in one query for all units of a commit.
  readonly transactions?: readonly TransactionId[]
  readonly claims?: readonly Claim[]
}

/** The transactions of an owner's earlier read, and of its own writes since. */
export interface EarlierWork {
  /** The relayer then: its policies decided which part of the queue was read. */
  readonly relayer: Relayer
  readonly transactions: ReadonlyMap<TransactionId, Transaction>
}

export interface Reads
  extends BulkReads,
    DashboardReads,
    EventSearchReads,
    ListReads,
    NetworkReads,
    RelayerReads,
    RetentionReads,
    TransactionReads {
  relayer(id: RelayerId): Promise<Relayer | undefined>
  relayers(page: PageRequest): Promise<Page<Relayer>>
  /** The relayers that sign as this account, on whatever chain. */
  relayersOf(address: Address): Promise<readonly Relayer[]>
  /** Whether a relayer with this id existed and was deleted: its transactions can still be read. */
  wasRelayer(id: RelayerId): Promise<boolean>
  /** Every entity from the API, by kind and id. */
  entities(): Promise<readonly Entity[]>
  /** Grows with every change that a client makes to the results of `entities` and `relayers`. */
  revision(): Promise<number>
  transaction(relayerId: RelayerId, id: TransactionId): Promise<Transaction | undefined>
  /** The transaction that holds the nonce, or held it when it was settled. */
  transactionByNonce(relayerId: RelayerId, nonce: Nonce): Promise<Transaction | undefined>
  /** The transaction's attempts without their signed bytes, oldest first, at most 1,000. */
  attempts(id: TransactionId): Promise<readonly Attempt[]>
  /** The number of transactions per status, and the bytes of the payloads of the pending ones, in constant time. */
  counts(relayerId: RelayerId): Promise<Readonly<Record<Status | 'bytes', number>>>
  /** The pending transactions of every relayer that has or had any. */
  pending(): Promise<readonly PendingOfRelayer[]>
  /** The relayers that have a queue, each with its last reserved sequence. */
  backlogs(): Promise<ReadonlyMap<RelayerId, number>>
  apiKey(id: ApiKeyId): Promise<ApiKey | undefined>
  /** The key with this digest, even if it is revoked or expired. */
  apiKeyOf(digest: string): Promise<ApiKey | undefined>
  /** Newest first, including revoked keys. */
  apiKeys(page: PageRequest): Promise<Page<ApiKey>>
  /** The newest records first, or those before a position. */
  audit(limit: number, before?: AuditPosition): Promise<AuditWindow>
  /**
   * The work of an owner's step; undefined when the relayer is gone. `queuedMax` counts without `max_in_flight`. Of the
   * transactions in `earlier`, only those that changed since are read again.
   */
  work(relayerId: RelayerId, queuedMax?: number, earlier?: EarlierWork): Promise<Work | undefined>
  /** The transactions of `Work.unsettled` for which something is due, by nonce, at most `limit`. */
  confirmedNotFinal(relayerId: RelayerId, due: ConfirmedRowsDue, limit: number): Promise<readonly Transaction[]>
  /** Every waiting transaction without a nonce up to this sequence of the relayer, in sequence. */
  queueThrough(relayerId: RelayerId, sequence: number): Promise<readonly Transaction[]>
  /** The costs of the first transactions in the queue that may get a nonce, in sequence. */
  queuedSends(relayerId: RelayerId, limit: number): Promise<readonly QueuedSend[]>
  /** The first of the queue that may get a nonce. */
  queueHead(relayerId: RelayerId): Promise<QueueHead | undefined>
  /** Transactions up to a sequence that ended without a nonce at `since` or later, with the fields that a match needs. */
  droppedSince(relayerId: RelayerId, sequence: number, since: TimestampMs): Promise<readonly Ended[]>
  /** The relayer's first sequence whose transaction has, or had, a nonce above this one. Gap fillers do not count. */
  firstSequenceAbove(relayerId: RelayerId, nonce: Nonce): Promise<number | undefined>
  /** Whether the service signed this hash for this nonce, in a transaction that holds it or held it when settled. */
  hasAttempt(relayerId: RelayerId, nonce: Nonce, hash: Hash): Promise<boolean>
  /** Reads `limit` events after the one with id `after`, fewer if they are large, in the order of commits; returns those that are `wanted`. */
  events(after: number, limit: number, wanted: (subject: EventSubject) => boolean): Promise<EventWindow>
  event(id: number): Promise<StoredEvent | undefined>
  /** The notifications that have a due delivery. */
  queuesToDo(now: TimestampMs): Promise<readonly string[]>
  /** Whether the queue has a due delivery that is not `busy`. */
  moreToDo(notificationId: string, busy: ReadonlySet<number>, now: TimestampMs): Promise<boolean>
  /** For every notification that a relayer ever named: its waiting deliveries and its dead letters, counted to 10,000. */
  queueCounts(): Promise<readonly QueueCount[]>
  /** The notifications whose last request failed. */
  failingQueues(): Promise<readonly FailingQueue[]>
  /** Oldest first; undefined for a notification that no relayer ever named. */
  deadLetterItems(notificationId: string, page: PageRequest): Promise<Page<PageItem<DeadLetter>> | undefined>
}

/** One advance of a queue of deliveries, by its owner. */
export interface QueueAdvance {
  readonly notificationId: string
  /** The replica that advances the queue. Each advance renews its lease by `leaseMs`. */
  readonly owner: string
  readonly leaseMs: number
  /** Longer than any lease plus the skew of the replicas' clocks. A lease that seems to last longer is over. */
  readonly leaseBelievedMs: number
  readonly now: TimestampMs
  /** The results of the tries since the last advance. */
  readonly tried: readonly Tried[]
  /** Events whose delivery is being tried. */
  readonly busy: ReadonlySet<number>
  /** How many more deliveries may be tried. */
  readonly room: number
}

export interface PendingOfRelayer {
  readonly relayerId: RelayerId
  readonly count: number
  /** Of the payloads, the replaced ones included. */
  readonly bytes: number
}

export interface EventWindow {
  readonly events: readonly StoredEvent[]
  /** The last event that was read: the next window starts after it. */
  readonly through: number
}

export type EntityKind = 'signer' | 'notification' | 'network' | 'relayer'

/** registry/stored-entities.ts describes its format. */
export interface Entity {
  readonly kind: EntityKind
  readonly id: string
  /** JSON, without secrets. */
  readonly facts: string
  /** Secrets, encrypted by the vault. */
  readonly sealed?: string
  /** Different for every version of an entity. */
  readonly revision: number
}

export interface AuditWindow {
  readonly entries: readonly AuditEntry[]
  /** The number of records in the whole log. */
  readonly total: number
}

export interface Session
  extends BulkChanges,
    DashboardChanges,
    NetworkChanges,
    RelayerChanges,
    RetentionChanges,
    TransactionChanges {
  relayer(id: RelayerId): Promise<Relayer | undefined>
  saveRelayer(relayer: Relayer): Promise<void>
  /**
   * Removes the relayer; its transactions stay. The first statement of its unit; `hasOpen` runs next, and its result may undo
   * the removal.
   */
  removeRelayer(id: RelayerId, now: TimestampMs): Promise<void>
  /** The relayer that signs as this account. */
  relayerOf(chainId: number, address: Address): Promise<Relayer | undefined>
  /** The relayers that use the signer or the notification, by id, at most ten. */
  relayersUsing(kind: 'signer' | 'notification', id: string): Promise<readonly RelayerId[]>
  /** Whether any of its transactions is open. */
  hasOpen(id: RelayerId): Promise<boolean>
  entity(kind: EntityKind, id: string): Promise<Entity | undefined>
  /** Raises the revision too, and waits for concurrent changes. */
  saveEntity(entity: Omit<Entity, 'revision'>): Promise<void>
  removeEntity(kind: EntityKind, id: string): Promise<void>
  raiseRevision(): Promise<void>
  /**
   * Returns the relayer and its next sequence, counted from 1; undefined when there is no such relayer. Locks the
   * relayer's row, so that sequences rise in the order of commits. `gaveUpAt`: when the relayer last gave a payload up.
   */
  reserveSequence(
    id: RelayerId,
  ): Promise<{ readonly relayer: Relayer; readonly sequence: number; readonly gaveUpAt?: TimestampMs } | undefined>
  /** Reserves `count` sequences, from `first` on; otherwise as reserveSequence. */
  reserveSequences(
    id: RelayerId,
    count: number,
  ): Promise<{ readonly relayer: Relayer; readonly first: number; readonly gaveUpAt?: TimestampMs } | undefined>
  /** The number of transactions that are `pending`, `sent` or `submitted`. */
  pending(id: RelayerId): Promise<number>
  transaction(relayerId: RelayerId, id: TransactionId): Promise<Transaction | undefined>
  /** Reads a transaction that the caller has, and loads it only if its version has changed. */
  current(known: Transaction): Promise<Transaction | undefined>
  insertTransaction(transaction: Transaction): Promise<void>
  /**
   * Claims the key for `ids`, which this unit stores, and returns undefined; otherwise returns the earlier claim. A concurrent
   * unit that claims the same key waits until this one ends.
   */
  claim(claim: Claim, ids: readonly TransactionId[], now: TimestampMs): Promise<Claimed | undefined>
  /**
   * Writes the differences, new and changed attempts, and an event if the status changed. Returns the transaction as its row
   * is now. Throws StaleWrite when the stored version is not `before.version`.
   */
  saveTransaction(before: Transaction, after: Transaction, now: TimestampMs): Promise<Transaction>
  apiKey(id: ApiKeyId): Promise<ApiKey | undefined>
  /** The number of keys that are not revoked. */
  apiKeysInForce(): Promise<number>
  insertApiKey(key: ApiKey, digest: string): Promise<void>
  /** Changes nothing if the key is already revoked. */
  revokeApiKey(id: ApiKeyId, by: ApiKeyId, now: TimestampMs): Promise<void>
  /** Adds an audit record to this unit's commit: the change and its requester become durable together. */
  recordAudit(record: AuditRecord): void
  /** Never replaces the last use by an earlier one. */
  useApiKey(id: ApiKeyId, at: TimestampMs): Promise<void>
  /**
   * Raises the epoch: once committed, writes with an older epoch are refused. Unless an earlier history check is
   * incomplete, marks the last sequence as the end of the possibly lost history. Undefined: no such relayer.
   */
  acquire(id: RelayerId): Promise<bigint | undefined>
  /** Throws LocksElsewhere unless the server of this unit holds the locks. */
  proveLocks(proof: LockProof): Promise<void>
  /** Throws OwnershipLost unless `epoch` is the relayer's. The first statement of every owner's unit. */
  fence(id: RelayerId, epoch: bigint): Promise<void>
  raiseFloor(id: RelayerId, floor: NonceFloor): Promise<void>
  /** The next owner's history check then begins at the last sequence of that time. */
  completeHistoryCheck(id: RelayerId): Promise<void>
  /** Returns the deliveries to try next, in order within a transaction; undefined when the queue has another owner. */
  advanceQueue(advance: QueueAdvance): Promise<readonly Due[] | undefined>
  /** Sends the notification a test event. Returns the event's id. */
  publishTest(notificationId: string, now: TimestampMs): Promise<number>
  /** Requeues up to `limit` dead letters of events `from` to `to`, lowest first. Returns how many. */
  redeliver(notificationId: string, events: EventRange, limit: number, now: TimestampMs): Promise<number>
}

/** Another process uses the database. The message names the database and the fix. */
export class StoreInUse extends OperatorError {
  override readonly name = 'StoreInUse'
}
