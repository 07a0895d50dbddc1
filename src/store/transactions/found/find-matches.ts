// Finds the transactions that a filter matches, newest first, among the rows that one index yields: at most `rowsLookedAtMax` of them, from
// a position on. An index serves the filter as far as it can, and every row between its two ends is compared with the rest.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { RelayerId, TransactionId } from '../../../domain/ids.ts'
import type { ListPosition, Match, Matches, TransactionFilter } from '../../list-port.ts'
import { inProgress, inQueue, onHold, withNonce } from '../../open-rows.ts'
import { type DialectName, type Executor, first, type Statement, statement } from '../../statement.ts'
import { recordOf } from '../../values.ts'
import { isValueBetween, type ValueBounds, valueBounds } from '../rows/value-bounds.ts'
import { hasExternalId, hasTag } from '../written/labels.ts'

/** Rows that one request looks at. */
const rowsLookedAtMax = 10_000

/**
 * The index by which the rows are found. `id` and `nonces` yield all rows in question, the others a window of them: `externalId` and `tag`
 * by tables of their own.
 */
type Path = 'id' | PartOfNonces | 'externalId' | 'tag' | 'receiver' | 'created' | 'verdict' | 'sequence' | PartOfStatus

/** The open and the ended transactions of a range of nonces. */
type PartOfNonces = 'openNonces' | 'nonces'

/** A status has two parts with an index each. `status`: the confirmed and the ended ones. */
type PartOfStatus = 'queue' | 'held' | 'progress' | 'status'

/** The conditions of a statement. Bounds that a filter lacks are open. */
interface Shape {
  readonly path: Path
  readonly status: boolean
  readonly verdict: boolean
  readonly to: boolean
  readonly nonces: boolean
  readonly created: boolean
  readonly values: boolean
  readonly text: 'none' | 'id' | 'hash'
  readonly externalId: boolean
  readonly tag: boolean
  /** The order of the list. */
  readonly byTime: boolean
}

interface Parameters extends ValueBounds {
  readonly relayerId: RelayerId
  readonly status: string
  readonly verdict: string
  readonly to: string
  readonly nonceFrom: number
  readonly nonceTo: number
  readonly createdFrom: number
  readonly createdTo: number
  readonly text: string
  readonly textChars: number
  readonly externalId: string
  readonly tag: string
  readonly newestCreated: number
  readonly newestSequence: number
  readonly oldestCreated: number
  readonly oldestSequence: number
}

interface FoundRow {
  id: TransactionId
  sequence: number
  created_at: number
}

const last = Number.MAX_SAFE_INTEGER
/** Beyond every position. */
const top: ListPosition = { sequence: last, createdAt: last }
/** An id in full is found by the key. */
const idChars = 36

export async function findMatches(
  executor: Executor,
  relayerId: RelayerId,
  filter: TransactionFilter,
  before: ListPosition = top,
  rowsMax = rowsLookedAtMax,
): Promise<Matches> {
  const paths = await pathsFor(executor, relayerId, filter, rowsMax)
  const parts: Matches[] = []
  // One after the other: a transaction that goes from one part to the next between the reads is found twice, and not missed.
  for (const path of paths) parts.push(await findBy(executor, relayerId, path, filter, before, rowsMax))
  const [only, ...others] = parts
  if (only && others.length === 0) return only
  const newestFirst = isByTime(filter) ? byTime : bySequence
  const [end] = parts.flatMap((part) => part.end ?? []).sort(newestFirst)
  const found = new Map(parts.flatMap((part) => part.found).map((each) => [each.sequence, each]))
  const inWindow = [...found.values()].filter((each) => !end || newestFirst(each, end) <= 0).sort(newestFirst)
  const shown = inWindow.slice(0, rowsMax)
  const last = inWindow.length > rowsMax ? shown.at(-1) : end
  return { found: shown, ...(last && { end: { sequence: last.sequence, createdAt: last.createdAt } }) }
}

const bySequence = (one: ListPosition, other: ListPosition) => other.sequence - one.sequence
const byTime = (one: ListPosition, other: ListPosition) => other.createdAt - one.createdAt || bySequence(one, other)

async function findBy(
  executor: Executor,
  relayerId: RelayerId,
  path: Path,
  filter: TransactionFilter,
  before: ListPosition,
  rowsMax: number,
): Promise<Matches> {
  const newest = isByTime(filter) ? earlierOf(before, afterAll(filter.createdTo)) : before
  const wholeList = { sequence: 0, createdAt: filter.createdFrom ?? 0 }
  const given = parametersOf(relayerId, filter, newest, wholeList)
  if (path === 'id' || isOfNonces(path)) return { found: await matching(executor, path, filter, given) }

  const [lastLookedAt, more] = await executor.all(windowEnds[path], { ...given, offset: rowsMax - 1 })
  if (!lastLookedAt || !more) return { found: await matching(executor, path, filter, given) }
  const end = positionOf(lastLookedAt)
  return { found: await matching(executor, path, filter, parametersOf(relayerId, filter, newest, end)), end }
}

