// Counts and drops transactions that have no nonce: one statement for a range of them, where every end is alike.
import { sql } from 'kysely'
import { noCounts } from '../../../domain/bulk-counts.ts'
import { type BulkFilter, isEverything } from '../../../domain/bulk-filter.ts'
import { cancelReasons } from '../../../domain/cancel.ts'
import { periodOf } from '../../../domain/figures.ts'
import type { RelayerId, TransactionId } from '../../../domain/ids.ts'
import type { CancellationIntent, Status } from '../../../domain/transaction.ts'
import type { TimestampMs } from '../../../domain/units.ts'
import type { BulkMatches, MatchRequest } from '../../bulk-port.ts'
import { inQueue, onHold } from '../../open-rows.ts'
import { type DialectName, type Executor, first, statement } from '../../statement.ts'
import { type Json, payloadBytes, toJson } from '../../values.ts'
import type { Tallies } from '../counted/tallies.ts'
import { dropOf } from '../written/save-transaction.ts'
import {
  type FilterParameters,
  filterParameters,
  isMatch,
  isNamed,
  type QueuedStatus,
  statusesToWalk,
} from './bulk-filter.ts'

const origin = 'request' satisfies CancellationIntent['origin']
const status = 'canceled' satisfies Status
/** The API's status of a transaction without a nonce. */
const pending = 'pending' satisfies Status

/** Rows in one statement: on a busy server a million would exceed its `statement_timeout`. */
const rowsAtOnce = 1_000

interface Range {
  readonly relayerId: RelayerId
  readonly queued: QueuedStatus
  /** The sequence before the first. */
  readonly after: number
  /** The last sequence. */
  readonly through: number
}

type Finding = Range & FilterParameters
type Drop = Finding & { now: number; part: number }

/** `queue`: all of a range. `filtered`: those that match. `named`: those of the filter's ids. */
type Kind = 'queue' | 'filtered' | 'named'

function kindOf(filter: BulkFilter): Kind {
  if (filter.ids) return 'named'
  return isEverything(filter) ? 'queue' : 'filtered'
}

const conditions = { pending: inQueue, held: onHold } satisfies Record<QueuedStatus, unknown>

const isInRange = (queued: QueuedStatus, p: Range) =>
  sql<boolean>`relayer_id = ${p.relayerId} AND ${conditions[queued]} AND sequence > ${p.after} AND sequence <= ${p.through}`

function isMatching(kind: Kind, queued: QueuedStatus, p: Finding, dialect: DialectName) {
  if (kind === 'queue') return isInRange(queued, p)
  if (kind === 'filtered') return sql<boolean>`${isInRange(queued, p)} AND ${isMatch(p, dialect)}`
  return sql<boolean>`${isNamed(p, dialect)} AND (relayer_id || '') = ${p.relayerId} AND (status || '') = ${sql.lit(queued)}
    AND +sequence > ${p.after} AND +sequence <= ${p.through} AND ${isMatch(p, dialect)}`
}

const ofEach = <T>(of: (queued: QueuedStatus) => T) => ({ pending: of('pending'), held: of('held') })
const ofEachKind = <T>(of: (kind: Kind, queued: QueuedStatus) => T) =>
  ofEach((queued) => ({ queue: of('queue', queued), filtered: of('filtered', queued), named: of('named', queued) }))

const nthInRange = ofEach((queued) =>
  statement<Range & { skip: number }, { sequence: number }>((db, p) =>
    db
      .selectFrom('transactions')
      .select('sequence')
      .where(isInRange(queued, p))
      .orderBy('sequence')
      .limit(1)
      .offset(p.skip),
  ),
)

/** The sequence of the `count`-th transaction of the range. Undefined if it has fewer. */
async function nthOf(executor: Executor, range: Range, count: number): Promise<number | undefined> {
  return (await first(executor, nthInRange[range.queued], { ...range, skip: count - 1 }))?.sequence
}

const lastQueued = ofEach((queued) =>
  statement<Pick<Range, 'relayerId'>, { sequence: number }>((db, p) =>
    db
      .selectFrom('transactions')
      .select('sequence')
      .where('relayer_id', '=', p.relayerId)
      .where(conditions[queued])
      .orderBy('sequence', 'desc')
      .limit(1),
  ),
)

/** 0 if there is none. Not the relayer's last sequence: while units share a commit, its row may be behind them. */
export async function lastOf(executor: Executor, relayerId: RelayerId, queued: QueuedStatus): Promise<number> {
  return (await first(executor, lastQueued[queued], { relayerId }))?.sequence ?? 0
}

interface Publishing {
  relayerId: RelayerId
  ids: Json<readonly TransactionId[]>
  now: number
}

const publish = statement<Publishing>((db, p, dialect) =>
  db
    .insertInto('outbox')
    .columns([
      ...(['relayer_id', 'transaction_id', 'status', 'status_reason', 'terminal', 'occurred_at'] as const),
      'notification_id',
    ])
    .expression(
      db
        .selectFrom(listed(p.ids, dialect).as('dropped'))
        .select((eb) => [
          eb.val(p.relayerId).as('relayer_id'),
          'dropped.id',
          eb.val(status).as('status'),
          eb.val(cancelReasons[origin]).as('status_reason'),
          eb.val(1).as('terminal'),
          eb.val(p.now).as('occurred_at'),
          eb.selectFrom('relayers').select('notification_id').where('id', '=', p.relayerId).as('notification_id'),
        ])
        .orderBy('dropped.position'),
    ),
)

