// Writes a transaction with its attempts, its tally and its event, all in the caller's unit.
import { sql } from 'kysely'
import type { Attempt } from '../../../domain/attempt.ts'
import { countChange } from '../../../domain/bulk-counts.ts'
import { keysOf } from '../../../domain/defined.ts'
import { StaleWrite } from '../../../domain/errors.ts'
import { eventsOf, firstEventOf } from '../../../domain/event.ts'
import { figureChanges } from '../../../domain/figures.ts'
import { isNonEmpty, type TransactionId } from '../../../domain/ids.ts'
import {
  type InPhase,
  isInPhase,
  pendingStatuses,
  type Status,
  statusOf,
  type Transaction,
} from '../../../domain/transaction.ts'
import type { TimestampMs } from '../../../domain/units.ts'
import { inLists, type Listed } from '../../in-lists.ts'
import { insertion, listedInsertion } from '../../insert-rows.ts'
import { releaseNonce } from '../../relayers/gap-record.ts'
import { changeOne, type Executor, statement } from '../../statement.ts'
import { spendOf } from '../counted/daily-spend.ts'
import type { Tallies } from '../counted/tallies.ts'
import { earlierAttempts } from '../rows/find-transaction.ts'
import { bytesOf } from '../rows/payload-row.ts'
import { endColumns, pick, progressColumns, queuedColumns, transactionColumns } from '../rows/transaction-columns.ts'
import {
  type ProgressColumns,
  progressToRow,
  type TransactionRow,
  transactionToRow,
  type WaitRow,
  waitColumns,
  waitToRow,
} from '../rows/transaction-row.ts'
import { publishEvent } from './publish-event.ts'
import { replacePayload } from './replace.ts'
import { saveAttempts, withdrawAttempts } from './save-attempts.ts'

type At = { id: TransactionId; version: number }

/**
 * A changed row, which only PostgreSQL returns. SQLite runs RETURNING as a trigger, and so keeps a statement journal
 * (sqlite.org/tempfiles.html) where a unique index may refuse the row: binding a nonce took three times as long.
 */
type Changed = { id?: TransactionId }

type Update = Listed<ProgressColumns & At, Changed>

/** The condition names the list of ids too: a plan for the join alone, made while the table was small, would scan all of it. */
const isGivenOpenRow = `transactions.id = ANY($1::text[]) AND transactions.id = given.id
  AND transactions.version = given.version AND transactions.open = 1`

/** Changes no row that has another version, or has ended. */
const changing = <Row extends object>(set: (p: Readonly<Row & At>) => Partial<TransactionRow>) =>
  statement<Row & At, Changed>((db, p, dialect) =>
    db
      .updateTable('transactions')
      .set({ ...set(p), version: sql<number>`version + 1` })
      .where('id', '=', p.id)
      .where('version', '=', p.version)
      .where('open', '=', 1)
      .$if(dialect === 'postgres', (query) => query.returning('id')),
  )

/** One statement for each set of columns that change together: a few dozen. */
const updates = new Map<string, Update>()

/** SQLite writes each index that has one of the columns of a SET, whether its value changes or not. */
function updateOf(changed: readonly (keyof ProgressColumns)[]): Update {
  const name = changed.join()
  const known = updates.get(name)
  if (known) return known
  const update: Update = inLists(
    changing<ProgressColumns>((p) => pick(p, changed)),
    { id: 'text', version: 'bigint', ...pick(progressColumns, changed) },
    (given) => `UPDATE transactions
      SET ${changed.map((column) => `${column} = given.${column}, `).join('')}version = transactions.version + 1
      FROM ${given} WHERE ${isGivenOpenRow} RETURNING transactions.id`,
    { writes: { table: 'transactions', key: 'id' }, joins: true, changesAll: true },
  )
  updates.set(name, update)
  return update
}

/** The stored row is that of `before`: the statement finds no row of another version. */
function changedColumns<Row extends ProgressColumns>(before: Row, after: Row): readonly Extract<keyof Row, string>[] {
  const changed: Extract<keyof Row, string>[] = []
  // One literal makes both: V8 then reads their members by index, in an eighth of the time that a list of names takes.
  for (const name in after) if (before[name] !== after[name]) changed.push(name)
  return changed
}

/** What the end of a queued transaction sets: see `dropOf`. */
const endsOf = (value: (name: keyof DropColumns) => string) =>
  [
    ...keysOf(endColumns).map((name) => `${name} = ${value(name)}`),
    ...waitColumns.map((name) => `${name} = NULL`),
  ].join()

// Most canceled transactions never left the queue: no column or index of a nonce needs a write.
const drop = inLists(
  changing<DropColumns>(dropOf),
  { id: 'text', version: 'bigint', ...endColumns },
  (given) => `UPDATE transactions SET ${endsOf((name) => `given.${name}`)}, version = transactions.version + 1
    FROM ${given} WHERE ${isGivenOpenRow} RETURNING transactions.id`,
  {
    writes: { table: 'transactions', key: 'id' },
    joins: true,
    changesAll: true,
    alike: {
      but: 'id',
      write: (p) => `UPDATE transactions SET ${endsOf((name) => p[name])}, version = version + 1
        WHERE id = ANY(${p.id}) AND version = ${p.version} AND open = 1
        RETURNING id`,
    },
  },
)

