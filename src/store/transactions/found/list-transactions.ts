// Lists transactions by pages, newest first. Without a filter, or by status alone, a page comes from two indexes at most and the total is a
// stored tally. Other filters go by find-matches.ts.
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { RelayerId, TransactionId } from '../../../domain/ids.ts'
import { type Status, statuses, type Transaction } from '../../../domain/transaction.ts'
import { isAmong } from '../../in-lists.ts'
import type { ListPage, ListPosition, ListRequest, TransactionFilter, TransactionItem } from '../../list-port.ts'
import { inProgress, inQueue, onHold } from '../../open-rows.ts'
import type { Schema } from '../../schema.ts'
import { type Executor, first, type QueryBuilder, statement } from '../../statement.ts'
import { toJson } from '../../values.ts'
import { countByStatus } from '../counted/tallies.ts'
import type { Ids } from '../rows/find-transaction.ts'
import { findMatches } from './find-matches.ts'
import { itemsOf, type LightRow, lightColumns } from './light-rows.ts'

interface Window {
  relayerId: RelayerId
  /** The list goes on below it. */
  below: number
  limit: number
  offset: number
}

/** Beyond every sequence. */
const top = Number.MAX_SAFE_INTEGER

// The rows before the page are passed over in the index alone.
const ofRelayer = statement<Window, LightRow>((db, p) =>
  db
    .selectFrom('transactions')
    .select(lightColumns)
    .where('relayer_id', '=', p.relayerId)
    .where('sequence', '<=', (eb) =>
      eb
        .selectFrom('transactions')
        .select('sequence')
        .where('relayer_id', '=', p.relayerId)
        .where('sequence', '<', p.below)
        .orderBy('sequence', 'desc')
        .limit(1)
        .offset(p.offset),
    )
    .orderBy('sequence', 'desc')
    .limit(p.limit),
)

type Positions = SelectQueryBuilder<Schema, 'transactions', { sequence: number }>

/** The sequences below the window's beginning, by the index that has the condition. */
const positionsOf = (
  db: QueryBuilder,
  p: Pick<Window, 'relayerId' | 'below'>,
  condition: RawBuilder<boolean>,
): Positions =>
  db
    .selectFrom('transactions')
    .select('sequence')
    .where('relayer_id', '=', p.relayerId)
    .where(condition)
    .where('sequence', '<', p.below)

/** A window of two indexed ranges, which the database merges by sequence. */
function merged(db: QueryBuilder, p: Window, one: Positions, other: Positions) {
  const page = one.unionAll(other).orderBy('sequence', 'desc').limit(p.limit).offset(p.offset)
  return db
    .selectFrom('transactions')
    .select(lightColumns)
    .where('relayer_id', '=', p.relayerId)
    .where('sequence', 'in', db.selectFrom(page.as('page')).select('sequence'))
    .orderBy('sequence', 'desc')
}

/** Transactions on hold are pending too. */
const ofPending = statement<Window, LightRow>((db, p) =>
  merged(db, p, positionsOf(db, p, inQueue), positionsOf(db, p, onHold)),
)

type OfStatus = Pick<Window, 'relayerId' | 'below'> & { readonly status: Status }

const inProgressOf = (db: QueryBuilder, p: OfStatus) => positionsOf(db, p, inProgress).where('status', '=', p.status)

const countInProgress = statement<OfStatus, { count: number }>((db, p) =>
  db.selectFrom(inProgressOf(db, p).as('each')).select((eb) => eb.fn.countAll<number>().as('count')),
)

interface Settled {
  /** So many of the confirmed and ended ones are passed over in their index, and so many are merged. */
  readonly passed: number
  readonly among: number
}

const ofStatus = statement<Window & OfStatus & Settled, LightRow>((db, p) => {
  const settled = positionsOf(db, p, sql`listed_status = ${p.status}`)
    .orderBy('sequence', 'desc')
    .limit(p.among)
    .offset(p.passed)
  return merged(db, p, inProgressOf(db, p), db.selectFrom(settled.as('transactions')).select('sequence'))
})

