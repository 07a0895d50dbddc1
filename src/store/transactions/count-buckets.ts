// Counts the buckets of a relayer anew. On PostgreSQL a replica of an earlier version may have written transactions that no
// bucket counts: until they are counted, the deep pages of the version before go by OFFSET.
import { sql } from 'kysely'
import type { RelayerId } from '../../domain/ids.ts'
import type { Status } from '../../domain/transaction.ts'
import { lockRelayer } from '../relayers/relayers.ts'
import type { UncountedRelayer } from '../retention-port.ts'
import { type Executor, first, statement } from '../statement.ts'
import type { Tallies } from './tallies.ts'
import { bucketOf, bucketSize } from './tally-buckets.ts'

interface UncountedRow {
  relayer_id: RelayerId
  changes: number
  /** Null: it has no transactions, or no buckets. */
  last_sequence: number | null
  last_bucket: number | null
}

const uncounted = statement<object, UncountedRow>((db) =>
  db
    .selectFrom('uncounted_relayers as u')
    .select((eb) => [
      'u.relayer_id',
      'u.changes',
      eb
        .selectFrom('transactions as t')
        .select('t.sequence')
        .whereRef('t.relayer_id', '=', 'u.relayer_id')
        .orderBy('t.sequence', 'desc')
        .limit(1)
        .as('last_sequence'),
      eb
        .selectFrom('tally_buckets as b')
        .select('b.bucket')
        .whereRef('b.relayer_id', '=', 'u.relayer_id')
        .orderBy('b.bucket', 'desc')
        .limit(1)
        .as('last_bucket'),
    ]),
)

export async function uncountedRelayers(executor: Executor): Promise<readonly UncountedRelayer[]> {
  const rows = await executor.all(uncounted, {})
  return rows.map(({ relayer_id: relayerId, changes, last_sequence: sequence, last_bucket: bucket }) => ({
    relayerId,
    changes,
    buckets: 1 + Math.max(bucketOf(sequence ?? -1), bucket ?? -1),
  }))
}

// A unit changes the tallies before the buckets. While their rows are locked, committed units have changed both, and all
// others change the buckets later. A deleted relayer has no row of its own to lock.
const lockTallies = statement<{ relayerId: RelayerId }, { status: Status }>((db, p, dialect) =>
  db
    .selectFrom('tallies')
    .select('status')
    .where('relayer_id', '=', p.relayerId)
    .orderBy('status')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

interface Bucket {
  relayerId: RelayerId
  bucket: number
}

const removeCounts = statement<Bucket>((db, p) =>
  db.deleteFrom('tally_buckets').where('relayer_id', '=', p.relayerId).where('bucket', '=', p.bucket),
)

/** The status as tallies count it. */
const shownStatus = sql<Status>`CASE status WHEN 'held' THEN 'pending' ELSE status END`

const insertCounts = statement<Bucket & { from: number; to: number }>((db, p) =>
  db
    .insertInto('tally_buckets')
    .columns(['relayer_id', 'bucket', 'status', 'count'])
    .expression(
      db
        .selectFrom('transactions')
        .select((eb) => [
          'relayer_id',
          sql<number>`CAST(${p.bucket} AS BIGINT)`.as('bucket'),
          shownStatus.as('status'),
          eb.fn.countAll<number>().as('count'),
        ])
        .where('relayer_id', '=', p.relayerId)
        .where('sequence', '>=', p.from)
        .where('sequence', '<', p.to)
        .groupBy(['relayer_id', shownStatus]),
    ),
)

export async function countBucket(
  executor: Executor,
  tallies: Tallies,
  relayerId: RelayerId,
  bucket: number,
): Promise<void> {
  await lockRelayer(executor, relayerId)
  await executor.all(lockTallies, { relayerId })
  // The rows that earlier units of the commit have written are counted here: their changes must not follow.
  await tallies.writeBuckets()
  await executor.all(removeCounts, { relayerId, bucket })
  await executor.all(insertCounts, { relayerId, bucket, from: bucket * bucketSize, to: (bucket + 1) * bucketSize })
}

const complete = statement<{ relayerId: RelayerId; changes: number }, { relayer_id: RelayerId }>((db, p) =>
  db
    .deleteFrom('uncounted_relayers')
    .where('relayer_id', '=', p.relayerId)
    .where('changes', '=', p.changes)
    .returning('relayer_id'),
)

/** Returns whether the relayer's transactions are all counted: nobody has written uncounted ones meanwhile. */
export async function completeBuckets(executor: Executor, { relayerId, changes }: UncountedRelayer): Promise<boolean> {
  return (await first(executor, complete, { relayerId, changes })) !== undefined
}
