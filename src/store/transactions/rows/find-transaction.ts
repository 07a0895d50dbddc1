// Finds one transaction, with the attempts of its nonce.

import { sql } from 'kysely'
import type { Attempt } from '../../../domain/attempt.ts'
import type { Hash, RelayerId, TransactionId } from '../../../domain/ids.ts'
import type { Transaction } from '../../../domain/transaction.ts'
import type { Nonce } from '../../../domain/units.ts'
import { isAmong } from '../../in-lists.ts'
import { withNonce } from '../../open-rows.ts'
import { type Executor, first, type QueryBuilder, statement } from '../../statement.ts'
import { fromJson, type Json, toJson } from '../../values.ts'
import { unsignedColumns } from './attempt-columns.ts'
import { type AttemptRow, attemptFromRow } from './attempt-row.ts'
import { type TransactionRow, transactionFromRow } from './transaction-row.ts'

// Not by the relayer as well: without statistics PostgreSQL considers an index of relayers as good as the key, keeps that
// plan, and reads the relayer's whole history for one row.
const byId = statement<{ id: TransactionId }, TransactionRow>((db, p) =>
  db.selectFrom('transactions').selectAll().where('id', '=', p.id),
)

// The row can't change until the unit's commit. SQLite has one writer, and needs no lock.
const byIdLocked = statement<{ id: TransactionId }, TransactionRow>((db, p, dialect) =>
  db
    .selectFrom('transactions')
    .selectAll()
    .where('id', '=', p.id)
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const byNonce = statement<{ relayerId: RelayerId; nonce: number }, TransactionRow>((db, p) => {
  const rows = ofNonce(db, p).selectAll()
  return rows
    .where(withNonce.open)
    .unionAll(rows.where(withNonce.ended))
    .orderBy('open', 'desc')
    .orderBy('sequence', 'desc')
    .limit(1)
})

const ofNonce = (db: QueryBuilder, p: { readonly relayerId: RelayerId; readonly nonce: number }) =>
  db.selectFrom('transactions').where('relayer_id', '=', p.relayerId).where('nonce', '=', p.nonce)

const attemptsOfNonce = statement<{ id: TransactionId; nonce: number }, AttemptRow>((db, p) =>
  db
    .selectFrom('attempts')
    .selectAll()
    .where('transaction_id', '=', p.id)
    .where('nonce', '=', p.nonce)
    .orderBy('position'),
)

export async function findTransaction(executor: Executor, relayerId: RelayerId, id: TransactionId) {
  return complete(executor, ofRelayer(relayerId, await first(executor, byId, { id })))
}

export async function lockTransaction(executor: Executor, relayerId: RelayerId, id: TransactionId) {
  return complete(executor, ofRelayer(relayerId, await first(executor, byIdLocked, { id })))
}

const versionById = statement<{ id: TransactionId }, { version: number }>((db, p, dialect) =>
  db
    .selectFrom('transactions')
    .select('version')
    .where('id', '=', p.id)
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

/** The transaction as it is now, locked. Reads the whole row only if the version differs. */
export async function lockCurrent(executor: Executor, known: Transaction): Promise<Transaction | undefined> {
  const { id, relayerId, version } = known
  const row = await first(executor, versionById, { id })
  return row?.version === version ? known : lockTransaction(executor, relayerId, id)
}

export interface Ids {
  ids: Json<readonly TransactionId[]>
}

// By their ids only, as byId.
export const transactionsByIds = statement<Ids, TransactionRow>((db, p, dialect) =>
  db
    .selectFrom('transactions')
    .selectAll()
    .where(isAmong('id', p.ids, dialect)),
)

export const attemptsByIds = statement<Ids, AttemptRow>((db, p, dialect) =>
  db
    .selectFrom('attempts')
    .selectAll()
    .where(isAmong('transaction_id', p.ids, dialect))
    .orderBy('position'),
)

/** A row as it was read. */
export interface FoundRow extends Pick<Transaction, 'id' | 'relayerId'> {
  /** Throws where the row makes no transaction: it is in no other's way. */
  transaction(): Transaction
}

/** The transactions that exist, in no order. The caller has locked their relayers, so nothing is written between the two reads. */
export async function findTransactions(
  executor: Executor,
  ids: readonly TransactionId[],
): Promise<ReadonlyMap<TransactionId, FoundRow>> {
  if (ids.length === 0) return new Map()
  const given = { ids: toJson(ids) }
  const [rows, attempts] = await Promise.all([
    executor.all(transactionsByIds, given),
    executor.all(attemptsByIds, given),
  ])
  const completed = completing(attempts)
  return new Map(
    rows.map((row) => [row.id, { id: row.id, relayerId: row.relayer_id, transaction: () => completed(row) }]),
  )
}

function ofRelayer(relayerId: RelayerId, row: TransactionRow | undefined): TransactionRow | undefined {
  return row?.relayer_id === relayerId ? row : undefined
}

export async function findTransactionByNonce(executor: Executor, relayerId: RelayerId, nonce: Nonce) {
  return complete(executor, await first(executor, byNonce, { relayerId, nonce }))
}

/** Those that an earlier binding to the same nonce left. */
export async function earlierAttempts(
  executor: Executor,
  id: TransactionId,
  nonce: Nonce,
): Promise<readonly Attempt[]> {
  return (await executor.all(attemptsOfNonce, { id, nonce })).map((row) => attemptFromRow(row))
}

async function complete(executor: Executor, row: TransactionRow | undefined): Promise<Transaction | undefined> {
  if (!row) return undefined
  if (row.nonce === null) return transactionFromRow(row, [])
  const attempts = await executor.all(attemptsOfNonce, { id: row.id, nonce: row.nonce })
  return transactionFromRow(row, attempts)
}

/** `attempts` are at least those of the rows' nonces, by their positions. */
export function withAttempts(rows: readonly TransactionRow[], attempts: readonly AttemptRow[]): readonly Transaction[] {
  return rows.map(completing(attempts))
}

function completing(attempts: readonly AttemptRow[]): (row: TransactionRow) => Transaction {
  const ofEach = Map.groupBy(attempts, (attempt) => attempt.transaction_id)
  return (row) => {
    const ofNonce = (ofEach.get(row.id) ?? []).filter(({ nonce }) => nonce === row.nonce)
    return transactionFromRow(row, ofNonce)
  }
}

const everyAttempt = statement<{ id: TransactionId; limit: number }, AttemptRow>((db, p) =>
  db
    .selectFrom('attempts')
    .select(unsignedColumns)
    .where('transaction_id', '=', p.id)
    .orderBy('recorded_at')
    .orderBy('nonce')
    .orderBy('position')
    .limit(p.limit),
)

const boundTo = statement<{ id: TransactionId }, Pick<TransactionRow, 'nonce' | 'broadcasts'>>((db, p) =>
  db.selectFrom('transactions').select(['nonce', 'broadcasts']).where('id', '=', p.id),
)

export async function listAttempts(executor: Executor, id: TransactionId, limit: number): Promise<readonly Attempt[]> {
  const [bound, rows] = await Promise.all([first(executor, boundTo, { id }), executor.all(everyAttempt, { id, limit })])
  const states = bound?.broadcasts ? fromJson(bound.broadcasts) : []
  return rows.map((row) => attemptFromRow(row, row.nonce === bound?.nonce ? states[row.position] : undefined))
}

const attemptOfNonce = statement<{ relayerId: RelayerId; nonce: number; hash: Hash }, { hash: Hash }>((db, p) => {
  const ids = ofNonce(db, p).select('id')
  return db
    .selectFrom(ids.where(withNonce.open).unionAll(ids.where(withNonce.ended)).as('given'))
    .innerJoin('attempts', 'attempts.transaction_id', 'given.id')
    .select('attempts.hash')
    .where('attempts.nonce', '=', p.nonce)
    .where('attempts.hash', '=', p.hash)
    .limit(1)
})

export async function hasAttempt(executor: Executor, relayerId: RelayerId, nonce: Nonce, hash: Hash): Promise<boolean> {
  return (await first(executor, attemptOfNonce, { relayerId, nonce, hash })) !== undefined
}

// A literal, not a parameter: otherwise the planner does not match the query with the partial index.
const newest = statement<{ relayerId: RelayerId }, TransactionRow>((db, p) =>
  db
    .selectFrom('transactions')
    .selectAll()
    .where('relayer_id', '=', p.relayerId)
    .where(sql<boolean>`origin = 'sweep'`)
    .orderBy('sequence', 'desc')
    .limit(1),
)

export async function findSweep(executor: Executor, relayerId: RelayerId): Promise<Transaction | undefined> {
  return complete(executor, await first(executor, newest, { relayerId }))
}

const highest = statement<{ relayerId: RelayerId }, { open: number | null; ended: number | null }>((db, p) => {
  const rows = db
    .selectFrom('transactions')
    .select('nonce')
    .where('relayer_id', '=', p.relayerId)
    .orderBy('nonce', 'desc')
    .limit(1)
  return db.selectNoFrom([rows.where(withNonce.open).as('open'), rows.where(withNonce.ended).as('ended')])
})

export async function highestNonce(executor: Executor, relayerId: RelayerId): Promise<Nonce | undefined> {
  const { open, ended } = (await first(executor, highest, { relayerId })) ?? { open: null, ended: null }
  return open === null || ended === null ? (open ?? ended ?? undefined) : Math.max(open, ended)
}
