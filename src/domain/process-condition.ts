// What hinders this process, whatever its relayers do.
import type { TimestampMs } from './units.ts'

/** Few and fixed: each is a label of a metric, and has its section in docs/alerts.md. */
export const processConditions = [
  /** The database does not take writes: its disk is full, its server is away, its file is damaged. */
  'database_out',
  /** The file of the database, or its write-ahead log, was deleted or replaced while this process has it open. */
  'database_replaced',
  /** Lines of the log can't be written: its disk is full, or nobody reads them. */
  'log_lost',
  /** PostgreSQL's queue of notifications is half full: a session that listens is in a transaction that does not end. */
  'notify_queue_full',
  /** Pending transactions have three quarters of the bytes that they may have, at a relayer or at all. */
  'pending_bytes_high',
  /** The free space of SQLite's disk is kept for cancellations: sends are refused. */
  'disk_low',
] as const
export type ProcessCondition = (typeof processConditions)[number]

export interface HeldProcessCondition {
  readonly condition: ProcessCondition
  readonly since: TimestampMs
  /** A sentence for people, where the condition alone does not say why. */
  readonly reason?: string
}

/** Its section: a path at this service. */
export function pageOf(condition: ProcessCondition): string {
  return `/docs/alerts.md#${condition}`
}
