// Who is asking: a bearer token, compared in constant time by its digest.
import { hash, timingSafeEqual } from 'node:crypto'
import type { RelayerId } from '../domain/ids.ts'

export const scopes = ['read', 'send', 'cancel', 'sign', 'admin'] as const
export type Scope = (typeof scopes)[number]

export interface Principal {
  /** Names the key in logs and rate limits; never the key itself. */
  readonly id: string
  readonly scopes: ReadonlySet<Scope>
  /** Absent: every relayer. */
  readonly relayers?: readonly RelayerId[]
}

export type Authenticate = (header: string | undefined) => Principal | undefined

/** The API key of the environment: the administrator. */
export function administratorBy(apiKey: string): Authenticate {
  const expected = digest(apiKey)
  const administrator: Principal = { id: 'administrator', scopes: new Set(scopes) }
  return (header) => {
    const token = bearerToken(header)
    // Digests are of one length, so that neither the token's length nor a common prefix shows in the time taken.
    return token !== undefined && timingSafeEqual(digest(token), expected) ? administrator : undefined
  }
}

/** RFC 6750 §2.1; the scheme is case-insensitive (RFC 9110 §11.1). */
export function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1]
}

/** Whether the key may do this, to this relayer where one is named. */
export function permits(principal: Principal, scope: Scope, relayerId: string | undefined): boolean {
  if (!principal.scopes.has(scope)) return false
  if (principal.relayers === undefined || relayerId === undefined) return true
  return principal.relayers.includes(relayerId as RelayerId)
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