/** The ids of a list in its order. */
function listed(ids: Json<readonly TransactionId[]>, dialect: DialectName) {
  return dialect === 'postgres'
    ? sql<{
        id: TransactionId
        position: number
      }>`(SELECT id, position FROM json_array_elements_text(CAST(${ids} AS json)) WITH ORDINALITY AS each (id, position))`
    : sql<{ id: TransactionId; position: number }>`(SELECT value AS id, key AS position FROM json_each(${ids}))`
}

/** Writes the events of transactions that `dropMatches` dropped, in their order. */
export async function publishDropped(
  executor: Executor,
  relayerId: RelayerId,
  dropped: readonly TransactionId[],
  now: TimestampMs,
): Promise<void> {
  for (let from = 0; from < dropped.length; from += rowsAtOnce) {
    if (from > 0) await executor.turnOfEventLoop?.()
    await executor.all(publish, { relayerId, ids: toJson(dropped.slice(from, from + rowsAtOnce)), now })
  }
}

// The same change as domain/cancel.ts makes to one transaction without a nonce; a test compares the two. The index of holds has none of
// the queue.
const dropping = (kind: Kind, queued: QueuedStatus) =>
  statement<Drop, { id: TransactionId; sequence: number; bytes: number }>((db, p, dialect) =>
    db
      .updateTable('transactions')
      .set({
        ...dropOf({
          phase: 'dropped',
          open: 0,
          status,
          listed_status: status,
          status_reason: cancelReasons[origin],
          canceled_at: p.now,
          cancel_origin: origin,
          verdict: 'dropped',
          ended_at: p.now,
          drop_reason: status,
        }),
        ...(queued === 'held' && { hold: null, held_until: null }),
        bulk_part: p.part,
        version: sql<number>`version + 1`,
      })
      .where(isMatching(kind, queued, p, dialect))
      .returning(['id', 'sequence', payloadBytes.as('bytes')]),
  )

const dropRows = ofEachKind(dropping)

const counting = (kind: Kind, queued: QueuedStatus) =>
  statement<Finding, { count: number }>((db, p, dialect) =>
    db
      .selectFrom('transactions')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where(isMatching(kind, queued, p, dialect)),
  )

const findingOldest = (kind: Kind, queued: QueuedStatus) =>
  statement<Finding & { limit: number }, { id: TransactionId }>((db, p, dialect) =>
    db
      .selectFrom('transactions')
      .select('id')
      .where(isMatching(kind, queued, p, dialect))
      .orderBy('sequence')
      .limit(p.limit),
  )

const counts = ofEachKind(counting)
const oldestOf = ofEachKind(findingOldest)

/** The matches without a nonce. */
export async function countMatches(
  executor: Executor,
  relayerId: RelayerId,
  { filter, now, oldest: wanted }: MatchRequest,
): Promise<BulkMatches['queued']> {
  const kind = kindOf(filter)
  const oldest: TransactionId[] = []
  let total = 0
  for (const queued of statusesToWalk(filter)) {
    const last = await lastOf(executor, relayerId, queued)
    for (let after = 0; after < last; ) {
      const range = { relayerId, queued, after, through: last }
      const through = (kind === 'named' ? undefined : await nthOf(executor, range, rowsAtOnce)) ?? last
      const finding = { ...range, through, ...filterParameters(filter, now) }
      const { count: found = 0 } = (await first(executor, counts[queued][kind], finding)) ?? {}
      const limit = Math.min(found, wanted - oldest.length)
      if (limit > 0)
        for (const { id } of await executor.all(oldestOf[queued][kind], { ...finding, limit })) oldest.push(id)
      total += found
      after = through
      await executor.turnOfEventLoop?.()
    }
  }
  return { count: total, oldest }
}

interface Dropping extends Omit<Range, 'after'> {
  readonly filter: BulkFilter
  /** The bulk cancellation's part at the relayer. */
  readonly part: number
  readonly now: TimestampMs
}

/** Drops the matches up to a sequence, oldest first, and returns them. `publishDropped` writes their events. */
export async function dropMatches(
  executor: Executor,
  tallies: Tallies,
  { filter, ...given }: Dropping,
): Promise<readonly TransactionId[]> {
  const kind = kindOf(filter)
  const parameters = { ...given, ...filterParameters(filter, given.now) }
  const dropped: TransactionId[] = []
  for (let after = 0; ; ) {
    const range = { ...given, after }
    const last = filter.ids ? undefined : await nthOf(executor, range, rowsAtOnce)
    const drop = { ...parameters, after, through: last ?? given.through }
    const rows = await executor.all(dropRows[drop.queued][kind], drop)
    count(tallies, drop, rows)
    // The statement returns them in any order.
    rows.sort((one, other) => one.sequence - other.sequence)
    for (const { id } of rows) dropped.push(id)
    if (last === undefined) return dropped
    after = last
    await executor.turnOfEventLoop?.()
  }
}

function count(tallies: Tallies, { relayerId, now, part }: Drop, rows: readonly { readonly bytes: number }[]): void {
  if (rows.length === 0) return
  tallies.count(relayerId, pending, -rows.length)
  tallies.count(relayerId, status, rows.length)
  tallies.count(
    relayerId,
    'bytes',
    rows.reduce((sum, { bytes }) => sum - bytes, 0),
  )
  tallies.addFigures(relayerId, [{ at: periodOf(now), figures: { canceled: rows.length } }])
  tallies.addBulk({ part, at: now, counts: { ...noCounts, dropped: rows.length, safe: rows.length } })
}
