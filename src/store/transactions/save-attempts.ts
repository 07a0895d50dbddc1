// Adds attempts, and updates their broadcast state: nothing else of an attempt changes until it shrinks (shrink-attempts.ts).
import type { Attempt } from '../../domain/attempt.ts'
import type { Hash, TransactionId } from '../../domain/ids.ts'
import { type Executor, statement } from '../statement.ts'
import { type AttemptRow, attemptToRow, type BroadcastColumns, broadcastToRow } from './attempt-row.ts'

// After all recorded attempts of the nonce: the transaction may have returned the nonce and received it again.
const insertAttempt = statement<Omit<AttemptRow, 'position'>>((db, p) =>
  db.insertInto('attempts').values({
    transaction_id: p.transaction_id,
    nonce: p.nonce,
    position: db
      .selectFrom('attempts')
      .select(({ fn }) => fn.countAll<number>().as('position'))
      .where('transaction_id', '=', p.transaction_id)
      .where('nonce', '=', p.nonce),
    hash: p.hash,
    kind: p.kind,
    revision: p.revision,
    gas_limit: p.gas_limit,
    gas_price: p.gas_price,
    max_fee_per_gas: p.max_fee_per_gas,
    max_priority_fee_per_gas: p.max_priority_fee_per_gas,
    raw: p.raw,
    r: p.r,
    s: p.s,
    v: p.v,
    recorded_at: p.recorded_at,
    recorded_at_block: p.recorded_at_block,
    state: p.state,
    handed_at: p.handed_at,
    outcome: p.outcome,
    outcome_code: p.outcome_code,
    outcome_message: p.outcome_message,
    rejections: p.rejections,
    recovered: p.recovered,
    presigned: p.presigned,
  }),
)

const updateBroadcast = statement<BroadcastColumns & { id: TransactionId; nonce: number; hash: Hash }>((db, p) =>
  db
    .updateTable('attempts')
    .set({
      state: p.state,
      handed_at: p.handed_at,
      outcome: p.outcome,
      outcome_code: p.outcome_code,
      outcome_message: p.outcome_message,
      rejections: p.rejections,
    })
    .where('transaction_id', '=', p.id)
    .where('nonce', '=', p.nonce)
    .where('hash', '=', p.hash),
)

const withdrawUnsent = statement<{ id: TransactionId }>((db, p) =>
  db
    .updateTable('attempts')
    .set({ state: 'withdrawn', outcome_message: null })
    .where('transaction_id', '=', p.id)
    .where('state', '=', 'held'),
)

/** Throws rather than overwrite a signed attempt. */
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
      const where = { id: attempt.transactionId, nonce: attempt.nonce, hash: attempt.hash }
      await executor.all(updateBroadcast, { ...broadcastToRow(attempt.broadcast), ...where })
    }
  }
}

/** The transaction has lost its nonce to another. */
export async function withdrawAttempts(executor: Executor, id: TransactionId): Promise<void> {
  await executor.all(withdrawUnsent, { id })
}
