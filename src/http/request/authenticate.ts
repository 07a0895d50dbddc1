// Authenticates a request by its bearer token, whose digest is compared in constant time.
import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { administratorId, type Scope, scopes } from '../../domain/api-key.ts'
import { RescindError } from '../../domain/errors.ts'
import type { ApiKeyId, RelayerId } from '../../domain/ids.ts'

export interface Principal {
  /** Identifies the key in logs, rate limits and rows; never the key itself. */
  readonly id: ApiKeyId
  readonly scopes: ReadonlySet<Scope>
  /** The relayers that the key may use; absent: every relayer. */
  readonly relayers?: readonly RelayerId[]
}

/** A revoked or expired key: it is refused like an unknown key, but the log names it. */
interface Former {
  readonly id: ApiKeyId
  readonly ended: 'revoked' | 'expired'
}

export type Identity = Principal | Former | undefined

/** Returns a promise only if it has to read the store. */
export type Authenticate = (header: string | undefined) => Identity | Promise<Identity>

export const administrator: Principal = { id: administratorId, scopes: new Set(scopes) }

/** The API key of the environment: the administrator. */
export function administratorBy(apiKey: string): (header: string | undefined) => Principal | undefined {
  const expected = digest(apiKey)
  return (header) => {
    const token = bearerToken(header)
    // Digests have equal length, so the time taken reveals neither the token's length nor a common prefix.
    return token !== undefined && timingSafeEqual(digest(token), expected) ? administrator : undefined
  }
}

/** RFC 6750 §2.1; the scheme is case-insensitive (RFC 9110 §11.1). */
export function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1]
}

export function isPrincipal(identity: Identity): identity is Principal {
  return identity !== undefined && 'scopes' in identity
}

/**
 * Throws SCOPE_MISSING or RELAYER_NOT_GRANTED unless the key has the scope, for the named relayer if there is one. A key
 * that is bound to relayers can't find out whether another relayer exists: both are refused alike.
 */
export function checkGrant(principal: Principal, scope: Scope, relayerId: RelayerId | undefined): void {
  if (permits(principal, scope, relayerId)) return
  if (principal.scopes.has(scope)) {
    throw new RescindError('RELAYER_NOT_GRANTED', `key "${principal.id}" is not for relayer "${relayerId}"`)
  }
  throw new RescindError('SCOPE_MISSING', `key "${principal.id}" has no scope ${scope}`)
}

export function permits(principal: Principal, scope: Scope, relayerId: RelayerId | undefined): boolean {
  if (!principal.scopes.has(scope)) return false
  return relayerId === undefined || (principal.relayers?.includes(relayerId) ?? true)
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** Throws for a request without a key: an operation without a scope must not call it. */
export function requesterIdOf({ principal }: Pick<FastifyRequest, 'principal'>): ApiKeyId {
  if (!principal) throw new Error('the operation is open to everyone, and names a requester')
  return principal.id
}
