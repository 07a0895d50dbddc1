// The tables of who may ask, what was asked already, and what was let be done; the others stand in schema.ts.
import type { Generated } from 'kysely'
import type { Scope } from '../domain/api-key.ts'
import type { AuditRecord } from '../domain/audit.ts'
import type { ApiKeyId, RelayerId, TransactionId } from '../domain/ids.ts'
import type { Json } from './json.ts'

/** The keys that the administrator gave out. The key itself is in no row: only its digest. */
export interface ApiKeyTable {
  id: ApiKeyId
  name: string
  digest: string
  /** How the key begins, for people to tell keys apart. */
  hint: string
  scopes: Json<readonly Scope[]>
  /** Null: all of them. */
  relayers: Json<readonly RelayerId[]> | null
  created_at: number
  /** The API key that made it. */
  created_by: ApiKeyId
  expires_at: number | null
  revoked_at: number | null
  revoked_by: ApiKeyId | null
  last_used_at: number | null
}

/** What was decided on requests for changes, and which were refused: a row a commit. */
export interface AuditLogTable {
  id: Generated<number>
  /** Of its last entry. */
  last_at: number
  /** Of its entries. */
  count: number
  entries: Json<readonly AuditRecord[]>
}

/** What was sent under an idempotency key, for ever: written in the commit of the transactions that it made. */
export interface IdempotencyKeyTable {
  owner: ApiKeyId
  key: string
  /** Of the request, in one canonical form. */
  digest: string
  /** In the order of the request. */
  transaction_ids: Json<readonly TransactionId[]>
  created_at: number
}
