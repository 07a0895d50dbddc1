// Makes the token of a dashboard session. Only the browser's cookie holds it; the store has its digest.
import { createHmac } from 'node:crypto'
import type { Random } from '../../ops/random.ts'

/** The digest of a token under which its session is stored; undefined for a text that is not one of our tokens. */
export type SessionDigest = (token: string | undefined) => string | undefined

/**
 * Keyed by the administrator's key, so that a change of that key ends all sessions. The token is 256 random bits that are
 * stored nowhere, so a copy of the database does not help to guess the key.
 */
export function sessionDigestBy(apiKey: string): SessionDigest {
  return (token) =>
    token !== undefined && /^[A-Za-z0-9_-]{43}$/.test(token)
      ? createHmac('sha256', apiKey).update(token).digest('hex')
      : undefined
}

export function newSessionToken(random: Random): string {
  return Buffer.from(random.bytes(32)).toString('base64url')
}