type DropColumns = Pick<ProgressColumns, keyof typeof endColumns>

/** Everything that changes when a queued transaction ends: it no longer waits. */
export function dropOf(p: DropColumns): DropColumns & WaitRow {
  return { ...pick(p, keysOf(endColumns)), ...waitToRow(undefined) }
}

/** Throws StaleWrite when the stored version is not `before.version`, and when the row is closed, which is final. */
export async function saveTransaction(
  executor: Executor,
  tallies: Tallies,
  before: Transaction,
  next: Transaction,
  now: TimestampMs,
): Promise<Transaction> {
  // If an earlier binding was to the same nonce, the row has the attempts of both.
  const isBoundAgain = before.sentAt !== undefined && !('nonce' in before.lifecycle) && 'nonce' in next.lifecycle
  const earlier = isBoundAgain ? await earlierAttempts(executor, before.id, next.lifecycle.nonce) : attemptsOf(before)
  const after = isBoundAgain ? withEarlier(next, earlier) : next
  const progress = progressToRow(after)
  const row = { ...progress, id: before.id, version: before.version }
  const stale = () => new StaleWrite(`transaction ${before.id} is no longer at version ${before.version}`)
  const update = onlyEnds(before, after) ? drop : updateOf(changedColumns(progressToRow(before), progress))
  await changeOne(executor, update, row, stale)
  if (after.payload !== before.payload) await replacePayload(executor, before, after)
  if (givesNonceBack(before, after)) await releaseNonce(executor, before.relayerId, before.lifecycle.nonce)
  if (attemptsOf(after).length === 0) await withdrawAttempts(executor, earlier)
  else await saveAttempts(executor, earlier, attemptsOf(after))
  const spend = spendOf(before, after, now)
  if (spend) tallies.addSpend(spend)
  tallies.addFigures(after.relayerId, figureChanges(before, after, now))
  const counts = countChange(before, after)
  if (counts && after.bulkPart !== undefined) tallies.addBulk({ part: after.bulkPart, at: now, counts })
  await publishChange(executor, tallies, before, after, now)
  return { ...after, version: before.version + 1 }
}

/** A gap filler never stood for a transaction of ours. */
function givesNonceBack(before: Transaction, after: Transaction): before is InPhase<'inFlight'> {
  return isInPhase(before, 'inFlight') && before.origin !== 'gap' && !('nonce' in after.lifecycle)
}

function onlyEnds(before: Transaction, after: Transaction): boolean {
  const fromQueue = before.lifecycle.phase === 'queued' && after.lifecycle.phase === 'dropped'
  return fromQueue && before.sentAt === after.sentAt && before.bulkPart === after.bulkPart
}

async function publishChange(
  executor: Executor,
  tallies: Tallies,
  before: Transaction,
  after: Transaction,
  now: TimestampMs,
): Promise<void> {
  const [was, is] = [statusOf(before), statusOf(after)]
  if (was !== is) {
    tallies.count(after.relayerId, was, -1)
    tallies.count(after.relayerId, is, 1)
  }
  if (isPending(was) !== isPending(is) || after.payload !== before.payload) {
    tallies.count(after.relayerId, 'bytes', pendingBytes(after) - pendingBytes(before))
  }
  for (const kind of eventsOf(before, after)) await publishEvent(executor, kind, after, now)
}

function isPending(status: Status): boolean {
  return (pendingStatuses as readonly Status[]).includes(status)
}

function pendingBytes(transaction: Transaction): number {
  return isPending(statusOf(transaction)) ? bytesOf(transaction) : 0
}

function withEarlier(transaction: Transaction, earlier: readonly Attempt[]): Transaction {
  const { lifecycle } = transaction
  const attempts = [...earlier, ...attemptsOf(transaction)]
  return 'attempts' in lifecycle && isNonEmpty(attempts)
    ? { ...transaction, lifecycle: { ...lifecycle, attempts } }
    : transaction
}

function attemptsOf(transaction: Transaction): readonly Attempt[] {
  return 'attempts' in transaction.lifecycle ? transaction.lifecycle.attempts : []
}

const insert = insertion('transactions', keysOf(transactionColumns))

// Every send begins with these columns. The row leaves out the columns of later progress, which are null.
const insertQueued = listedInsertion('transactions', queuedColumns, 'id')

const laterColumns = keysOf(transactionColumns).filter((name) => !(name in queuedColumns))

export async function insertTransaction(executor: Executor, tallies: Tallies, transaction: Transaction): Promise<void> {
  const row = transactionToRow(transaction)
  if (laterColumns.every((column) => row[column] === null)) await executor.all(insertQueued, row)
  else await executor.all(insert, row)
  tallies.count(transaction.relayerId, statusOf(transaction), 1)
  tallies.count(transaction.relayerId, 'bytes', pendingBytes(transaction))
  await saveAttempts(executor, [], attemptsOf(transaction))
  const event = firstEventOf(transaction)
  if (event) await publishEvent(executor, event, transaction, transaction.createdAt)
}
