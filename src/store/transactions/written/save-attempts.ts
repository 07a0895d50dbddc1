// Adds attempts. Their rows stay as they are until the transaction gives their nonce up: what nodes answer is in its own row.

import type { Attempt } from '../../../domain/attempt.ts'
import { inLists } from '../../in-lists.ts'
import { listedInsertion } from '../../insert-rows.ts'
import { type Executor, statement } from '../../statement.ts'
import { attemptColumns } from '../rows/attempt-columns.ts'
import { type AttemptRow, attemptToRow, broadcastToJson } from '../rows/attempt-row.ts'

const insertAttempt = listedInsertion('attempts', attemptColumns, 'transaction_id')

// By the position: signatures are deterministic, so two bindings to one nonce can have the same hash.
const keepBroadcast = inLists(
  statement<Pick<AttemptRow, 'transaction_id' | 'nonce' | 'position' | 'broadcast'>>((db, p) =>
    db
      .updateTable('attempts')
      .set({ broadcast: p.broadcast })
      .where('transaction_id', '=', p.transaction_id)
      .where('nonce', '=', p.nonce)
      .where('position', '=', p.position),
  ),
  { transaction_id: 'text', nonce: 'bigint', position: 'integer', broadcast: 'text' },
  (given) => `UPDATE attempts SET broadcast = given.broadcast FROM ${given}
    WHERE attempts.transaction_id = ANY($1::text[]) AND attempts.transaction_id = given.transaction_id
      AND attempts.nonce = given.nonce AND attempts.position = given.position`,
  { writes: { table: 'attempts', key: 'transaction_id' }, joins: true },
)

/** Both lists hold every attempt of the nonce, in the order of their positions. Throws rather than overwrite a signed one. */
export async function saveAttempts(
  executor: Executor,
  before: readonly Attempt[],
  after: readonly Attempt[],
): Promise<void> {
  for (const [position, attempt] of after.entries()) {
    const known = before[position]
    if (!known) await executor.all(insertAttempt, attemptToRow(attempt, position))
    else if (known.hash !== attempt.hash)
      throw new Error(`attempt ${known.hash} of ${attempt.transactionId} was overwritten`)
  }
}

/** The transaction has lost its nonce to another. */
export async function withdrawAttempts(executor: Executor, attempts: readonly Attempt[]): Promise<void> {
  for (const [position, { transactionId, nonce, broadcast }] of attempts.entries()) {
    const last = broadcastToJson(broadcast.state === 'held' ? { state: 'withdrawn' } : broadcast)
    await executor.all(keepBroadcast, { transaction_id: transactionId, nonce, position, broadcast: last })
  }
}
