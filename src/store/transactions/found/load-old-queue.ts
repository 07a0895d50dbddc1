// Reads of the history check: the queue from before the restore, its ended transactions, and the nonces above one.
import type { Ended } from '../../../domain/decide/lost-history/lost-cancellation.ts'
import type { RelayerId } from '../../../domain/ids.ts'
import type { Transaction } from '../../../domain/transaction.ts'
import type { Nonce, TimestampMs } from '../../../domain/units.ts'
import { inQueue, onHold, withNonce } from '../../open-rows.ts'
import { type Executor, first, statement } from '../../statement.ts'
import { type TransactionRow, transactionFromRow } from '../rows/transaction-row.ts'

/** A lost history may have released transactions that are on hold in this copy. Each part goes by its index. */
const oldQueue = statement<{ relayerId: RelayerId; sequence: number }, TransactionRow>((db, p) => {
  const waiting = (which: typeof inQueue) =>
    db
      .selectFrom('transactions')
      .selectAll()
      .where('relayer_id', '=', p.relayerId)
      .where(which)
      .where('sequence', '<=', p.sequence)
  return waiting(inQueue).unionAll(waiting(onHold)).orderBy('sequence')
})

export async function queueThrough(
  executor: Executor,
  relayerId: RelayerId,
  sequence: number,
): Promise<readonly Transaction[]> {
  const rows = await executor.all(oldQueue, { relayerId, sequence })
  return rows.map((row) => transactionFromRow(row, []))
}

const dropped = statement<
  { relayerId: RelayerId; sequence: number; since: number },
  Pick<TransactionRow, 'sequence' | 'created_at'>
>((db, p) =>
  db
    .selectFrom('transactions')
    .select(['sequence', 'created_at'])
    .where('relayer_id', '=', p.relayerId)
    // These are the statuses that a dropped transaction can have.
    .where('listed_status', 'in', ['canceled', 'expired', 'failed'])
    .where('phase', '=', 'dropped')
    .where('sequence', '<=', p.sequence)
    .where('ended_at', '>=', p.since),
)

export async function droppedSince(
  executor: Executor,
  relayerId: RelayerId,
  sequence: number,
  since: TimestampMs,
): Promise<readonly Ended[]> {
  const rows = await executor.all(dropped, { relayerId, sequence, since })
  return rows.map((row) => ({ sequence: row.sequence, createdAt: row.created_at }))
}

const above = statement<{ relayerId: RelayerId; nonce: number }, { sequence: number | null }>((db, p) => {
  const rows = db
    .selectFrom('transactions')
    .select('sequence')
    .where('relayer_id', '=', p.relayerId)
    .where('nonce', '>', p.nonce)
    .where('origin', '<>', 'gap')
  return db
    .selectFrom(rows.where(withNonce.open).unionAll(rows.where(withNonce.ended)).as('given'))
    .select((eb) => eb.fn.min('sequence').as('sequence'))
})

export async function firstSequenceAbove(
  executor: Executor,
  relayerId: RelayerId,
  nonce: Nonce,
): Promise<number | undefined> {
  const row = await first(executor, above, { relayerId, nonce })
  return row?.sequence ?? undefined
}
