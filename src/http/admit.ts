// The door: request id and security headers, then who is asking and how often, before anything is parsed or looked up.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RescindError } from '../domain/errors.ts'
import { type Authenticate, permits, type Scope } from './authenticate.ts'
import type { RateLimits } from './limit-rate.ts'

export interface Door {
  readonly authenticate: Authenticate
  readonly rates: RateLimits
}

/** Throws RateLimited or UNAUTHORIZED; otherwise the request knows its principal. */
export async function admit(
  { authenticate, rates }: Door,
  scope: Scope | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  // The right key is heard whatever strangers at its address did: they must not be able to keep a cancellation out.
  const principal = authenticate(request.headers.authorization)
  if (!principal) {
    await rates.hear(request.ip)
    await rates.fail(request.ip)
    throw new RescindError('UNAUTHORIZED', 'no valid bearer token')
  }
  const { policy, remaining, resetSeconds } = await rates.spend(principal.id)
  reply.header('ratelimit-policy', policy)
  reply.header('ratelimit', `"key";r=${remaining};t=${resetSeconds}`)
  const { relayer_id: relayerId } = (request.params ?? {}) as { relayer_id?: string }
  if (scope !== undefined && !permits(principal, scope, relayerId)) {
    throw new RescindError('UNAUTHORIZED', `key "${principal.id}" may not do this`)
  }
  request.principal = principal
}

/** On every answer, refusals included. */
export function markAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
  reply.header('cache-control', 'no-store')
  reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
  reply.header('x-content-type-options', 'nosniff')
}
