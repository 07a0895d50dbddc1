// The store port. A unit of work is a function over a session: all of it is durable when `commit` resolves, or none.

import type { ApiKey } from '../domain/api-key.ts'
import type { Attempt } from '../domain/attempt.ts'
import type { AuditEntry, AuditPosition, AuditRecord } from '../domain/audit.ts'
import type { Claim, Claimed } from '../domain/claim.ts'
import type { Work } from '../domain/decide/work.ts'
import type { DeadLetter, Due, QueueCount, Tried } from '../domain/delivery.ts'
import type { EventSubject, TransactionEvent } from '../domain/event.ts'
import type { Address, ApiKeyId, Hash, RelayerId, TransactionId } from '../domain/ids.ts'
import type { Ended } from '../domain/lost-history/lost-cancellation.ts'
import type { NonceFloor, Relayer } from '../domain/relayer.ts'
import type { Status, Transaction } from '../domain/transaction.ts'
import type { Nonce, TimestampMs } from '../domain/units.ts'
import { OperatorError } from '../ops/operator-error.ts'

export interface Store extends AsyncDisposable {
  /**
   * Runs `unit` inside a database transaction. Concurrent units share one commit, and each fails alone.
   * A unit awaits its session only: it does no other input or output, and may run again.
   * `relayer` is the one whose transactions it writes: units of one relayer follow each other, whichever process they are of.
   * `ahead` changes nothing but how long it takes.
   */
  commit<T>(unit: (session: Session) => Promise<T>, relayer?: RelayerId, ahead?: Ahead): Promise<T>
  /** Reads see only what is committed. */
  readonly reads: Reads
  /** Rejects unless a read and a durable write succeed. */
  check(): Promise<void>
}

/** What a unit is going to ask: a database that is a round trip away is asked once for all units of a commit. */
export interface Ahead {
  readonly transactions?: readonly TransactionId[]
  readonly claims?: readonly Claim[]
}

export interface Reads {
  relayer(id: RelayerId): Promise<Relayer | undefined>
  relayers(page: PageRequest): Promise<Page<Relayer>>
  /** Whether there was one of this id, deleted since: its transactions are still there to read. */
  wasRelayer(id: RelayerId): Promise<boolean>
  /** Everything that was configured through the API, by kind and id. */
  entities(): Promise<readonly Entity[]>
  /** Grows with every change of what `entities` and `relayers` return, on a client's request. */
  revision(): Promise<number>
  transaction(relayerId: RelayerId, id: TransactionId): Promise<Transaction | undefined>
  /** The one that holds the nonce, or held it when it was settled. */
  transactionByNonce(relayerId: RelayerId, nonce: Nonce): Promise<Transaction | undefined>
  /** Newest first. */
  transactions(relayerId: RelayerId, filter: { status?: Status }, page: PageRequest): Promise<Page<Transaction>>
  /** Every attempt of it, oldest first, at most 1,000. */
  attempts(id: TransactionId): Promise<readonly Attempt[]>
  /** Transactions by status: constant time, however many there are. */
  counts(relayerId: RelayerId): Promise<Readonly<Record<Status, number>>>
  /** The relayers that have a queue, with the last sequence that is taken. */
  backlogs(): Promise<ReadonlyMap<RelayerId, number>>
  apiKey(id: ApiKeyId): Promise<ApiKey | undefined>
  /** By the digest of the key, also when it is revoked or has expired. */
  apiKeyOf(digest: string): Promise<ApiKey | undefined>
  /** Newest first, with those that are revoked. */
  apiKeys(page: PageRequest): Promise<Page<ApiKey>>
  /** The newest entries first, or those before a place. */
  audit(limit: number, before?: AuditPosition): Promise<AuditWindow>
  /** What an owner needs for one step; undefined when the relayer is gone. */
  work(relayerId: RelayerId): Promise<Work | undefined>
  /** What waits without a nonce, up to this sequence of the relayer: all of it, in sequence. */
  queueThrough(relayerId: RelayerId, sequence: number): Promise<readonly Transaction[]>
  /** Up to a sequence of the relayer: what ended without a nonce at `since` or later, as far as a match needs it. */
  droppedSince(relayerId: RelayerId, sequence: number, since: TimestampMs): Promise<readonly Ended[]>
  /** The first sequence of the relayer that has, or had, a nonce above this one. Gap fillers do not count. */
  firstSequenceAbove(relayerId: RelayerId, nonce: Nonce): Promise<number | undefined>
  /** Whether it was signed here, for this nonce, by a transaction that holds it, or held it when it was settled. */
  hasAttempt(relayerId: RelayerId, nonce: Nonce, hash: Hash): Promise<boolean>
  /** Looks at `limit` events after the one with id `after`, in the order of commits, and answers those that are `wanted`. */
  events(after: number, limit: number, wanted: (subject: EventSubject) => boolean): Promise<EventWindow>
  event(id: number): Promise<TransactionEvent | undefined>
  /** The id up to which all events are there; 0 before the first. Constant time. */
  newestEvent(): Promise<number>
  /** Events up to this id are no longer all there; 0 while all are. */
  eventsPrunedThrough(): Promise<number>
  /** The notifications that have something to be delivered now. */
  queuesToDo(now: TimestampMs): Promise<readonly string[]>
  /** Whether a queue has something to be delivered now beside what is `busy`. */
  moreToDo(notificationId: string, busy: ReadonlySet<number>, now: TimestampMs): Promise<boolean>
  /** Of every notification that a relayer ever named: what waits, and what was given up, counted to 10,000. */
  queueCounts(): Promise<readonly QueueCount[]>
  /** Oldest first; undefined for a notification that no relayer ever named. */
  deadLetters(notificationId: string, page: PageRequest): Promise<Page<DeadLetter> | undefined>
}

