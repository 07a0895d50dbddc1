// Writes a new payload into a transaction's row, next to the payloads that it replaced.
import { keysOf } from '../../../domain/defined.ts'
import type { Transaction } from '../../../domain/transaction.ts'
import type { PayloadColumns, TransactionTable } from '../../schema.ts'
import { type Executor, statement } from '../../statement.ts'
import { earlierToRow, payloadToRow } from '../rows/payload-row.ts'
import { payloadColumns, pick } from '../rows/transaction-columns.ts'

type Replacement = PayloadColumns & Pick<TransactionTable, 'id' | 'earlier'> & { valid_until: number | null }

const rewrite = statement<Replacement>((db, p) =>
  db
    .updateTable('transactions')
    .set({
      ...pick(p, keysOf(payloadColumns)),
      earlier: p.earlier,
      valid_until: p.valid_until,
    })
    .where('id', '=', p.id),
)

/** Whether the payload's value is settled. A sweep's is with its nonce: in the queue no attempt carries it. */
function isValueSettled({ origin, lifecycle }: Transaction): boolean {
  return origin !== 'sweep' || lifecycle.phase !== 'queued'
}

/** Throws rather than lose a payload: an attempt that carries it may still be mined. */
export async function replacePayload(executor: Executor, before: Transaction, after: Transaction): Promise<void> {
  const kept = isValueSettled(before) ? [...(before.earlier ?? []), before.payload] : (before.earlier ?? [])
  if (JSON.stringify(kept.map(payloadToRow)) !== (earlierToRow(after.earlier) ?? '[]')) {
    throw new Error(`the payload of ${before.id} was changed without keeping what it replaced`)
  }
  const { id, payload, earlier, validUntil } = after
  const row = { id, ...payloadToRow(payload), earlier: earlierToRow(earlier), valid_until: validUntil ?? null }
  await executor.all(rewrite, row)
}