/** The whole page in memory. */
export async function listTransactions(
  executor: Executor,
  relayerId: RelayerId,
  filter: TransactionFilter,
  page: ListRequest,
): Promise<ListPage<Transaction>> {
  const { items, ...others } = await listItems(executor, relayerId, filter, page)
  const read = await Promise.all(items.map((item) => item.read()))
  return { items: read.filter((each) => each !== undefined), ...others }
}

export async function listItems(
  executor: Executor,
  relayerId: RelayerId,
  filter: TransactionFilter,
  page: ListRequest,
): Promise<ListPage<TransactionItem>> {
  const { status, ...others } = filter
  const isFiltered = Object.values(others).some((each) => each !== undefined)
  return isFiltered ? listMatches(executor, relayerId, filter, page) : listByStatus(executor, relayerId, status, page)
}

async function listByStatus(
  executor: Executor,
  relayerId: RelayerId,
  status: Status | undefined,
  { page, perPage, before }: ListRequest,
): Promise<ListPage<TransactionItem>> {
  const counts = await countByStatus(executor, relayerId)
  const total = status ? counts[status] : statuses.reduce((sum, each) => sum + counts[each], 0)
  const offset = (page - 1) * perPage
  if (offset >= total) return { items: [], total }

  // One more row says whether the list goes on.
  const window = { relayerId, below: before?.sequence ?? top, limit: perPage + 1, offset }
  const found = await findPage(executor, status, window)
  const rows = found.slice(0, perPage)
  const last = found.length > perPage ? rows.at(-1) : undefined
  return {
    items: await itemsOf(executor, rows),
    total,
    ...(last && { next: { sequence: last.sequence, createdAt: last.created_at } }),
  }
}

async function findPage(executor: Executor, status: Status | undefined, window: Window): Promise<LightRow[]> {
  if (status === undefined) return executor.all(ofRelayer, window)
  if (status === 'pending') return executor.all(ofPending, window)
  const counted = await first(executor, countInProgress, { ...window, status })
  // Those in progress are few. No more of the others than these lie behind the window's beginning once the rest is passed over.
  const passed = Math.max(0, window.offset - (counted?.count ?? 0))
  const offset = window.offset - passed
  return executor.all(ofStatus, { ...window, status, offset, passed, among: offset + window.limit })
}

async function listMatches(
  executor: Executor,
  relayerId: RelayerId,
  filter: TransactionFilter,
  { page, perPage, before }: ListRequest,
): Promise<ListPage<TransactionItem>> {
  const { found, end } = await findMatches(executor, relayerId, filter, before)
  const through = page * perPage
  const shown = found.slice(through - perPage, through)
  const last = found.length > through ? shown.at(-1) : end
  return {
    items: await itemsWith(
      executor,
      relayerId,
      shown.map(({ id }) => id),
    ),
    total: found.length,
    ...((end || before) && { isAtLeast: true as const }),
    ...(last && { next: { sequence: last.sequence, createdAt: last.createdAt } }),
    ...(end && { lookedBackTo: end.createdAt }),
  }
}

const byIds = statement<Ids, LightRow>((db, p, dialect) =>
  db
    .selectFrom('transactions')
    .select(lightColumns)
    .where(isAmong('id', p.ids, dialect)),
)

/** The relayer's transactions of `ids` that still exist, in that order. */
export async function itemsWith(
  executor: Executor,
  relayerId: RelayerId,
  ids: readonly TransactionId[],
): Promise<TransactionItem[]> {
  if (ids.length === 0) return []
  const rows = await executor.all(byIds, { ids: toJson(ids) })
  const found = new Map(rows.filter((row) => row.relayer_id === relayerId).map((row) => [row.id, row]))
  return itemsOf(
    executor,
    ids.flatMap((id) => found.get(id) ?? []),
  )
}

const byId = statement<{ id: TransactionId }, { relayer_id: RelayerId; sequence: number; created_at: number }>(
  (db, p) => db.selectFrom('transactions').select(['relayer_id', 'sequence', 'created_at']).where('id', '=', p.id),
)

export async function positionOf(
  executor: Executor,
  relayerId: RelayerId,
  id: TransactionId,
): Promise<ListPosition | undefined> {
  const row = await first(executor, byId, { id })
  return row?.relayer_id === relayerId ? { sequence: row.sequence, createdAt: row.created_at } : undefined
}
