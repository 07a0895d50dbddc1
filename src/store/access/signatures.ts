// The record of remote signatures: one row each, in the commit of its attempt.
import type { Hash, RelayerId, TransactionId } from '../../domain/ids.ts'
import type { KeptRecords, SignatureRecord } from '../../domain/signature-record.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { type Executor, first, statement } from '../statement.ts'

interface SignatureRow {
  readonly relayerId: RelayerId
  readonly transactionId: TransactionId | null
  readonly signerId: string
  readonly keyVersion: string
  readonly digest: Hash
  readonly requestId: string | null
  readonly signedAt: TimestampMs
}

const insert = statement<SignatureRow>((db, p) =>
  db.insertInto('signatures').values({
    relayer_id: p.relayerId,
    transaction_id: p.transactionId,
    signer_id: p.signerId,
    key_version: p.keyVersion,
    digest: p.digest,
    request_id: p.requestId,
    signed_at: p.signedAt,
  }),
)

export async function recordSignature(executor: Executor, record: SignatureRecord): Promise<void> {
  const { transactionId = null, requestId = null, ...rest } = record
  await executor.all(insert, { ...rest, transactionId, requestId })
}

const oldest = statement<{ limit: number }, { id: number; signed_at: number }>((db, p) =>
  db.selectFrom('signatures').select(['id', 'signed_at']).orderBy('id').limit(p.limit),
)

const newest = statement<object, { id: number }>((db) =>
  db.selectFrom('signatures').select('id').orderBy('id', 'desc').limit(1),
)

const remove = statement<{ id: number }>((db, p) => db.deleteFrom('signatures').where('id', '<=', p.id))

/** Reads the `limit` oldest rows only. True when there may be more to delete. */
export async function pruneSignatures(executor: Executor, keep: KeptRecords, limit: number): Promise<boolean> {
  const last = await first(executor, newest, {})
  if (!last) return false
  // The newest row stays, so that no id is used twice.
  const rows = (await executor.all(oldest, { limit })).filter(({ id }) => id < last.id)
  // Ids have gaps, so fewer rows than `entriesMax` may stay, and never more.
  const old = rows.filter(({ id, signed_at: signedAt }) => id <= last.id - keep.entriesMax || signedAt < keep.since)
  const through = old.at(-1)?.id
  if (through === undefined) return false
  await executor.all(remove, { id: through })
  return old.length === limit
}