async function pathsFor(
  executor: Executor,
  relayerId: RelayerId,
  filter: TransactionFilter,
  rowsMax: number,
): Promise<readonly Path[]> {
  if (filter.text?.length === idChars && !filter.text.startsWith('0x')) return ['id']
  if (hasNonces(filter)) {
    const { nonceFrom: from = 0, nonceTo: to = last } = filter
    if (!(await first(executor, nonceBeyond, { relayerId, from, to, offset: rowsMax }))) return ['openNonces', 'nonces']
  }
  if (filter.externalId !== undefined) return ['externalId']
  if (filter.tag !== undefined) return ['tag']
  if (filter.to !== undefined) return ['receiver']
  if (hasTimes(filter)) return ['created']
  if (filter.verdict === 'lost' || filter.verdict === 'external') return ['verdict']
  if (filter.status === undefined) return ['sequence']
  return filter.status === 'pending' ? ['held', 'queue'] : ['progress', 'status']
}

const hasNonces = ({ nonceFrom, nonceTo }: TransactionFilter) => nonceFrom !== undefined || nonceTo !== undefined
const hasTimes = ({ createdFrom, createdTo }: TransactionFilter) => createdFrom !== undefined || createdTo !== undefined
/** Where the client names an `external_id` or a tag, their tables have the order of sequences. */
const isByTime = (filter: TransactionFilter) =>
  filter.externalId === undefined && filter.tag === undefined && (filter.to !== undefined || hasTimes(filter))
const hasValues = ({ valueFrom, valueTo }: TransactionFilter) => valueFrom !== undefined || valueTo !== undefined

const afterAll = (createdTo: number | undefined): ListPosition =>
  createdTo === undefined ? top : { sequence: last, createdAt: createdTo }

/** The earlier of two positions, by creation. */
function earlierOf(one: ListPosition, other: ListPosition): ListPosition {
  return byTime(one, other) > 0 ? one : other
}

function positionOf({ sequence, created_at: createdAt }: Omit<FoundRow, 'id'>): ListPosition {
  return { sequence, createdAt }
}

function parametersOf(
  relayerId: RelayerId,
  filter: TransactionFilter,
  newest: ListPosition,
  oldest: ListPosition,
): Parameters {
  const { text = '' } = filter
  return {
    relayerId,
    status: filter.status ?? '',
    verdict: filter.verdict ?? '',
    to: filter.to ?? '',
    nonceFrom: filter.nonceFrom ?? 0,
    nonceTo: filter.nonceTo ?? last,
    createdFrom: filter.createdFrom ?? 0,
    createdTo: filter.createdTo ?? last,
    ...valueBounds(filter),
    text,
    textChars: text.length,
    externalId: filter.externalId ?? '',
    tag: filter.tag ?? '',
    newestCreated: newest.createdAt,
    newestSequence: newest.sequence,
    oldestCreated: oldest.createdAt,
    oldestSequence: oldest.sequence,
  }
}

const nonceBeyond = statement<{ relayerId: RelayerId; from: number; to: number; offset: number }, { nonce: number }>(
  (db, p) => {
    const rows = db
      .selectFrom('transactions')
      .select(sql<number>`nonce`.as('nonce'))
      .where('relayer_id', '=', p.relayerId)
      .where('nonce', '>=', p.from)
      .where('nonce', '<=', p.to)
    return rows.where(withNonce.open).unionAll(rows.where(withNonce.ended)).orderBy('nonce').limit(1).offset(p.offset)
  },
)

const isOfNonces = (path: Path): path is PartOfNonces => path === 'nonces' || path === 'openNonces'

/** The condition by which a path finds its rows, without the ends. Those of `status`, `verdict` and `receiver` say which. */
function keyOf(path: Path, p: Parameters, dialect: DialectName): RawBuilder<SqlBool> {
  const ofRelayer = sql<SqlBool>`relayer_id = ${p.relayerId}`
  if (isLabel(path)) return isOneOf(rowsOfLabel(path, p), dialect)
  // As its index has it: an expression, since SQLite would search by the list instead of by the ends.
  if (path === 'verdict') return sql`${ofRelayer} AND (verdict || '') IN ('lost', 'external')`
  if (isOfNonces(path)) {
    const which = path === 'nonces' ? withNonce.ended : withNonce.open
    return sql`${ofRelayer} AND ${which} AND nonce >= ${p.nonceFrom} AND nonce <= ${p.nonceTo}`
  }
  // An expression, so that no index of relayers stands in for the key: see byId in find-transaction.ts.
  if (path === 'id') return sql`id = ${p.text} AND (relayer_id || '') = ${p.relayerId}`
  return isPartOfStatus(path) ? sql`${ofRelayer} AND ${conditions[path]}` : ofRelayer
}

