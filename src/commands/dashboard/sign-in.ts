// Opens a session of the dashboard for a key that was authenticated. Each sign-in makes a new token.
import { allowed, type Requester } from '../../domain/audit.ts'
import { sessionIdleMs, sessionsPerKeyMax } from '../../domain/dashboard-session.ts'
import type { CommandContext } from '../context.ts'
import { newSessionToken, type SessionDigest } from './session-token.ts'

export interface SessionContext extends Pick<CommandContext, 'store' | 'clock' | 'random'> {
  readonly digestOf: SessionDigest
}

/** Ends the session of `before`, the token that the browser had. Returns the new token, which is shown this once. */
export async function signIn(
  { store, clock, random, digestOf }: SessionContext,
  before: string | undefined,
  requester: Requester,
): Promise<string> {
  const now = clock.now()
  const token = newSessionToken(random)
  const digest = digestOf(token) ?? ''
  const former = digestOf(before)
  const { keyId } = requester
  await store.commit(async (session) => {
    if (former !== undefined) await session.removeDashboardSession(former)
    await session.pruneDashboardSessions(keyId, now - sessionIdleMs, sessionsPerKeyMax - 1)
    await session.insertDashboardSession({ keyId, createdAt: now, usedAt: now }, digest)
    session.recordAudit(allowed(requester, now, {}))
  })
  return token
}

/** The session's cookie is worthless once this resolves. */
export async function signOut(
  { store, clock, digestOf }: SessionContext,
  token: string | undefined,
  requester: Requester,
): Promise<void> {
  const digest = digestOf(token)
  if (digest === undefined) return
  await store.commit(async (session) => {
    await session.removeDashboardSession(digest)
    session.recordAudit(allowed(requester, clock.now(), {}))
  })
}