/** One advance of a queue of deliveries, by its owner. */
export interface QueueAdvance {
  readonly notificationId: string
  /** Who advances it: the lease is this owner's for `leaseMs`, and each advance renews it. */
  readonly owner: string
  readonly leaseMs: number
  /** More than any lease and what clocks of replicas differ by. A lease that seems to last for longer is over. */
  readonly leaseBelievedMs: number
  readonly now: TimestampMs
  /** The results of what was tried since the last advance. */
  readonly tried: readonly Tried[]
  /** Events that are being tried now. */
  readonly busy: ReadonlySet<number>
  /** How many more may be tried. */
  readonly room: number
}

/** How long events stay that nobody waits for. */
export interface Retention {
  readonly eventsKeptMs: number
  readonly eventsKeptMax: number
  readonly deadLettersKeptMs: number
}

export interface EventWindow {
  readonly events: readonly TransactionEvent[]
  /** The last that was looked at: the next window starts after it. */
  readonly through: number
}

export type EntityKind = 'signer' | 'notification' | 'network' | 'relayer'

/** Its form is told in registry/stored-entities.ts. */
export interface Entity {
  readonly kind: EntityKind
  readonly id: string
  /** JSON, nothing of it secret. */
  readonly facts: string
  /** What only the vault opens. */
  readonly sealed?: string
  /** No two versions share one. */
  readonly revision: number
}

export interface AuditWindow {
  readonly entries: readonly AuditEntry[]
  /** Of the whole log. */
  readonly total: number
}

export interface PageRequest {
  /** From 1. */
  readonly page: number
  readonly perPage: number
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
}

