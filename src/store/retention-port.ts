// The part of the store port for work in the background: old rows are found and deleted.
import type { GivenUp } from '../domain/delivery.ts'
import type { RelayerId, TransactionId } from '../domain/ids.ts'
import type { TimestampMs } from '../domain/units.ts'

/** How long events stay that no delivery needs. */
export interface EventRetention {
  readonly eventsKeptMs: number
  readonly eventsKeptMax: number
  readonly deadLettersKeptMs: number
  /** Dead letters that each notification keeps, the newest. */
  readonly deadLettersKeptMax: number
}

/** A position among the transactions that have ended, oldest end first. Several may have ended at the same time. */
export interface EndedPosition {
  readonly endedAt: TimestampMs
  /** The transactions with this end that come before the position. */
  readonly passed: number
}

export interface EndedTransaction {
  readonly id: TransactionId
  readonly relayerId: RelayerId
  readonly endedAt: TimestampMs
}

export interface RetentionReads {
  /** When the oldest event occurred that pruning has not reached: a client may still receive it and those after it. */
  oldestEventAt(): Promise<TimestampMs | undefined>
  /** The notifications with an event whose day is over, or with more dead letters than are kept. */
  overdueQueues(retention: EventRetention, now: TimestampMs): Promise<readonly string[]>
  /** Transactions that ended before this time, from the position on, oldest end first. */
  endedBefore(before: TimestampMs, from: EndedPosition, limit: number): Promise<readonly EndedTransaction[]>
  /** The ids of the relayer's transactions that nothing needs any more: domain/removable.ts has the rules. */
  removable(relayerId: RelayerId, ids: readonly TransactionId[]): Promise<readonly TransactionId[]>
}

/** How many records stay, and for how long. Beyond the number, the oldest of the key with the most go. */
interface KeptRecords {
  readonly entriesMax: number
  readonly since: TimestampMs
}

export interface KeptBulks extends KeptRecords {
  /** Objects that took and paused nothing stay from then on. */
  readonly emptySince: TimestampMs
}

export interface PrunedClaims {
  readonly removed: number
  readonly mayHaveMore: boolean
}

export interface RetentionChanges {
  /**
   * Deletes these transactions of the relayer with their attempts, except those that something needs by now. Returns those
   * that it deleted. The unit has to name the relayer.
   */
  removeEnded(relayerId: RelayerId, ids: readonly TransactionId[]): Promise<readonly TransactionId[]>
  /** Deletes idempotency keys whose transactions all ended before this time. Looks at `rows` keys at most. */
  pruneClaims(before: TimestampMs, now: TimestampMs, rows: number): Promise<PrunedClaims>
  /**
   * Deletes records that are older than `since`, and those beyond `entriesMax`, among which no lasting ones count. Reads `rows` rows of
   * each kind, and returns whether there may be more to delete.
   */
  pruneAudit(keep: KeptRecords, rows: number): Promise<boolean>
  /** Deletes bulk cancellations whose verdicts are final. Their transactions stay, and their idempotency keys until `since`. */
  pruneBulks(keep: KeptBulks, rows: number): Promise<boolean>
  /**
   * Gives up a bounded portion of the notification's events whose day is over, also those that its queue has not taken over, and
   * deletes its oldest dead letters above the number that is kept. There may be more until it changes nothing.
   */
  giveUpOverdue(notificationId: string, retention: EventRetention, now: TimestampMs): Promise<GivenUp>
  /** Deletes a bounded portion of the events that need not stay. Returns how many: until it is 0 there may be more. */
  pruneEvents(retention: EventRetention, now: TimestampMs): Promise<number>
}
