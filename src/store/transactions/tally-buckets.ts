// The number of transactions per status in each bucket of a relayer's sequences. Replicas of the version before read them for deep pages
// on PostgreSQL. This version only writes them; they leave with the next one.
import { sql } from 'kysely'
import type { RelayerId } from '../../domain/ids.ts'
import { type Status, statuses } from '../../domain/transaction.ts'
import { inLists } from '../in-lists.ts'
import { type Executor, statement } from '../statement.ts'

/** Sequences in a bucket. */
export const bucketSize = 16_384

export const bucketOf = (sequence: number) => Math.floor(sequence / bucketSize)

/** One entry for each bucket: the first sequence in it, and the number of them. `rows` are in the order of their sequences. */
export function runsByBucket(
  rows: readonly { readonly sequence: number }[],
): readonly { readonly sequence: number; readonly count: number }[] {
  const runs: { sequence: number; count: number }[] = []
  for (const { sequence } of rows) {
    const run = runs.at(-1)
    if (run && bucketOf(run.sequence) === bucketOf(sequence)) run.count += 1
    else runs.push({ sequence, count: 1 })
  }
  return runs
}

/** Changes that wait for their commit. */
interface BucketChanges {
  add(relayerId: RelayerId, status: Status, sequence: number, change: number): void
  clear(): void
  write(executor: Executor): Promise<void>
}

export function openBucketChanges(): BucketChanges {
  /** Waiting changes by relayer, then by bucket and status in one number. */
  let waiting = new Map<RelayerId, Map<number, number>>()

  return {
    add(relayerId, status, sequence, change) {
      const key = bucketOf(sequence) * statuses.length + statuses.indexOf(status)
      const known = waiting.get(relayerId)
      if (known) known.set(key, (known.get(key) ?? 0) + change)
      else waiting.set(relayerId, new Map([[key, change]]))
    },
    clear() {
      waiting = new Map()
    },
    async write(executor) {
      const changes = waiting
      waiting = new Map()
      for (const [relayerId, byKey] of changes) {
        for (const [key, change] of byKey) {
          const status = statuses[key % statuses.length]
          if (change === 0 || status === undefined) continue
          await executor.all(add, { relayerId, bucket: Math.floor(key / statuses.length), status, change })
        }
      }
    },
  }
}

const add = inLists(
  statement<{ relayerId: RelayerId; bucket: number; status: Status; change: number }>((db, p) =>
    db
      .insertInto('tally_buckets')
      .values({ relayer_id: p.relayerId, bucket: p.bucket, status: p.status, count: p.change })
      .onConflict((conflict) =>
        conflict
          .columns(['relayer_id', 'bucket', 'status'])
          .doUpdateSet({ count: sql`tally_buckets.count + excluded.count` }),
      ),
  ),
  { relayerId: 'text', bucket: 'bigint', status: 'text', change: 'bigint' },
  (given) => `INSERT INTO tally_buckets (relayer_id, bucket, status, count) SELECT * FROM ${given}
    ON CONFLICT (relayer_id, bucket, status) DO UPDATE SET count = tally_buckets.count + excluded.count`,
)

const removeEmpty = statement<{ relayerId: RelayerId; through: number }>((db, p) =>
  db
    .deleteFrom('tally_buckets')
    .where('relayer_id', '=', p.relayerId)
    .where('bucket', '<=', p.through)
    .where('count', '=', 0),
)

/** Up to the bucket of `sequence`, as earlier commits left them. */
export async function removeEmptyBuckets(executor: Executor, relayerId: RelayerId, sequence: number): Promise<void> {
  await executor.all(removeEmpty, { relayerId, through: bucketOf(sequence) })
}
