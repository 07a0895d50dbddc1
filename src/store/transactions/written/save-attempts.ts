// Adds attempts, and updates their broadcast state: nothing else of an attempt changes.

import type { Attempt } from '../../../domain/attempt.ts'
import type { TransactionId } from '../../../domain/ids.ts'
import { inLists } from '../../in-lists.ts'
import { type Executor, statement } from '../../statement.ts'
import { attemptColumns, broadcastColumns } from '../rows/attempt-columns.ts'
import { type AttemptRow, attemptToRow, type BroadcastColumns, broadcastToRow } from '../rows/attempt-row.ts'
import { columnsOf } from '../rows/transaction-columns.ts'

/** The database assigns `position`. */
type NewAttempt = Omit<AttemptRow, 'position'>

// After all recorded attempts of the nonce: the transaction may have returned the nonce and received it again.
const insertAttempt = inLists(
  statement<NewAttempt>((db, p) =>
    db.insertInto('attempts').values({
      ...columnsOf(p, attemptColumns),
      position: db
        .selectFrom('attempts')
        .select(({ fn }) => fn.countAll<number>().as('position'))
        .where('transaction_id', '=', p.transaction_id)
        .where('nonce', '=', p.nonce),
    }),
  ),
  attemptColumns,
  // One of each transaction at most, so none of them counts another.
  (given, columns) => `INSERT INTO attempts (${columns}, position)
    SELECT given.*, (SELECT count(*) FROM attempts AS known
      WHERE known.transaction_id = given.transaction_id AND known.nonce = given.nonce)
    FROM ${given}`,
  { writes: { table: 'attempts', key: 'transaction_id' } },
)

// By the position: signatures are deterministic, so two bindings to one nonce can have the same hash.
type NewState = BroadcastColumns & Pick<AttemptRow, 'transaction_id' | 'nonce' | 'position'>

const updateBroadcast = inLists(
  statement<NewState>((db, p) =>
    db
      .updateTable('attempts')
      .set(columnsOf(p, broadcastColumns))
      .where('transaction_id', '=', p.transaction_id)
      .where('nonce', '=', p.nonce)
      .where('position', '=', p.position),
  ),
  {
    transaction_id: 'text',
    nonce: 'bigint',
    position: 'integer',
    ...broadcastColumns,
  },
  (given) => `UPDATE attempts SET state = given.state, handed_at = given.handed_at, outcome = given.outcome,
      outcome_code = given.outcome_code, outcome_message = given.outcome_message, rejections = given.rejections,
      taken_at = given.taken_at, refused_since = given.refused_since
    FROM ${given}
    WHERE attempts.transaction_id = ANY($1::text[]) AND attempts.transaction_id = given.transaction_id
      AND attempts.nonce = given.nonce AND attempts.position = given.position`,
  { writes: { table: 'attempts', key: 'transaction_id' }, joins: true },
)

const withdrawUnsent = statement<{ id: TransactionId }>((db, p) =>
  db
    .updateTable('attempts')
    .set({ state: 'withdrawn', outcome_message: null })
    .where('transaction_id', '=', p.id)
    .where('state', '=', 'held'),
)

/** Both lists hold every attempt of the nonce, in the order of their positions. Throws rather than overwrite a signed one. */
export async function saveAttempts(
  executor: Executor,
  before: readonly Attempt[],
  after: readonly Attempt[],
): Promise<void> {
  for (const [position, attempt] of after.entries()) {
    const known = before[position]
    if (known === attempt) continue
    if (known && known.hash !== attempt.hash)
      throw new Error(`attempt ${known.hash} of ${attempt.transactionId} was overwritten`)
    if (!known) await executor.all(insertAttempt, attemptToRow(attempt))
    else if (known.broadcast !== attempt.broadcast) {
      const where = { transaction_id: attempt.transactionId, nonce: attempt.nonce, position }
      await executor.all(updateBroadcast, { ...broadcastToRow(attempt.broadcast), ...where })
    }
  }
}

/** The transaction has lost its nonce to another. */
export async function withdrawAttempts(executor: Executor, id: TransactionId): Promise<void> {
  await executor.all(withdrawUnsent, { id })
}