export interface Session {
  relayer(id: RelayerId): Promise<Relayer | undefined>
  saveRelayer(relayer: Relayer): Promise<void>
  /** Its transactions stay. The first statement of its unit; `hasOpen` is asked afterwards, and its answer may undo it. */
  removeRelayer(id: RelayerId, now: TimestampMs): Promise<void>
  /** The one that signs as this account. */
  relayerOf(chainId: number, address: Address): Promise<Relayer | undefined>
  /** At most ten, by id. */
  relayersUsing(kind: 'signer' | 'notification', id: string): Promise<readonly RelayerId[]>
  /** Whether anything can still happen to a transaction of it. */
  hasOpen(id: RelayerId): Promise<boolean>
  entity(kind: EntityKind, id: string): Promise<Entity | undefined>
  /** Raises the revision, too, and waits for whoever else is about to. */
  saveEntity(entity: Omit<Entity, 'revision'>): Promise<void>
  removeEntity(kind: EntityKind, id: string): Promise<void>
  raiseRevision(): Promise<void>
  /**
   * The next sequence of the relayer, counted from 1, with the relayer; undefined when there is none. Locks the
   * relayer's row: order is the order of commits.
   */
  reserveSequence(id: RelayerId): Promise<{ readonly relayer: Relayer; readonly sequence: number } | undefined>
  /** The next `count` sequences, from `first` on; otherwise as reserveSequence. */
  reserveSequences(
    id: RelayerId,
    count: number,
  ): Promise<{ readonly relayer: Relayer; readonly first: number } | undefined>
  /** How many are `pending`, `sent` or `submitted`. */
  pending(id: RelayerId): Promise<number>
  transaction(relayerId: RelayerId, id: TransactionId): Promise<Transaction | undefined>
  insertTransaction(transaction: Transaction): Promise<void>
  /**
   * Undefined: the key is claimed for `ids`, which this unit stores. Otherwise what stands under it. A unit that claims
   * the same key at the same time waits for this one's end.
   */
  claim(claim: Claim, ids: readonly TransactionId[], now: TimestampMs): Promise<Claimed | undefined>
  /**
   * Writes what differs, with an event for the outbox when the status does, and the attempts that are new or changed.
   * Answers it at its new version. Throws StaleWrite when the stored version is not `before.version`.
   */
  saveTransaction(before: Transaction, after: Transaction, now: TimestampMs): Promise<Transaction>
  apiKey(id: ApiKeyId): Promise<ApiKey | undefined>
  /** How many are not revoked. */
  apiKeysInForce(): Promise<number>
  insertApiKey(key: ApiKey, digest: string): Promise<void>
  /** Changes nothing where the key is revoked already. */
  revokeApiKey(id: ApiKeyId, by: ApiKeyId, now: TimestampMs): Promise<void>
  /** Goes into the log in this unit's commit: what a unit changes and the requester are durable together. */
  recordAudit(record: AuditRecord): void
  /**
   * Takes the oldest entries out, while there are more than `entriesMax` or they are older than `since`. Looks at so many
   * rows at once, and answers whether there may be more to take.
   */
  pruneAudit(keep: { readonly entriesMax: number; readonly since: TimestampMs }, rows: number): Promise<boolean>
  /** Never takes the last use back to an earlier one. */
  useApiKey(id: ApiKeyId, at: TimestampMs): Promise<void>
  /**
   * Records a cancellation of everything pending, lowest nonce first. Answers ids in that order, and those whose row
   * could not be changed.
   */
  cancelPending(relayerId: RelayerId, now: TimestampMs): Promise<BulkCancellation>
  /** Raises the epoch: from the commit on, writes fenced by an older one are refused. Undefined: no such relayer. */
  acquire(id: RelayerId): Promise<bigint | undefined>
  /** Throws OwnershipLost unless `epoch` is the relayer's. The first statement of every owner's unit. */
  fence(id: RelayerId, epoch: bigint): Promise<void>
  raiseFloor(id: RelayerId, floor: NonceFloor): Promise<void>
  /** Answers what is to be tried next, in order within a transaction; undefined when the queue has another owner. */
  advanceQueue(advance: QueueAdvance): Promise<readonly Due[] | undefined>
  /** Puts up to `limit` of the dead letters of events `from` to `to` back, lowest first. Answers how many. */
  redeliver(
    notificationId: string,
    events: { readonly from: number; readonly to: number },
    limit: number,
    now: TimestampMs,
  ): Promise<number>
  /** A bounded share of what need not stay. Answers how many went: as long as it is not 0 there may be more. */
  pruneEvents(retention: Retention, now: TimestampMs): Promise<number>
}

export interface BulkCancellation {
  readonly canceled: readonly TransactionId[]
  readonly failed: readonly { readonly id: TransactionId; readonly reason: string }[]
  /** How many of them a node may know: the races that the reconciler has to run. */
  readonly racing: number
}

/** Another process holds the database. The message names the database and what to do. */
export class StoreInUse extends OperatorError {
  override readonly name = 'StoreInUse'
}
