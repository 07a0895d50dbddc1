// Authorizes a request before any parsing: request id and security headers, then API key, rate and scope.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Scope } from '../../domain/api-key.ts'
import { RescindError } from '../../domain/errors.ts'
import { memberOf } from '../../ops/member.ts'
import { batchBodyBytesMax } from '../limits.ts'
import type { Auditor } from './audit.ts'
import { checkGrant, type Identity, isPrincipal } from './authenticate.ts'
import { bodyPoints, pagePoints, type RateLimits } from './limit-rate.ts'
import { pathParametersOf } from './parameters.ts'
import type { LimitedReads, Turns } from './places.ts'

/**
 * Authenticates by the Authorization header, or a request of the dashboard by its cookie. Returns a promise only if it has to
 * read the store.
 */
export type AuthenticateRequest = (request: FastifyRequest) => Identity | Promise<Identity>

export interface RequestGuards {
  readonly authenticate: AuthenticateRequest
  readonly rates: RateLimits
  readonly auditor: Auditor
  /** For pages of many rows. */
  readonly pages: Turns
  /** Previews of a whole queue. */
  readonly previews: LimitedReads
}

interface NeededScopes {
  readonly scope?: Scope | undefined
  /** Passes as well, as far as the operation goes with it. */
  readonly lesserScope?: Scope | undefined
}

/** Throws RateLimited, UNAUTHORIZED, FOREIGN_ORIGIN, SCOPE_MISSING, RELAYER_NOT_GRANTED; otherwise sets the request's principal. */
export async function authorize(
  { authenticate, rates }: Pick<RequestGuards, 'authenticate' | 'rates'>,
  { scope, lesserScope }: NeededScopes,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  // A valid key passes despite failed attempts at its address, so that nobody else's failures can block a cancellation.
  const answer = authenticate(request)
  const principal = answer instanceof Promise ? await answer : answer
  request.keyId = principal?.id
  if (!isPrincipal(principal)) {
    await rates.checkAddressLimit(request.ip)
    await rates.countFailure(request.ip)
    throw new RescindError('UNAUTHORIZED', principal ? `key "${principal.id}" is ${principal.ended}` : 'no valid token')
  }
  const { policy, remaining, resetSeconds } = await rates.checkKeyLimit(
    principal.id,
    pagePoints(memberOf(request.query, 'per_page')) + bodyPoints(declaredBytes(request)),
  )
  reply.header('ratelimit-policy', policy)
  reply.header('ratelimit', `"key";r=${remaining};t=${resetSeconds}`)
  const { relayer_id: relayerId } = pathParametersOf(request)
  const isLesser =
    lesserScope !== undefined && !(scope && principal.scopes.has(scope)) && principal.scopes.has(lesserScope)
  if (scope !== undefined) checkGrant(principal, isLesser ? lesserScope : scope, relayerId)
  request.principal = principal
}

/** Sets the headers of every response, also of refusals. */
export function markAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
  reply.header('cache-control', 'no-store')
  reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
  reply.header('x-content-type-options', 'nosniff')
}

/** The length of the body, which has not arrived yet. 0 where no length is declared: such a body is charged when it is read. */
function declaredBytes({ headers }: FastifyRequest): number {
  const declared = Number(headers['content-length'] ?? 0)
  return Number.isFinite(declared) ? Math.min(declared, batchBodyBytesMax) : 0
}
