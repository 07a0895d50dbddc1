// Drops transactions that have no nonce: one statement for a range of them, where every end is alike.
import { sql } from 'kysely'
import { noCounts } from '../../domain/bulk-counts.ts'
import { type BulkFilter, isEverything } from '../../domain/bulk-filter.ts'
import { cancelReasons } from '../../domain/cancel.ts'
import { periodOf } from '../../domain/figures.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import type { SequenceSet } from '../../domain/sequence-runs.ts'
import type { CancellationIntent, Status } from '../../domain/transaction.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { QueuedMatch, QueuePosition } from '../bulk-port.ts'
import { type DialectName, type Executor, first, type Statement, statement } from '../statement.ts'
import { type Json, toJson } from '../values.ts'
import {
  type FilterParameters,
  filterParameters,
  isMatch,
  isNamed,
  type QueuedStatus,
  statusesToWalk,
} from './bulk-filter.ts'
import { dropOf } from './save-transaction.ts'
import type { Tallies } from './tallies.ts'
import { runsByBucket } from './tally-buckets.ts'

const origin = 'request' satisfies CancellationIntent['origin']
const status = 'canceled' satisfies Status
/** The API's status of a transaction without a nonce. */
const pending = 'pending' satisfies Status

/** Rows in one statement: on a busy server a million would exceed its `statement_timeout`. */
const rowsAtOnce = 20_000

interface Range {
  readonly relayerId: RelayerId
  readonly queued: QueuedStatus
  /** The sequence before the first. */
  readonly after: number
  /** The last sequence. */
  readonly through: number
}

type Drop = Range & FilterParameters & { now: number; part: number; shown: Json<readonly number[]> }

/** `queue`: all of a range. `filtered`: those that match. `named`: those of the filter's ids. `shown`: those of these sequences. */
type Kind = Matching | 'shown'
type Matching = 'queue' | 'filtered' | 'named'

function kindOf(filter: BulkFilter): Matching {
  if (filter.ids) return 'named'
  return isEverything(filter) ? 'queue' : 'filtered'
}

// As row values: with an equality and plain bounds at both ends SQLite would prefer the index of all sequences.
const isInRange = (p: Range) =>
  sql<boolean>`relayer_id = ${p.relayerId} AND (status, sequence) > (${p.queued}, ${p.after})
    AND (status, sequence) <= (${p.queued}, ${p.through})`

function isDropped(kind: Kind, p: Drop, dialect: DialectName) {
  if (kind !== 'shown') return isMatching(kind, p, dialect)
  // By the index of sequences.
  return dialect === 'postgres'
    ? sql<boolean>`relayer_id = ${p.relayerId} AND (status || '') = ${p.queued}
        AND sequence = ANY(ARRAY(SELECT CAST(each AS BIGINT) FROM json_array_elements_text(CAST(${p.shown} AS json)) AS each))`
    : sql<boolean>`relayer_id = ${p.relayerId} AND (status || '') = ${p.queued}
        AND sequence IN (SELECT value FROM json_each(${p.shown}))`
}

function isMatching(kind: Matching, p: Range & FilterParameters, dialect: DialectName) {
  if (kind === 'queue') return isInRange(p)
  if (kind === 'filtered') return sql<boolean>`${isInRange(p)} AND ${isMatch(p, dialect)}`
  return sql<boolean>`${isNamed(p, dialect)} AND (relayer_id || '') = ${p.relayerId} AND (status || '') = ${p.queued}
    AND +sequence > ${p.after} AND +sequence <= ${p.through} AND ${isMatch(p, dialect)}`
}

const nthInRange = statement<Range & { skip: number }, { sequence: number }>((db, p) =>
  db
    .selectFrom('transactions')
    .select('sequence')
    .where(isInRange(p))
    .orderBy('status')
    .orderBy('sequence')
    .limit(1)
    .offset(p.skip),
)

/** The sequence of the `count`-th transaction of the range. Undefined if it has fewer. */
export async function nthOf(executor: Executor, range: Range, count: number): Promise<number | undefined> {
  return (await first(executor, nthInRange, { ...range, skip: count - 1 }))?.sequence
}

const lastQueued = statement<Pick<Range, 'relayerId' | 'queued'>, { sequence: number }>((db, p) =>
  db
    .selectFrom('transactions')
    .select('sequence')
    .where('relayer_id', '=', p.relayerId)
    .where('status', '=', p.queued)
    .orderBy('sequence', 'desc')
    .limit(1),
)

/** 0 if there is none. Not the relayer's last sequence: while units share a commit, its row may be behind them. */
export async function lastOf(executor: Executor, relayerId: RelayerId, queued: QueuedStatus): Promise<number> {
  return (await first(executor, lastQueued, { relayerId, queued }))?.sequence ?? 0
}

const publishing = (kind: Kind): Statement<Drop, never> =>
  statement<Drop>((db, p, dialect) =>
    db
      .insertInto('outbox')
      .columns([
        ...(['relayer_id', 'transaction_id', 'status', 'status_reason', 'terminal', 'occurred_at'] as const),
        'notification_id',
      ])
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
          .where(isDropped(kind, p, dialect))
          // As the index of statuses, so that no plan prefers that of all sequences for its order.
          .orderBy('transactions.status')
          .orderBy('sequence'),
      ),
  )

