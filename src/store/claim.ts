// Idempotency keys: claimed in the commit that stores what they stand for.
import type { Claim, Claimed } from '../domain/claim.ts'
import type { TransactionId } from '../domain/ids.ts'
import type { TimestampMs } from '../domain/units.ts'
import type { IdempotencyKeyTable } from './schema.ts'
import { type Executor, first, statement } from './statement.ts'

// On PostgreSQL an insert that meets one of a unit under way waits for its end: only one of two claims a key.
const insert = statement<IdempotencyKeyTable, { owner: string }>((db, p) =>
  db
    .insertInto('idempotency_keys')
    .values({
      owner: p.owner,
      key: p.key,
      digest: p.digest,
      transaction_ids: p.transaction_ids,
      created_at: p.created_at,
    })
    .onConflict((conflict) => conflict.columns(['owner', 'key']).doNothing())
    .returning('owner'),
)

const byKey = statement<{ owner: string; key: string }, { digest: string; transaction_ids: string }>((db, p) =>
  db
    .selectFrom('idempotency_keys')
    .select(['digest', 'transaction_ids'])
    .where('owner', '=', p.owner)
    .where('key', '=', p.key),
)

export async function claim(
  executor: Executor,
  { owner, key, digest }: Claim,
  ids: readonly TransactionId[],
  now: TimestampMs,
): Promise<Claimed | undefined> {
  const row = { owner, key, digest, transaction_ids: JSON.stringify(ids), created_at: now }
  if (await first(executor, insert, row)) return undefined
  const taken = await first(executor, byKey, { owner, key })
  if (!taken) throw new Error(`idempotency key "${key}" is taken and not there`)
  return { digest: taken.digest, ids: JSON.parse(taken.transaction_ids) as TransactionId[] }
}
