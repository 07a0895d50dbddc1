// Authenticates the dashboard's requests by their session: from a short-lived cache, and otherwise from the store.
import type { CommandContext } from '../../commands/context.ts'
import { administratorId, isInForce } from '../../domain/api-key.ts'
import { type DashboardSession, isLive } from '../../domain/dashboard-session.ts'
import type { ApiKeyId } from '../../domain/ids.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { Logger } from '../../ops/logger.ts'
import { keyBelievedMs, keysHeldMax, keyUseNotedEveryMs } from '../limits.ts'
import { administrator, type Identity, isPrincipal } from './authenticate.ts'
import { principalOf } from './key-ring.ts'

export interface SessionRing {
  /** `isUse`: a person acted, which keeps the session alive. */
  authenticate(digest: string | undefined, isUse: boolean): Identity | Promise<Identity>
  /** Removes the session from the cache, so that its end counts at once. */
  forget(digest: string): void
  forgetKey(id: ApiKeyId): void
}

interface Held {
  readonly session: DashboardSession
  readonly identity: Identity
  readonly readAt: TimestampMs
  usedAt: TimestampMs
}

interface SessionRingContext extends Pick<CommandContext, 'store' | 'clock'> {
  readonly logger: Logger
}

/** Unknown sessions are never cached, so that unauthenticated clients can't fill the memory. */
export function sessionRing({ store, clock, logger }: SessionRingContext): SessionRing {
  const ring = new Map<string, Held>()
  let forgotten = 0

  function answer(digest: string, held: Held, isUse: boolean, now: TimestampMs): Identity {
    if (!isLive({ ...held.session, usedAt: held.usedAt }, now)) return undefined
    if (isUse && isPrincipal(held.identity)) noteUse(digest, held, now)
    return held.identity
  }

  /** Records a session's last use once a minute, outside the request, which must not wait for it. */
  function noteUse(digest: string, held: Held, now: TimestampMs): void {
    if (now - held.usedAt < keyUseNotedEveryMs) return
    held.usedAt = now
    store
      .commit((session) => session.useDashboardSession(digest, now))
      .catch((err: unknown) => logger.warn({ err }, 'the last use of a dashboard session was not recorded'))
  }

  async function identityOf(keyId: ApiKeyId): Promise<Identity> {
    if (keyId === administratorId) return administrator
    const key = await store.reads.apiKey(keyId)
    if (!key || isInForce(key, clock.now())) return key && principalOf(key)
    return { id: key.id, ended: key.revoked ? 'revoked' : 'expired' }
  }

  async function lookUp(digest: string, isUse: boolean): Promise<Identity> {
    const before = forgotten
    const session = await store.reads.dashboardSession(digest)
    const identity = session && (await identityOf(session.keyId))
    const now = clock.now()
    const known = ring.get(digest)
    ring.delete(digest)
    if (!session || !identity) return undefined
    const held = { session, identity, readAt: now, usedAt: Math.max(session.usedAt, known?.usedAt ?? 0) }
    // An end during the read makes the result stale: it serves this request, and is not cached.
    if (before === forgotten) hold(digest, held)
    return answer(digest, held, isUse, now)
  }

  function hold(digest: string, held: Held): void {
    ring.set(digest, held)
    const [oldest] = ring.keys()
    if (ring.size > keysHeldMax && oldest !== undefined) ring.delete(oldest)
  }

  return {
    authenticate(digest, isUse) {
      if (digest === undefined) return undefined
      const held = ring.get(digest)
      const now = clock.now()
      const age = held ? now - held.readAt : keyBelievedMs
      return held && age >= 0 && age < keyBelievedMs ? answer(digest, held, isUse, now) : lookUp(digest, isUse)
    },
    forget(digest) {
      forgotten += 1
      ring.delete(digest)
    },
    forgetKey(id) {
      forgotten += 1
      for (const [digest, { session }] of ring) if (session.keyId === id) ring.delete(digest)
    },
  }
}
