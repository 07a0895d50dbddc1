// Authenticates the keys that the administrator created: from a short-lived cache, and otherwise from the store.

import { digestOfToken } from '../../commands/api-keys/api-key-token.ts'
import type { CommandContext } from '../../commands/context.ts'
import { type ApiKey, isInForce } from '../../domain/api-key.ts'
import type { ApiKeyId } from '../../domain/ids.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { loggingOutage } from '../../ops/log-outage.ts'
import type { Logger } from '../../ops/logger.ts'
import { keyBelievedMs, keysHeldMax, keyUseNotedEveryMs } from '../limits.ts'
import { type Authenticate, bearerToken, type Identity, type Principal } from './authenticate.ts'

export interface KeyRing {
  readonly authenticate: Authenticate
  /** Removes the key from the cache, so that a revocation counts at once. */
  forget(id: ApiKeyId): void
}

interface Held {
  key: ApiKey
  principal: Principal
  readAt: TimestampMs
  notedAt: TimestampMs
}

export interface KeyRingContext extends Pick<CommandContext, 'store' | 'clock'> {
  /** Tried first, since it needs no store. */
  readonly administrator: Authenticate
  readonly logger: Logger
}

/**
 * Unknown tokens are never cached, so that unauthenticated clients can't fill the memory. A token without the form of a key
 * causes no read.
 */
export function keyRing({ administrator, store, clock, logger }: KeyRingContext): KeyRing {
  const ring = new Map<string, Held>()
  let forgotten = 0
  const outage = loggingOutage(logger, {
    began: 'the last use of an API key was not recorded',
    over: 'the last use of API keys is recorded again',
    level: 'warn',
  })

  function identify(held: Held, now: TimestampMs): Identity {
    const { key, principal } = held
    if (!isInForce(key, now)) return { id: key.id, ended: key.revoked ? 'revoked' : 'expired' }
    noteUse(held, now)
    return principal
  }

  /** Records a key's last use once a minute, outside the request: it is for people, and must not delay a request. */
  function noteUse(held: Held, now: TimestampMs): void {
    const noted = Math.max(held.notedAt, held.key.lastUsedAt ?? 0)
    if (now - noted < keyUseNotedEveryMs) return
    held.notedAt = now
    store
      .commit((session) => session.useApiKey(held.key.id, now))
      .then(outage.worked, (error: unknown) => void outage.failed(error, { apiKey: held.key.id }))
  }

  async function lookUp(digest: string): Promise<Identity> {
    const before = forgotten
    const key = await store.reads.apiKeyOf(digest)
    const now = clock.now()
    const known = ring.get(digest)
    ring.delete(digest)
    if (!key) return undefined
    const held = { key, principal: principalOf(key), readAt: now, notedAt: known?.notedAt ?? 0 }
    // A revocation during the read makes the result stale: it serves this request, and is not cached.
    if (before === forgotten) hold(digest, held)
    return identify(held, now)
  }

  function hold(digest: string, held: Held): void {
    ring.set(digest, held)
    const [oldest] = ring.keys()
    if (ring.size > keysHeldMax && oldest !== undefined) ring.delete(oldest)
  }

  return {
    authenticate(header) {
      const known = administrator(header)
      if (known !== undefined) return known
      const token = bearerToken(header)
      const digest = token === undefined ? undefined : digestOfToken(token)
      if (digest === undefined) return undefined
      const held = ring.get(digest)
      const now = clock.now()
      const age = held ? now - held.readAt : keyBelievedMs
      return held && age >= 0 && age < keyBelievedMs ? identify(held, now) : lookUp(digest)
    },
    forget(id) {
      forgotten += 1
      for (const [digest, { key }] of ring) if (key.id === id) ring.delete(digest)
    },
  }
}

export function principalOf({ id, scopes, relayers }: ApiKey): Principal {
  return { id, scopes: new Set(scopes), ...(relayers && { relayers }) }
}
