// Reads anew only the transactions that changed since an earlier read: every write of a transaction or of its attempts raises
// the transaction's version.
import type { SelectQueryBuilder } from 'kysely'
import type { TransactionId } from '../../domain/ids.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { type Json, toJson } from '../json.ts'
import type { Schema } from '../schema.ts'
import { type Executor, type QueryBuilder, type Statement, statement } from '../statement.ts'
import { type AttemptRow, attemptFromRow } from './attempt-row.ts'
import { isAmong } from './is-among.ts'
import { type TransactionRow, transactionFromRow } from './transaction-row.ts'

/** The transactions of an earlier read. */
export type Known = ReadonlyMap<TransactionId, Transaction>

/** Two reads of the same transactions in the same order: whole rows, and versions, which show whether they changed. */
export interface Selection<P extends object> {
  readonly rows: Statement<P, TransactionRow>
  readonly versions: Statement<P, Version>
}

export type Version = Pick<TransactionRow, 'id' | 'version'>

type Chosen = SelectQueryBuilder<Schema, 'transactions', object>

export function selection<P extends object>(
  which: (db: QueryBuilder, parameters: Readonly<P>) => Chosen,
): Selection<P> {
  return {
    rows: statement<P, TransactionRow>((db, p) => which(db, p).selectAll()),
    versions: statement<P, Version>((db, p) => which(db, p).select(['id', 'version'])),
  }
}

interface Ids {
  ids: Json<readonly TransactionId[]>
}

// By their ids only: see find-transaction.ts.
const byIds = statement<Ids, TransactionRow>((db, p, dialect) =>
  db
    .selectFrom('transactions')
    .selectAll()
    .where(isAmong('id', p.ids, dialect)),
)

const attemptsByIds = statement<Ids, AttemptRow>((db, p, dialect) =>
  db
    .selectFrom('attempts')
    .selectAll()
    .where(isAmong('transaction_id', p.ids, dialect))
    .orderBy('position'),
)

/** Call it within a read of one instant. */
export async function readChanged<P extends object>(
  executor: Executor,
  { versions }: Selection<P>,
  parameters: P,
  known: Known,
): Promise<readonly Transaction[]> {
  const found = await executor.all(versions, parameters)
  const changed = found.filter(({ id, version }) => known.get(id)?.version !== version).map(({ id }) => id)
  const fresh = changed.length === 0 ? undefined : await readByIds(executor, changed)
  return found.map(({ id }) => {
    const transaction = fresh?.get(id) ?? known.get(id)
    if (!transaction) throw new Error(`transaction ${id} is gone within one read`)
    return transaction
  })
}

async function readByIds(executor: Executor, ids: readonly TransactionId[]): Promise<Known> {
  // Rows before attempts: an attempt is written no later than the row that refers to it.
  const rows = await executor.all(byIds, { ids: toJson(ids) })
  const bound = rows.filter(({ nonce }) => nonce !== null).map(({ id }) => id)
  const attempts = bound.length === 0 ? [] : await executor.all(attemptsByIds, { ids: toJson(bound) })
  const ofEach = Map.groupBy(attempts, (attempt) => attempt.transaction_id)
  return new Map(
    rows.map((row) => {
      const ofNonce = (ofEach.get(row.id) ?? []).filter(({ nonce }) => nonce === row.nonce)
      return [row.id, transactionFromRow(row, ofNonce.map(attemptFromRow))]
    }),
  )
}
