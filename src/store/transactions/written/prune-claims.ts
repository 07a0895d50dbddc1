// Removes idempotency keys by the end of their transactions: of several, the last one. A key of an open transaction stays.
import { sql } from 'kysely'
import type { TransactionId } from '../../../domain/ids.ts'
import type { TimestampMs } from '../../../domain/units.ts'
import type { IdempotencyKeyTable } from '../../access-tables.ts'
import { isAmong, isAmongNumbers } from '../../in-lists.ts'
import type { PrunedClaims } from '../../retention-port.ts'
import { type Executor, statement } from '../../statement.ts'
import { fromJson, type Json, toJson } from '../../values.ts'
import type { Ids } from '../rows/find-transaction.ts'

interface Standing extends Pick<IdempotencyKeyTable, 'owner' | 'key' | 'transaction_ids'> {
  ended_at: number | null
}

const columns = ['owner', 'key', 'transaction_ids', 'ended_at'] as const

const neverRead = statement<{ before: number; limit: number }, Standing>((db, p) =>
  db
    .selectFrom('idempotency_keys')
    .select(columns)
    .where('created_at', '<', p.before)
    // Never below 0. Without statistics PostgreSQL takes a null for rare, and would sort all old keys to find a few.
    .where(sql<boolean>`COALESCE(ended_at, -1) < 0`)
    .orderBy('created_at')
    .limit(p.limit),
)

const endedBefore = statement<{ before: number; limit: number }, Standing>((db, p) =>
  db
    .selectFrom('idempotency_keys')
    .select(columns)
    .where('ended_at', 'is not', null)
    .where('ended_at', '<', p.before)
    .orderBy('ended_at')
    .limit(p.limit),
)

interface End {
  id: TransactionId
  open: number
  created_at: number
  ended_at: number | null
}

const ends = statement<Ids, End>((db, p, dialect) =>
  db
    .selectFrom('transactions')
    .select(['id', 'open', 'created_at', 'ended_at'])
    .where(isAmong('id', p.ids, dialect)),
)

type Name = Pick<IdempotencyKeyTable, 'owner' | 'key'>

const setEnd = statement<Name & { endedAt: number }>((db, p) =>
  db.updateTable('idempotency_keys').set({ ended_at: p.endedAt }).where('owner', '=', p.owner).where('key', '=', p.key),
)

const remove = statement<Name>((db, p) =>
  db.deleteFrom('idempotency_keys').where('owner', '=', p.owner).where('key', '=', p.key),
)

/** Transactions whose ends one portion reads: a batch may have hundreds under its key. */
const endsAtOnce = 1_000

/**
 * Looks at the oldest keys, at most `limit`, and deletes those whose transactions all ended before the time.
 */
export async function pruneClaims(
  executor: Executor,
  before: TimestampMs,
  now: TimestampMs,
  limit: number,
): Promise<PrunedClaims> {
  const known = await executor.all(endedBefore, { before, limit })
  const found = [...known, ...(await executor.all(neverRead, { before, limit: limit - known.length }))]
  const claims = firstOf(found)
  const ids = claims.flatMap((claim) => fromJson(claim.transaction_ids))
  const rows = new Map((await executor.all(ends, { ids: toJson(ids) })).map((row) => [row.id, row]))
  let removed = 0
  for (const { owner, key, transaction_ids: json, ended_at: knownEnd } of claims) {
    const of = fromJson(json).flatMap((id) => rows.get(id) ?? [])
    // An open one ends now at the earliest, and is looked at again when that is too long ago.
    const last = Math.max(knownEnd ?? 0, ...of.map((row) => (row.open === 1 ? now : (row.ended_at ?? 0))))
    if (last >= before) {
      await executor.all(setEnd, { owner, key, endedAt: last })
      continue
    }
    await executor.all(remove, { owner, key })
    removed += 1
  }
  return { removed, mayHaveMore: claims.length < found.length || found.length === limit }
}

/** The first claims, until their transactions reach `endsAtOnce`; at least one. */
function firstOf(found: readonly Standing[]): readonly Standing[] {
  let room = endsAtOnce
  return found.filter(({ transaction_ids: json }) => {
    const isIn = room > 0
    room -= fromJson(json).length
    return isIn
  })
}

const claimedAt = statement<{ times: Json<readonly number[]> }, Standing>((db, p, dialect) =>
  db
    .selectFrom('idempotency_keys')
    .select(columns)
    .where(isAmongNumbers('created_at', p.times, dialect)),
)

/** Call it while the rows still stand: a key was claimed at the time at which its transactions were created. */
export async function recordEnds(executor: Executor, ids: Json<readonly TransactionId[]>): Promise<void> {
  const rows = new Map((await executor.all(ends, { ids })).map((row) => [row.id, row]))
  const times = toJson([...new Set([...rows.values()].map((row) => row.created_at))])
  for (const { owner, key, transaction_ids: json, ended_at: knownEnd } of await executor.all(claimedAt, { times })) {
    const last = Math.max(knownEnd ?? 0, ...fromJson(json).map((id) => rows.get(id)?.ended_at ?? 0))
    if (last > (knownEnd ?? 0)) await executor.all(setEnd, { owner, key, endedAt: last })
  }
}