const conditions: Readonly<Record<PartOfStatus, RawBuilder<SqlBool>>> = {
  queue: inQueue,
  held: onHold,
  progress: inProgress,
  status: sql`listed_status IS NOT NULL`,
}

const isPartOfStatus = (path: Path): path is PartOfStatus => path in conditions

type LabelPath = 'externalId' | 'tag'

const isLabel = (path: Path): path is LabelPath => path === 'externalId' || path === 'tag'

const tableOf = { externalId: 'transaction_labels', tag: 'transaction_tags' } as const

/** The rows of a label in its own table, without the older end. */
function isLabeled(path: LabelPath, p: Parameters): RawBuilder<SqlBool> {
  const isOlder = sql`relayer_id = ${p.relayerId} AND sequence < ${p.newestSequence}`
  return path === 'tag'
    ? sql`${isOlder} AND tag = ${p.tag}`
    : sql`${isOlder} AND external_id = ${p.externalId} AND external_id IS NOT NULL`
}

/** The ids of a window, with both ends. */
function rowsOfLabel(path: LabelPath, p: Parameters): RawBuilder<unknown> {
  return sql`SELECT transaction_id FROM ${sql.table(tableOf[path])}
    WHERE ${isLabeled(path, p)} AND sequence >= ${p.oldestSequence}`
}

/** An array, not a join: see in-lists.ts. */
function isOneOf(rows: RawBuilder<unknown>, dialect: DialectName): RawBuilder<SqlBool> {
  return dialect === 'postgres' ? sql`id = ANY(ARRAY(${rows}))` : sql`id IN (${rows})`
}

/** Whether the path follows the order of time. */
const followsTime = (path: Path) => path === 'receiver' || path === 'created'
/** The columns of the indexes that begin with the word of the filter. */
const words = { status: sql.ref('listed_status'), verdict: sql.ref('verdict') }
const isOfWord = (path: Path): path is keyof typeof words => path in words
/** These yield few rows, in an order that their index does not have. */
const isSorted = (path: Path) => isOfNonces(path) || path === 'id' || isLabel(path)

/** Older than a position that the client has, or than a time. As an expression where the index has another order. */
function isOlder(path: Path, byTime: boolean, p: Parameters): RawBuilder<SqlBool> {
  // With an equality and plain bounds at both ends SQLite would prefer the index of all sequences, or of all times.
  if (path === 'receiver') {
    return sql`(to_address, created_at, sequence) < (${p.to}, ${p.newestCreated}, ${p.newestSequence})`
  }
  if (isOfWord(path)) return sql`(${words[path]}, sequence) < (${p[path]}, ${p.newestSequence})`
  const sign = isSorted(path) ? sql`+` : sql``
  return byTime
    ? sql`(${sign}created_at, ${sign}sequence) < (${p.newestCreated}, ${p.newestSequence})`
    : sql`${sign}sequence < ${p.newestSequence}`
}

/** The other end of a window. */
function isWithin(path: Path, p: Parameters): RawBuilder<SqlBool> {
  if (path === 'receiver') {
    return sql`(to_address, created_at, sequence) >= (${p.to}, ${p.oldestCreated}, ${p.oldestSequence})`
  }
  if (isOfWord(path)) return sql`(${words[path]}, sequence) >= (${p[path]}, ${p.oldestSequence})`
  return path === 'created'
    ? sql`(created_at, sequence) >= (${p.oldestCreated}, ${p.oldestSequence})`
    : sql`sequence >= ${p.oldestSequence}`
}

function orderOf(path: Path, byTime: boolean): RawBuilder<unknown> {
  if (path === 'receiver') return sql`to_address DESC, created_at DESC, sequence DESC`
  if (isOfWord(path)) return sql`${words[path]} DESC, sequence DESC`
  const sign = isSorted(path) ? sql`+` : sql``
  return byTime ? sql`${sign}created_at DESC, ${sign}sequence DESC` : sql`${sign}sequence DESC`
}

type Window = Parameters & { readonly offset: number }

