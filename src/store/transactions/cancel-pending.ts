// Bulk cancellation: one statement for the queue, or for a share of it, where every end is alike; one by one for nonces, lowest
// first.
import { sql } from 'kysely'
import type { BulkCancellation, BulkShare } from '../../domain/bulk-cancellation.ts'
import { cancel, cancelReasons } from '../../domain/cancel.ts'
import { StaleWrite } from '../../domain/errors.ts'
import { periodOf } from '../../domain/figures.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import { bulkStatuses } from '../../domain/refusals.ts'
import { type CancellationIntent, isTerminal, type Status, type Transaction } from '../../domain/transaction.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { lockRelayer } from '../relayers/relayers.ts'
import type { StoredStatus } from '../schema.ts'
import { type Executor, first, statement } from '../statement.ts'
import { countWritten, findBulkMark, markBulk, removeBulkMark } from './bulk-mark.ts'
import { lockTransaction } from './find-transaction.ts'
import { dropOf, saveTransaction } from './save-transaction.ts'
import { countQueued, type Tallies } from './tallies.ts'
import { runsByBucket } from './tally-buckets.ts'
import type { TransactionRow } from './transaction-row.ts'

const boundIds = statement<{ relayerId: RelayerId }, Pick<TransactionRow, 'id' | 'status' | 'cancel_cost_max'>>(
  (db, p) =>
    db
      .selectFrom('transactions')
      .select(['id', 'status', 'cancel_cost_max'])
      .where('relayer_id', '=', p.relayerId)
      .where(sql<boolean>`open = 1 AND nonce IS NOT NULL`)
      // As isTakenByBulk has it.
      .where('origin', '<>', 'gap')
      .orderBy('nonce'),
)

/**
 * Queued transactions are stored as `pending`, and those on hold as `held`: the index of statuses is the index of both. `isTakenByBulk`
 * takes every one of them; a test compares the two.
 */
const waitingStatuses = ['pending', 'held'] as const satisfies readonly StoredStatus[]
type Waiting = (typeof waitingStatuses)[number]

const origin = 'request' satisfies CancellationIntent['origin']
const status = 'canceled' satisfies Status

/** Rows in one statement: on a busy server a million would exceed its `statement_timeout`. */
const rowsAtOnce = 20_000

interface Range {
  relayerId: RelayerId
  waiting: Waiting
  /** The sequence before the first. */
  after: number
  /** The last sequence. */
  through: number
}

type Drop = Range & { now: number }

const nthOf = statement<Range & { skip: number }, { sequence: number }>((db, p) =>
  db
    .selectFrom('transactions')
    .select('sequence')
    .where('relayer_id', '=', p.relayerId)
    .where('status', '=', p.waiting)
    .where('sequence', '>', p.after)
    .where('sequence', '<=', p.through)
    .orderBy('sequence')
    .limit(1)
    .offset(p.skip),
)

/** The last sequence of each, where there is one. */
const lastOfEach = statement<{ relayerId: RelayerId }, { waiting: Waiting; sequence: number | null }>((db, p) => {
  const last = (waiting: Waiting) =>
    db
      .selectFrom('transactions')
      .select((eb) => [sql.lit(waiting).as('waiting'), eb.fn.max('sequence').as('sequence')])
      .where('relayer_id', '=', p.relayerId)
      .where('status', '=', waiting)
  return last('pending').unionAll(last('held'))
})

const publishDrops = statement<Drop>((db, p, dialect) =>
  db
    .insertInto('outbox')
    .columns(['relayer_id', 'transaction_id', 'status', 'status_reason', 'terminal', 'occurred_at', 'notification_id'])
    .expression(
      db
        .selectFrom('transactions')
        .select((eb) => [
          'relayer_id',
          'id',
          eb.val(status).as('status'),
          eb.val(cancelReasons[origin]).as('status_reason'),
          eb.val(1).as('terminal'),
          eb.val(p.now).as('occurred_at'),
          eb.selectFrom('relayers').select('notification_id').where('id', '=', p.relayerId).as('notification_id'),
        ])
        .where('relayer_id', '=', p.relayerId)
        .where('status', '=', p.waiting)
        // With a bound at each end, SQLite would read all sequences in between: hence the plus sign. PostgreSQL goes by the
        // queue, and would pass what this transaction has canceled.
        .where(dialect === 'sqlite' ? sql<boolean>`+sequence > ${p.after}` : (eb) => eb('sequence', '>', p.after))
        .where('sequence', '<=', p.through)
        .orderBy('sequence'),
    ),
)

// The same change as domain/cancel.ts makes to one waiting transaction; a test compares the two. The index of holds has none of
// the queue.
const dropWaiting = (waiting: Waiting) =>
  statement<Drop, { id: TransactionId; sequence: number }>((db, p) =>
    db
      .updateTable('transactions')
      .set({
        ...dropOf({
          phase: 'dropped',
          open: 0,
          status,
          status_reason: cancelReasons[origin],
          canceled_at: p.now,
          cancel_origin: origin,
          ended_at: p.now,
          drop_reason: status,
        }),
        ...(waiting === 'held' && { hold: null, held_until: null }),
        version: sql<number>`version + 1`,
      })
      .where('relayer_id', '=', p.relayerId)
      .where('status', '=', p.waiting)
      .where('sequence', '>', p.after)
      .where('sequence', '<=', p.through)
      .returning(['id', 'sequence']),
  )

