// Inserts a transaction's first row and counts it, in the caller's unit.
import { firstEventOf } from '../../domain/event.ts'
import { statusOf, type Transaction } from '../../domain/transaction.ts'
import { inLists } from '../in-lists.ts'
import { type Executor, statement } from '../statement.ts'
import { publishEvent } from './publish-event.ts'
import { saveAttempts } from './save-attempts.ts'
import { attemptsOf } from './save-transaction.ts'
import type { Tallies } from './tallies.ts'
import { columnsOf, namesOf, queuedColumns, transactionColumns } from './transaction-columns.ts'
import { type TransactionRow, transactionToRow } from './transaction-row.ts'

const insert = statement<TransactionRow>((db, p) =>
  db.insertInto('transactions').values(columnsOf(p, transactionColumns)),
)

type QueuedRow = Pick<TransactionRow, keyof typeof queuedColumns>

// Every send begins with these columns. The row leaves out the columns of later progress, which are null.
const insertQueued = inLists(
  statement<QueuedRow>((db, p) => db.insertInto('transactions').values(columnsOf(p, queuedColumns))),
  queuedColumns,
  (given, columns) => `INSERT INTO transactions (${columns}) SELECT * FROM ${given}`,
  { writes: { table: 'transactions', key: 'id' } },
)

const laterColumns = namesOf(transactionColumns).filter((name) => !(name in queuedColumns))

export async function insertTransaction(executor: Executor, tallies: Tallies, transaction: Transaction): Promise<void> {
  const row = transactionToRow(transaction)
  if (laterColumns.every((column) => row[column] === null)) await executor.all(insertQueued, row)
  else await executor.all(insert, row)
  tallies.count(transaction.relayerId, statusOf(transaction), transaction.sequence, 1)
  await saveAttempts(executor, [], attemptsOf(transaction))
  const event = firstEventOf(transaction)
  if (event) await publishEvent(executor, event, transaction, transaction.createdAt)
}