// The same change as domain/cancel.ts makes to one transaction without a nonce; a test compares the two. The index of holds has none of
// the queue.
const dropping = (kind: Kind, queued: QueuedStatus) =>
  statement<Drop, { id: TransactionId; sequence: number }>((db, p, dialect) =>
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
        ...(queued === 'held' && { hold: null, held_until: null }),
        bulk_part: p.part,
        version: sql<number>`version + 1`,
      })
      .where(isDropped(kind, p, dialect))
      .returning(['id', 'sequence']),
  )

const publishDrops = {
  ...{ queue: publishing('queue'), filtered: publishing('filtered') },
  ...{ named: publishing('named'), shown: publishing('shown') },
}
const dropsOf = (queued: QueuedStatus) => ({
  queue: dropping('queue', queued),
  filtered: dropping('filtered', queued),
  named: dropping('named', queued),
  shown: dropping('shown', queued),
})
const dropRows = { pending: dropsOf('pending'), held: dropsOf('held') } satisfies Record<QueuedStatus, unknown>

const finding = (kind: Matching): Statement<Range & FilterParameters, QueuedMatch> =>
  statement<Range & FilterParameters, QueuedMatch>((db, p, dialect) =>
    db
      .selectFrom('transactions')
      .select(['id', 'sequence'])
      .where(isMatching(kind, p, dialect))
      // As in `publishing`.
      .orderBy('status')
      .orderBy('sequence'),
  )

const findings = { queue: finding('queue'), filtered: finding('filtered'), named: finding('named') }

/** The matches among the next `count` rows of the queue. */
export async function findQueued(
  executor: Executor,
  relayerId: RelayerId,
  { filter, now, count }: { readonly filter: BulkFilter; readonly now: TimestampMs; readonly count: number },
  from?: QueuePosition,
): Promise<{ readonly found: readonly QueuedMatch[]; readonly next?: QueuePosition }> {
  const statuses = statusesToWalk(filter)
  const start = async (queued: QueuedStatus | undefined) =>
    queued && { queued, after: 0, through: await lastOf(executor, relayerId, queued) }
  const at = from ?? (await start(statuses[0]))
  if (!at) return { found: [] }
  const kind = kindOf(filter)
  const last = kind === 'named' ? undefined : await nthOf(executor, { relayerId, ...at }, count)
  const range = { relayerId, ...at, through: last ?? at.through }
  const found = await executor.all(findings[kind], { ...range, ...filterParameters(filter, now) })
  const next = last === undefined ? await start(statuses[statuses.indexOf(at.queued) + 1]) : { ...at, after: last }
  return { found, ...(next && { next }) }
}

interface Dropping extends Range {
  readonly filter: BulkFilter
  /** The bulk cancellation's part at the relayer. */
  readonly part: number
  readonly now: TimestampMs
  /** The matches of a preview: no others are dropped. */
  readonly shown?: SequenceSet | undefined
}

/** Drops the matches of the range, oldest first, and returns them. */
export async function dropMatches(
  executor: Executor,
  tallies: Tallies,
  { filter, shown, ...given }: Dropping,
): Promise<readonly TransactionId[]> {
  const parameters = { ...given, ...filterParameters(filter, given.now), shown: toJson<readonly number[]>([]) }
  const dropped: TransactionId[] = []
  for (let { after } = given; ; ) {
    const range = { ...given, after }
    const last = filter.ids ? undefined : await nthOf(executor, range, rowsAtOnce)
    const drop = { ...parameters, after, through: last ?? given.through }
    const rows = await dropThrough(executor, drop, kindOf(filter), shown)
    count(tallies, drop, rows)
    for (const { id } of rows) dropped.push(id)
    if (last === undefined) return dropped
    after = last
  }
}

async function dropThrough(
  executor: Executor,
  drop: Drop,
  kind: Matching,
  shown: SequenceSet | undefined,
): Promise<QueuedMatch[]> {
  if (!shown) {
    await executor.all(publishDrops[kind], drop)
    return executor.all(dropRows[drop.queued][kind], drop)
  }
  const found = await executor.all(findings[kind], drop)
  const sequences = found.map(({ sequence }) => sequence).filter((sequence) => shown.has(sequence))
  if (sequences.length === 0) return []
  const those = { ...drop, shown: toJson<readonly number[]>(sequences) }
  await executor.all(publishDrops.shown, those)
  return executor.all(dropRows[drop.queued].shown, those)
}

/** Sorts the rows by their sequences. */
function count(tallies: Tallies, { relayerId, now, part }: Drop, rows: { sequence: number }[]): void {
  if (rows.length === 0) return
  rows.sort((one, other) => one.sequence - other.sequence)
  for (const run of runsByBucket(rows)) {
    tallies.count(relayerId, pending, run.sequence, -run.count)
    tallies.count(relayerId, status, run.sequence, run.count)
  }
  tallies.addFigures(relayerId, [{ at: periodOf(now), figures: { canceled: rows.length } }])
  tallies.addBulk({ part, at: now, counts: { ...noCounts, dropped: rows.length, safe: rows.length } })
}
