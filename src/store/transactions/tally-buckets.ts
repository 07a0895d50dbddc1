// The number of transactions per status in each bucket of a relayer's sequences: a deep page skips whole buckets, not rows.
import { sql } from 'kysely'
import type { RelayerId } from '../../domain/ids.ts'
import { type Status, statuses } from '../../domain/transaction.ts'
import { inLists } from '../in-lists.ts'
import { type Executor, first, statement } from '../statement.ts'
import { partsOf } from './tally-changes.ts'

/** Sequences in a bucket. A page reads at most so many entries of an index, and the counts of all buckets. */
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
export interface BucketChanges {
  add(relayerId: RelayerId, status: Status, sequence: number, change: number): void
  clear(): void
  write(executor: Executor): Promise<void>
}

export function openBucketChanges(): BucketChanges {
  /** By relayer, then by bucket and status in one number. */
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

const sums = {
  tallies: statement<{ relayerId: RelayerId }, { status: Status; count: number }>((db, p, dialect) =>
    db
      .selectFrom(partsOf(p.relayerId, dialect).as('parts'))
      .select((eb) => ['status', eb.fn.sum<number>('count').as('count')])
      .groupBy('status'),
  ),
  buckets: statement<{ relayerId: RelayerId }, { status: Status; count: number }>((db, p) =>
    db
      .selectFrom('tally_buckets')
      .select((eb) => ['status', eb.fn.sum<number>('count').as('count')])
      .where('relayer_id', '=', p.relayerId)
      .groupBy('status'),
  ),
}

const uncounted = statement<{ relayerId: RelayerId }, { changes: number }>((db, p) =>
  db.selectFrom('uncounted_relayers').select('changes').where('relayer_id', '=', p.relayerId),
)

/** Whether the buckets count the relayer's transactions: they hold what the tallies hold, of one status or of all together. */
export async function bucketsAddUp(executor: Executor, relayerId: RelayerId, status?: Status): Promise<boolean> {
  if (await first(executor, uncounted, { relayerId })) return false
  const read = async (sum: typeof sums.tallies) =>
    (await executor.all(sum, { relayerId }))
      .filter((row) => status === undefined || row.status === status)
      .reduce((total, { count }) => total + Number(count), 0)
  return (await read(sums.tallies)) === (await read(sums.buckets))
}