/** The last row of a window, and the one after it. */
const windowEnd = (path: Exclude<Path, LabelPath>) =>
  statement<Window, Omit<FoundRow, 'id'>>((db, p, dialect) =>
    db
      .selectFrom('transactions')
      .select(['sequence', 'created_at'])
      .where(keyOf(path, p, dialect))
      .where(isOlder(path, followsTime(path), p))
      .where(isWithin(path, p))
      .orderBy(orderOf(path, followsTime(path)))
      .limit(2)
      .offset(p.offset),
  )

const endOfLabel = (path: LabelPath) =>
  statement<Window, Omit<FoundRow, 'id'>>((db, p) =>
    db
      .selectFrom(tableOf[path])
      .select(['sequence', 'created_at'])
      .where(isLabeled(path, p))
      .orderBy('sequence', 'desc')
      .limit(2)
      .offset(p.offset),
  )

const windowEnds = {
  ...recordOf(['externalId', 'tag'], endOfLabel),
  ...recordOf(['receiver', 'created', 'verdict', 'sequence', 'queue', 'held', 'progress', 'status'], windowEnd),
}

/** Conditions beyond the path's own. All are expressions, so that no other index is chosen for them. */
function others(shape: Shape, p: Parameters): RawBuilder<SqlBool>[] {
  return [
    ...(isSorted(shape.path) ? [] : [isWithin(shape.path, p)]),
    ...(shape.status && shape.path !== 'status' ? [hasStatus(p)] : []),
    ...(shape.verdict && shape.path !== 'verdict' ? [sql<SqlBool>`(verdict || '') = ${p.verdict}`] : []),
    ...(shape.to && shape.path !== 'receiver' ? [sql<SqlBool>`(to_address || '') = ${p.to}`] : []),
    ...(shape.nonces && !isOfNonces(shape.path)
      ? [sql<SqlBool>`+nonce >= ${p.nonceFrom} AND +nonce <= ${p.nonceTo}`]
      : []),
    ...(shape.created && !followsTime(shape.path)
      ? [sql<SqlBool>`+created_at >= ${p.createdFrom} AND +created_at <= ${p.createdTo}`]
      : []),
    ...(shape.values ? [isValueBetween(p)] : []),
    ...(shape.externalId && shape.path !== 'externalId' ? [hasExternalId(p.externalId)] : []),
    ...(shape.tag && shape.path !== 'tag' ? [hasTag(p.tag)] : []),
    ...(shape.text === 'id' && shape.path !== 'id' ? [sql<SqlBool>`substr(id, 1, ${p.textChars}) = ${p.text}`] : []),
    // A count, which no planner turns into a walk over all attempts.
    ...(shape.text === 'hash'
      ? [
          sql<SqlBool>`(SELECT COUNT(*) FROM attempts WHERE attempts.transaction_id = transactions.id
            AND substr(attempts.hash, 1, ${p.textChars}) = ${p.text}) > 0`,
        ]
      : []),
  ]
}

/** Transactions on hold are pending too. */
function hasStatus(p: Parameters): RawBuilder<SqlBool> {
  return sql`(CASE status WHEN 'held' THEN 'pending' ELSE status END) = ${p.status}`
}

const matches = new Map<string, Statement<Parameters, FoundRow>>()

/** Compiled once for each shape. */
function statementFor(shape: Shape): Statement<Parameters, FoundRow> {
  const key = JSON.stringify(shape)
  const known = matches.get(key)
  if (known) return known
  const fresh = statement<Parameters, FoundRow>((db, p, dialect) =>
    others(shape, p)
      .reduce(
        (query, condition) => query.where(condition),
        db
          .selectFrom('transactions')
          .select(['id', 'sequence', 'created_at'])
          .where(keyOf(shape.path, p, dialect))
          .where(isOlder(shape.path, shape.byTime, p)),
      )
      .orderBy(orderOf(shape.path, shape.byTime)),
  )
  matches.set(key, fresh)
  return fresh
}

async function matching(
  executor: Executor,
  path: Path,
  filter: TransactionFilter,
  given: Parameters,
): Promise<readonly Match[]> {
  const { text } = filter
  const shape: Shape = {
    path,
    status: filter.status !== undefined,
    verdict: filter.verdict !== undefined,
    to: filter.to !== undefined,
    nonces: hasNonces(filter),
    created: hasTimes(filter),
    values: hasValues(filter),
    text: text === undefined ? 'none' : text.startsWith('0x') ? 'hash' : 'id',
    externalId: filter.externalId !== undefined,
    tag: filter.tag !== undefined,
    byTime: isByTime(filter),
  }
  return (await executor.all(statementFor(shape), given)).map((row) => ({ id: row.id, ...positionOf(row) }))
}
