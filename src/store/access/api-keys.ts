// API keys: rows by id and by the digest of the key.

import type { Selectable } from 'kysely'
import type { ApiKey } from '../../domain/api-key.ts'
import type { ApiKeyId } from '../../domain/ids.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { ApiKeyTable } from '../access-tables.ts'
import { insertion } from '../insert-rows.ts'
import type { Page, PageRequest } from '../list-port.ts'
import { type Executor, first, statement } from '../statement.ts'
import { fromJson, toJson } from '../values.ts'

type ApiKeyRow = Selectable<ApiKeyTable>

const byId = statement<{ id: ApiKeyId }, ApiKeyRow>((db, p) =>
  db.selectFrom('api_keys').selectAll().where('id', '=', p.id),
)

const byDigest = statement<{ digest: string }, ApiKeyRow>((db, p) =>
  db.selectFrom('api_keys').selectAll().where('digest', '=', p.digest),
)

export async function findApiKey(executor: Executor, id: ApiKeyId): Promise<ApiKey | undefined> {
  const row = await first(executor, byId, { id })
  return row && apiKeyFromRow(row)
}

export async function findApiKeyByDigest(executor: Executor, digest: string): Promise<ApiKey | undefined> {
  const row = await first(executor, byDigest, { digest })
  return row && apiKeyFromRow(row)
}

// Ids rise with time.
const page = statement<{ limit: number; offset: number }, ApiKeyRow>((db, p) =>
  db.selectFrom('api_keys').selectAll().orderBy('id', 'desc').limit(p.limit).offset(p.offset),
)

const count = statement<object, { total: number }>((db) =>
  db.selectFrom('api_keys').select((eb) => eb.fn.countAll<number>().as('total')),
)

const countInForce = statement<object, { total: number }>((db) =>
  db
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('revoked_at', 'is', null),
)

export async function listApiKeys(executor: Executor, { page: number, perPage }: PageRequest): Promise<Page<ApiKey>> {
  const rows = await executor.all(page, { limit: perPage, offset: (number - 1) * perPage })
  const total = (await first(executor, count, {}))?.total ?? 0
  return { items: rows.map(apiKeyFromRow), total }
}

export async function apiKeysInForce(executor: Executor): Promise<number> {
  return (await first(executor, countInForce, {}))?.total ?? 0
}

const insert = insertion('api_keys', [
  ...(['id', 'name', 'digest', 'hint', 'scopes', 'relayers', 'created_at', 'created_by'] as const),
  ...(['expires_at', 'revoked_at', 'revoked_by', 'last_used_at'] as const),
])

export async function insertApiKey(executor: Executor, key: ApiKey, digest: string): Promise<void> {
  await executor.all(insert, apiKeyToRow(key, digest))
}

const revoke = statement<{ id: ApiKeyId; by: ApiKeyId; now: number }>((db, p) =>
  db
    .updateTable('api_keys')
    .set({ revoked_at: p.now, revoked_by: p.by })
    .where('id', '=', p.id)
    .where('revoked_at', 'is', null),
)

export async function revokeApiKey(executor: Executor, id: ApiKeyId, by: ApiKeyId, now: TimestampMs): Promise<void> {
  await executor.all(revoke, { id, by, now })
}

const use = statement<{ id: ApiKeyId; at: number }>((db, p) =>
  db
    .updateTable('api_keys')
    .set({ last_used_at: p.at })
    .where('id', '=', p.id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', p.at)])),
)

export async function useApiKey(executor: Executor, id: ApiKeyId, at: TimestampMs): Promise<void> {
  await executor.all(use, { id, at })
}

function apiKeyToRow(key: ApiKey, digest: string): ApiKeyRow {
  return {
    id: key.id,
    name: key.name,
    digest,
    hint: key.hint,
    scopes: toJson(key.scopes),
    relayers: key.relayers ? toJson(key.relayers) : null,
    created_at: key.createdAt,
    created_by: key.createdBy,
    expires_at: key.expiresAt ?? null,
    revoked_at: key.revoked?.at ?? null,
    revoked_by: key.revoked?.by ?? null,
    last_used_at: key.lastUsedAt ?? null,
  }
}

function apiKeyFromRow(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    hint: row.hint,
    scopes: fromJson(row.scopes),
    ...(row.relayers !== null && { relayers: fromJson(row.relayers) }),
    createdAt: row.created_at,
    createdBy: row.created_by,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.revoked_at !== null && row.revoked_by !== null && { revoked: { at: row.revoked_at, by: row.revoked_by } }),
    ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
  }
}
