// Idempotency keys: claimed in the commit that stores their transactions, at the time at which those are created.

import { sql } from 'kysely'
import type { Claim, Claimed } from '../../../domain/claim.ts'
import type { TransactionId } from '../../../domain/ids.ts'
import type { TimestampMs } from '../../../domain/units.ts'
import type { IdempotencyKeyTable } from '../../access-tables.ts'
import type { ListType } from '../../in-lists.ts'
import { insertionOnce, listedInsertion } from '../../insert-rows.ts'
import { type Executor, first, statement } from '../../statement.ts'
import { fromJson, toJson } from '../../values.ts'

type NewClaim = Omit<IdempotencyKeyTable, 'ended_at'>

const keyTypes = {
  owner: 'text',
  key: 'text',
  digest: 'text',
  transaction_ids: 'text',
  created_at: 'bigint',
} as const satisfies Record<keyof NewClaim, ListType>

// Only one of several concurrent units with the same key claims it.
const insert = insertionOnce(
  'idempotency_keys',
  ['owner', 'key'],
  ['digest', 'transaction_ids', 'created_at'],
  ['owner'],
)

type Standing = Pick<NewClaim, 'digest' | 'transaction_ids'>

const byKey = statement<Pick<NewClaim, 'owner' | 'key'>, Standing>((db, p) =>
  db
    .selectFrom('idempotency_keys')
    .select(['digest', 'transaction_ids'])
    .where('owner', '=', p.owner)
    .where('key', '=', p.key),
)

/** Pruning may delete an earlier claim between the two statements, and then the key is free. */
const triesMax = 3

export async function claim(
  executor: Executor,
  claimed: Claim,
  ids: readonly TransactionId[],
  now: TimestampMs,
): Promise<Claimed | undefined> {
  for (let tries = 1; tries <= triesMax; tries += 1) {
    if (await first(executor, insert, rowOf(claimed, ids, now))) return undefined
    const taken = await first(executor, byKey, { owner: claimed.owner, key: claimed.key })
    if (taken) return claimedFrom(taken)
  }
  throw new Error(`idempotency key "${claimed.key}" is claimed, but its claim is missing`)
}

const insertUnclaimed = listedInsertion('idempotency_keys', keyTypes)

/** For a key that was unclaimed a moment ago. If another unit has claimed it since, the whole commit fails. */
export async function claimUnclaimed(
  executor: Executor,
  claimed: Claim,
  ids: readonly TransactionId[],
  now: TimestampMs,
): Promise<void> {
  await executor.all(insertUnclaimed, rowOf(claimed, ids, now))
}

// OFFSET 0 prevents a join: a plan made while the table was small would scan all of it.
const byKeys = statement<{ owners: readonly string[]; keys: readonly string[] }, NewClaim>((db, p) =>
  db
    .selectFrom(
      sql<NewClaim>`(SELECT k.* FROM unnest(${p.owners}::text[], ${p.keys}::text[]) AS claimed (owner, key)
        CROSS JOIN LATERAL (SELECT * FROM idempotency_keys WHERE owner = claimed.owner AND key = claimed.key OFFSET 0) AS k)`.as(
        'found',
      ),
    )
    .selectAll(),
)

/** The earlier claim of each key, or undefined, by their names. PostgreSQL only, where the round trip costs more than the query. */
export async function findClaims(
  executor: Executor,
  claims: readonly Claim[],
): Promise<Map<string, Claimed | undefined>> {
  const found = new Map<string, Claimed | undefined>(claims.map((each) => [nameOfClaim(each), undefined]))
  const lookup = { owners: claims.map(({ owner }) => owner), keys: claims.map(({ key }) => key) }
  for (const row of await executor.all(byKeys, lookup)) found.set(nameOfClaim(row), claimedFrom(row))
  return found
}

export function nameOfClaim({ owner, key }: { readonly owner: string; readonly key: string }): string {
  return JSON.stringify([owner, key])
}

function rowOf({ owner, key, digest }: Claim, ids: readonly TransactionId[], now: TimestampMs): NewClaim {
  return { owner, key, digest, transaction_ids: toJson(ids), created_at: now }
}

function claimedFrom(row: Standing): Claimed {
  return { digest: row.digest, ids: fromJson(row.transaction_ids) }
}
