// The session of the dashboard: sign in (POST), read the session (GET), sign out (DELETE).
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type SessionContext, signIn, signOut } from '../../commands/dashboard/sign-in.ts'
import { administratorId } from '../../domain/api-key.ts'
import { RescindError } from '../../domain/errors.ts'
import { signInBodyBytesMax } from '../limits.ts'
import { requesterOf } from '../request/audit.ts'
import { type Authenticate, isPrincipal, type Principal } from '../request/authenticate.ts'
import { authorize } from '../request/authorize.ts'
import { checkOrigin, dashboardPath, sessionCookie, sessionTokenOf } from '../request/dashboard-request.ts'
import type { Mounting } from '../request/mount.ts'
import type { SessionRing } from '../request/session-ring.ts'
import { success } from '../response/envelope.ts'

export interface DashboardSessions extends SessionContext {
  /** Authenticates by an Authorization header. */
  readonly authenticate: Authenticate
  readonly ring: SessionRing
  readonly version: string
}

const bodySchema = Type.Object(
  { key: Type.String({ minLength: 1, maxLength: 1_000, writeOnly: true, description: 'an API key as a text' }) },
  { additionalProperties: false },
)

const url = `${dashboardPath}/session`

export function sessionOperations({ app, door }: Mounting, sessions: DashboardSessions): void {
  const ofSession = (request: FastifyRequest, reply: FastifyReply) => authorize(door, {}, request, reply)
  const end = (request: FastifyRequest) => {
    const digest = sessions.digestOf(sessionTokenOf(request))
    if (digest !== undefined) sessions.ring.forget(digest)
  }

  app.post<{ Body: { key: string } }>(url, {
    schema: { hide: true, body: bodySchema },
    bodyLimit: signInBodyBytesMax,
    config: { operationId: 'signIn' },
    onRequest: async (request) => checkOrigin(request),
    async handler(request, reply) {
      // Checked first: the session of an answer that can't set a cookie would be of no use.
      sessionCookie(request, undefined)
      const principal = await principalBy(request.body.key, request, sessions, door.rates)
      request.principal = principal
      const token = await signIn(sessions, sessionTokenOf(request), requesterOf(request))
      end(request)
      reply.header('set-cookie', sessionCookie(request, token))
      return success({ session: await present(principal, sessions) })
    },
  })

  app.get(url, {
    schema: { hide: true },
    config: { operationId: 'getSession' },
    onRequest: async (request) => {
      await door.rates.checkOpenLimit(request.ip)
      // Without a session the page shows its sign-in. That is no failed authentication.
      const identity = await door.authenticate(request)
      if (isPrincipal(identity)) request.principal = identity
    },
    handler: async ({ principal }) => success({ session: principal ? await present(principal, sessions) : null }),
  })

  app.delete(url, {
    schema: { hide: true },
    config: { operationId: 'signOut' },
    onRequest: ofSession,
    async handler(request, reply) {
      await signOut(sessions, sessionTokenOf(request), requesterOf(request))
      end(request)
      reply.header('set-cookie', sessionCookie(request, undefined))
      return success({ session: null })
    },
  })
}

async function principalBy(
  key: string,
  request: FastifyRequest,
  { authenticate }: DashboardSessions,
  rates: Mounting['door']['rates'],
): Promise<Principal> {
  const identity = await authenticate(`Bearer ${key.trim()}`)
  request.keyId = identity?.id
  if (isPrincipal(identity)) {
    await rates.checkKeyLimit(identity.id)
    return identity
  }
  await rates.checkAddressLimit(request.ip)
  await rates.countFailure(request.ip)
  throw new RescindError('UNAUTHORIZED', identity ? `key "${identity.id}" is ${identity.ended}` : 'no valid key')
}

/** Presents the session with the key's scopes, so that the page shows no button that the key can't use. */
async function present({ id, scopes, relayers }: Principal, { store, version }: DashboardSessions) {
  const key = id === administratorId ? undefined : await store.reads.apiKey(id)
  return {
    key_id: id,
    name: key?.name ?? 'administrator',
    scopes: [...scopes],
    ...(relayers && { relayers: [...relayers] }),
    version,
  }
}
