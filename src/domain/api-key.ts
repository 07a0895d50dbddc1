// API keys: what a key may do, to which relayers, and until when.
import { RescindError } from './errors.ts'
import type { ApiKeyId, RelayerId } from './ids.ts'
import type { TimestampMs } from './units.ts'

/** No scope contains another. Who has `admin` may make keys, and so, in the end, do anything. */
export const scopes = ['read', 'send', 'cancel', 'sign', 'admin'] as const
export type Scope = (typeof scopes)[number]

/** The key of the environment. It is in no table, and can't be revoked by the API. */
export const administratorId = 'administrator' as ApiKeyId

export interface ApiKey {
  readonly id: ApiKeyId
  /** For people. */
  readonly name: string
  /** How the key begins. */
  readonly hint: string
  readonly scopes: readonly Scope[]
  /** Absent: every relayer. */
  readonly relayers?: readonly RelayerId[]
  readonly createdAt: TimestampMs
  readonly createdBy: ApiKeyId
  readonly expiresAt?: TimestampMs
  readonly revoked?: { readonly at: TimestampMs; readonly by: ApiKeyId }
  /** To the minute. Absent: never used. */
  readonly lastUsedAt?: TimestampMs
}

export type ApiKeyRequest = Pick<ApiKey, 'name' | 'scopes' | 'relayers' | 'expiresAt'>

/** Throws INVALID_REQUEST for a key that could never be used, or that would get around its own limits. */
export function checkApiKey({ scopes, relayers, expiresAt }: ApiKeyRequest, now: TimestampMs): void {
  if (relayers !== undefined && scopes.includes('admin')) {
    const why = 'whoever has admin can make a key without the list'
    throw new RescindError('INVALID_REQUEST', `relayers: can't stand beside the scope admin: ${why}; leave one out`)
  }
  if (expiresAt !== undefined && expiresAt <= now) {
    throw new RescindError('INVALID_REQUEST', 'expires_at: lies in the past; send a later time, or none')
  }
}

export function isInForce({ revoked, expiresAt }: ApiKey, now: TimestampMs): boolean {
  return revoked === undefined && (expiresAt === undefined || expiresAt > now)
}
