// A transaction's first row, with its count, in the caller's unit.
import { statusOf, type Transaction } from '../domain/transaction.ts'
import { inLists } from './in-lists.ts'
import { payloadOf } from './payload-row.ts'
import { saveAttempts } from './save-attempts.ts'
import { attemptsOf, progressOf } from './save-transaction.ts'
import { type Executor, statement } from './statement.ts'
import type { Tallies } from './tallies.ts'
import { type TransactionRow, transactionToRow } from './transaction-row.ts'

const askedOf = (p: QueuedRow) => ({
  id: p.id,
  relayer_id: p.relayer_id,
  sequence: p.sequence,
  version: p.version,
  created_at: p.created_at,
  origin: p.origin,
  ...payloadOf(p),
  valid_until: p.valid_until,
})

const insert = statement<TransactionRow>((db, p) =>
  db.insertInto('transactions').values({
    ...askedOf(p),
    earlier: p.earlier,
    ...progressOf(p),
  }),
)

// What every send begins as: the columns that tell how it went on are null, which is what a row that leaves them out has.
const insertQueued = inLists(
  statement<QueuedRow>((db, p) =>
    db.insertInto('transactions').values({
      ...askedOf(p),
      phase: p.phase,
      open: p.open,
      status: p.status,
    }),
  ),
  {
    id: 'text',
    relayer_id: 'text',
    sequence: 'bigint',
    version: 'bigint',
    created_at: 'bigint',
    origin: 'text',
    from_address: 'text',
    to_address: 'text',
    value: 'text',
    data: 'text',
    gas_limit: 'bigint',
    pricing: 'text',
    speed: 'text',
    gas_price: 'text',
    max_fee_per_gas: 'text',
    max_priority_fee_per_gas: 'text',
    access_list: 'text',
    valid_until: 'bigint',
    phase: 'text',
    open: 'integer',
    status: 'text',
  },
  (given, columns) => `INSERT INTO transactions (${columns}) SELECT * FROM ${given}`,
  { key: 'id' },
)

const laterColumns = [
  'earlier',
  'status_reason',
  'wait_condition',
  'wait_text',
  'nonce',
  'sent_at',
  'canceled_at',
  'cancel_origin',
  'ended_at',
  'drop_reason',
  'included_kind',
  'included_hash',
  'included_block',
  'included_block_hash',
  'included_succeeded',
  'revert_reason',
  'gas_used',
  'effective_gas_price',
  'l1_fee',
  'suspected_hash',
  'suspected_nonce',
] as const satisfies readonly (keyof TransactionRow)[]

type QueuedRow = Omit<TransactionRow, (typeof laterColumns)[number]>

export async function insertTransaction(executor: Executor, tallies: Tallies, transaction: Transaction): Promise<void> {
  const row = transactionToRow(transaction)
  if (laterColumns.every((column) => row[column] === null)) await executor.all(insertQueued, row)
  else await executor.all(insert, row)
  tallies.count(transaction.relayerId, statusOf(transaction), 1)
  await saveAttempts(executor, [], attemptsOf(transaction))
}
