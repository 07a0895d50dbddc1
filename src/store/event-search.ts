// The part of the store port for readers whose events are far apart in the outbox, and for the outbox's ends.
import type { EventSubject, StoredEvent } from '../domain/event.ts'

/** The bounds of one read. */
export interface EventSearch {
  /** Events whose subject is read. */
  readonly rows: number
  /** Events that are read as a whole. */
  readonly limit: number
}

export interface SparseWindow {
  readonly events: readonly StoredEvent[]
  /** The last event that was looked at: the next window starts after it. */
  readonly through: number
  /** All rows were looked at, few were wanted, and there may be more. */
  readonly mayBeFar: boolean
}

export interface EventSearchReads {
  /** As `events`, for a reader whose events are far apart: reads only those that it wants as a whole. */
  searchEvents(after: number, search: EventSearch, wanted: (subject: EventSubject) => boolean): Promise<SparseWindow>
  /** The id up to which all events are committed; 0 before the first. Constant time. */
  newestEvent(): Promise<number>
  /** Events up to this id may be pruned; 0 before the first pruning. */
  eventsPrunedThrough(): Promise<number>
  /** Whether another server may have given out this id, for an event that a failover lost. */
  isLostEvent(id: number): Promise<boolean>
}
