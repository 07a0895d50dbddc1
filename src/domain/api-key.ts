// API keys: a key's scopes, its relayers and its expiry.
import { RescindError } from './errors.ts'
import type { ApiKeyId, RelayerId } from './ids.ts'
import type { TimestampMs } from './units.ts'

/** No scope contains another. A key with `admin` can make keys, and so, in the end, do anything. */
export const scopes = ['read', 'send', 'cancel', 'release', 'pause', 'sign', 'admin'] as const
export type Scope = (typeof scopes)[number]

/** The key of the environment. It is in no table, and the API can't revoke it. */
export const administratorId = 'administrator' as ApiKeyId

export interface ApiKey {
  readonly id: ApiKeyId
  /** The name, for people. */
  readonly name: string
  /** The first characters of the key. */
  readonly hint: string
  readonly scopes: readonly Scope[]
  /** Absent: the key covers every relayer. */
  readonly relayers?: readonly RelayerId[]
  readonly createdAt: TimestampMs
  readonly createdBy: ApiKeyId
  readonly expiresAt?: TimestampMs
  readonly revoked?: { readonly at: TimestampMs; readonly by: ApiKeyId }
  /** The last use, to the minute. Absent: never used. */
  readonly lastUsedAt?: TimestampMs
}

export type ApiKeyRequest = Pick<ApiKey, 'name' | 'scopes' | 'relayers' | 'expiresAt'>

/** Throws INVALID_REQUEST for a key that could never be used, or that could get around its own limits. */
export function checkApiKey({ scopes, relayers, expiresAt }: ApiKeyRequest, now: TimestampMs): void {
  if (relayers !== undefined && scopes.includes('admin')) {
    const why = 'a key with admin can make another without the list'
    throw new RescindError('INVALID_REQUEST', `relayers: can't stand beside the scope admin: ${why}; leave one out`)
  }
  if (expiresAt !== undefined && expiresAt <= now) {
    throw new RescindError('INVALID_REQUEST', 'expires_at: lies in the past; send a later time, or none')
  }
}

export function isInForce({ revoked, expiresAt }: ApiKey, now: TimestampMs): boolean {
  return revoked === undefined && (expiresAt === undefined || expiresAt > now)
}