const drops = { pending: dropWaiting('pending'), held: dropWaiting('held') } as const

export async function cancelPending(
  executor: Executor,
  tallies: Tallies,
  relayerId: RelayerId,
  now: TimestampMs,
  share?: number,
): Promise<BulkCancellation> {
  await lockRelayer(executor, relayerId)
  if (await findBulkMark(executor, relayerId))
    throw new StaleWrite(`the queue of relayer ${relayerId} is being canceled`)
  const bound = await cancelBound(executor, tallies, relayerId, now)
  // Not the relayer's last sequence: while units share a commit, its row may be behind them.
  const found = (await executor.all(lastOfEach, { relayerId })).filter((each) => each.sequence !== null)
  const through = Math.max(0, ...found.map(({ sequence }) => sequence ?? 0))
  const each = found.map(({ waiting }) => waiting)
  if (share !== undefined && (await hasMore(executor, relayerId, each, { through, share }))) {
    const unwritten = await countQueued(executor, tallies, relayerId)
    await markBulk(executor, relayerId, { through, requestedAt: now, unwritten })
    return { ...bound, isUnderWay: true }
  }
  const dropped: TransactionId[] = []
  for (const waiting of each) dropped.push(...(await dropAll(executor, tallies, { relayerId, waiting, now, through })))
  return { ...bound, canceled: [...bound.canceled, ...dropped] }
}

/** Than fit in one share. */
async function hasMore(
  executor: Executor,
  relayerId: RelayerId,
  each: readonly Waiting[],
  { through, share }: { readonly through: number; readonly share: number },
): Promise<boolean> {
  for (const waiting of each) {
    if (await first(executor, nthOf, { relayerId, waiting, after: 0, through, skip: share })) return true
  }
  return false
}

/** The oldest ones that the mark has taken, first those of the queue; with the last of them it removes the mark. */
export async function cancelShare(
  executor: Executor,
  tallies: Tallies,
  relayerId: RelayerId,
  share: number,
): Promise<BulkShare> {
  const mark = await findBulkMark(executor, relayerId)
  if (!mark) return { canceled: [], isLast: true }
  const { requestedAt: now } = mark
  const canceled: TransactionId[] = []
  for (const waiting of waitingStatuses) {
    const range = { relayerId, waiting, through: mark.through }
    const last = await first(executor, nthOf, { ...range, after: 0, skip: share - 1 })
    const through = last?.sequence ?? mark.through
    canceled.push(...(await dropAll(executor, tallies, { ...range, now, through })))
    if (!last) continue
    await countWritten(executor, relayerId, canceled.length)
    return { canceled, isLast: false }
  }
  await removeBulkMark(executor, relayerId)
  return { canceled, isLast: true }
}

async function dropAll(
  executor: Executor,
  tallies: Tallies,
  { relayerId, waiting, now, through }: Omit<Drop, 'after'>,
): Promise<readonly TransactionId[]> {
  const dropped: TransactionId[] = []
  for (let after = 0; ; ) {
    const last = await first(executor, nthOf, { relayerId, waiting, after, through, skip: rowsAtOnce - 1 })
    const part = { relayerId, waiting, now, after, through: last?.sequence ?? through }
    await executor.all(publishDrops, part)
    const rows = await executor.all(drops[waiting], part)
    rows.sort((one, other) => one.sequence - other.sequence)
    for (const { sequence, count } of runsByBucket(rows)) {
      tallies.count(relayerId, 'pending', sequence, -count)
      tallies.count(relayerId, status, sequence, count)
    }
    tallies.addFigures(relayerId, [{ at: periodOf(now), figures: { canceled: rows.length } }])
    for (const { id } of rows) dropped.push(id)
    if (!last) return dropped
    after = last.sequence
  }
}

async function cancelBound(
  executor: Executor,
  tallies: Tallies,
  relayerId: RelayerId,
  now: TimestampMs,
): Promise<BulkCancellation> {
  const canceled: TransactionId[] = []
  const failed: { id: TransactionId; reason: string }[] = []
  let [racing, lifted] = [0, 0]
  for (const bound of await executor.all(boundIds, { relayerId })) {
    const { id } = bound
    // One that is canceled already is no part of the result, and loses its bound.
    if (bound.status === status && bound.cancel_cost_max !== null) {
      const raced = await takeBack(executor, relayerId, id, now)
      if ('reason' in raced) failed.push({ id, reason: raced.reason })
      else await saveTransaction(executor, tallies, raced.before, raced.after, now)
      lifted += 1
      continue
    }
    if (!bulkStatuses.includes(bound.status)) continue
    const taken = await takeBack(executor, relayerId, id, now)
    if ('reason' in taken) {
      failed.push({ id, reason: taken.reason })
      continue
    }
    await saveTransaction(executor, tallies, taken.before, taken.after, now)
    canceled.push(id)
    if (!isTerminal(taken.after)) racing += 1
  }
  return { canceled, failed, racing, ...(lifted > 0 && { lifted }) }
}

/** Returns the reason for a row that can't be read or canceled, so that it blocks no other; a failed write ends the unit. */
async function takeBack(
  executor: Executor,
  relayerId: RelayerId,
  id: TransactionId,
  now: TimestampMs,
): Promise<{ before: Transaction; after: Transaction } | { reason: string }> {
  try {
    const before = await lockTransaction(executor, relayerId, id)
    if (!before) return { reason: 'it is gone' }
    return { before, after: cancel(before, now) }
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}
