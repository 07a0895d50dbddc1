// The limits and defaults of configuration and decisions, in one place; the relations between them are asserted below.
// Those of HTTP stand in http/limits.ts.
import { policyTable } from '../domain/policy-table.ts'
import { aloneAfterMs } from '../domain/second-witness.ts'

export const limits = {
  /** Pending transactions that one relayer may hold. */
  queueMax: 1_000_000,
  /** The same on SQLite: one commit cancels them, and other requests wait that long. */
  queueMaxOnSqlite: 50_000,
  /** Bytes of the payloads of pending transactions, at a relayer and at all: with so many, no further send or PUT is taken. */
  pendingBytesMax: 2 * 2 ** 30,
  allPendingBytesMax: 8 * 2 ** 30,
  /**
   * On SQLite the disk keeps so much free for cancellations and the owner's writes: a base, the payloads of all pending transactions, and
   * for each of these what its cancellation writes beside its row. While a reader has a snapshot open nothing of the log is used again.
   * In a full queue a cancellation in a commit of its own wrote up to 59 KiB beside its row, with labels, a hold, an expiry and a notification.
   */
  diskKeptBytes: 256 * 2 ** 20,
  cancelBytesMax: 64 * 2 ** 10,
  /** Relayers that a bulk cancellation stops at once, on PostgreSQL; on SQLite, which has one writer, one after the other. */
  bulkStopsAtOnce: 8,
  /** How often a replica looks for relayers that another one left to stop. */
  bulkLookEveryMs: 2_000,
  /** Transactions of one relayer with a nonce and no receipt. */
  maxInFlightMax: policyTable.maxInFlight.max,

  rpcTimeoutMs: 10_000,

  /** Patience: blocks that a send, and a no-op, wait before they are priced anew; then a lost one is broadcast again. */
  bumpAfterBlocks: 3,
  cancelBumpAfterBlocks: 2,
  /** And so long at least: on a chain of four blocks a second three of them prove little. */
  bumpAfterMs: 3_000,
  cancelBumpAfterMs: 2_000,
  rebroadcastAfterBlocks: 4,
  rebroadcastAfterMs: 8_000,
  /** Then a single provider's word is final, unless `second_witness` is `require`. */
  witnessSilentMs: aloneAfterMs,
  /** Confirmed transactions that become final, or open again, in one step. */
  confirmedRowsMax: 500,

  requiredConfirmationsDefault: 12,
  requiredConfirmationsMax: 10_000,
  averageBlockTimeMsDefault: 12_000,
  averageBlockTimeMsMax: 3_600_000,
  statusCheckSecondsMax: 86_400,

  /** Events that nobody waits for any more: how long they stay to be streamed, and how many at most. */
  eventsKeptMs: 7 * 86_400_000,
  eventsKeptMax: 1_000_000,
  /** Events that a notification did not take within a day: how long they stay, and how many of each notification at most. */
  deadLettersKeptMs: 30 * 86_400_000,
  deadLettersKeptMax: 100_000,
  /** Shorter than this, a transaction would go before its events. */
  transactionDaysMin: 8,
  idempotencyKeyDaysMin: 1,
  retentionDaysMax: 36_500,

  rateLimitPerSecondDefault: 100,
  rateLimitBurstDefault: 300,
  rpcAnswerBytesDefault: 1_048_576,
  /** Longer than those of the known proxies, the longest of which is Google's with 600: else a request meets a closed connection. */
  idleConnectionSecondsDefault: 650,
  rpcAnswerBytesMin: 1_024,
  rpcAnswerBytesMax: 8 * 1_048_576,
  rateLimitMax: 1_000_000,
  /** The audit log: the oldest entries of the key with the most go when there are more, and all that are older. */
  auditEntriesMax: 1_000_000,
  auditDaysMax: 400,
  /** Bulk cancellations that are kept, with their counts; those that took and paused nothing stay for a shorter time. */
  bulksMax: 100_000,
  bulkDaysMax: 400,
  emptyBulkDaysMax: 1,

  apiKeyCharactersMin: 32,
  signingKeyCharactersMin: 32,
} as const

export type Limits = { readonly [name in keyof typeof limits]: number }

/** Throws on limits that contradict each other: a mistake in this file, found at start rather than at 3 a.m. */
export function assertLimits(all: Limits): void {
  const relations: readonly (readonly [boolean, string])[] = [
    [Object.values(all).every((limit) => Number.isSafeInteger(limit) && limit > 0), 'each is a positive whole number'],
    [all.maxInFlightMax <= all.queueMaxOnSqlite, 'maxInFlightMax <= queueMaxOnSqlite'],
    [all.queueMaxOnSqlite <= all.queueMax, 'queueMaxOnSqlite <= queueMax'],
    [all.pendingBytesMax <= all.allPendingBytesMax, 'pendingBytesMax <= allPendingBytesMax'],
    [all.cancelBumpAfterBlocks <= all.bumpAfterBlocks, 'cancelBumpAfterBlocks <= bumpAfterBlocks: cancels are urgent'],
    [all.cancelBumpAfterMs <= all.bumpAfterMs, 'cancelBumpAfterMs <= bumpAfterMs'],
    [all.bumpAfterBlocks < all.rebroadcastAfterBlocks, 'bumpAfterBlocks < rebroadcastAfterBlocks'],
    [all.requiredConfirmationsDefault <= all.requiredConfirmationsMax, 'requiredConfirmationsDefault <= …Max'],
    [all.averageBlockTimeMsDefault <= all.averageBlockTimeMsMax, 'averageBlockTimeMsDefault <= …Max'],
    [all.eventsKeptMs < all.transactionDaysMin * 86_400_000, 'eventsKeptMs < transactionDaysMin'],
    [all.transactionDaysMin <= all.retentionDaysMax, 'transactionDaysMin <= retentionDaysMax'],
    [all.idempotencyKeyDaysMin <= all.retentionDaysMax, 'idempotencyKeyDaysMin <= retentionDaysMax'],
    [all.rateLimitPerSecondDefault <= all.rateLimitBurstDefault, 'rateLimitPerSecondDefault <= rateLimitBurstDefault'],
    [all.rateLimitBurstDefault <= all.rateLimitMax, 'rateLimitBurstDefault <= rateLimitMax'],
  ]
  const broken = relations.filter(([holds]) => !holds).map(([, relation]) => relation)
  if (broken.length > 0) throw new Error(`limits contradict each other: ${broken.join('; ')}`)
}

assertLimits(limits)
