// The API key behind a request that the door has let in.
import type { FastifyRequest } from 'fastify'
import type { ApiKeyId } from '../../domain/ids.ts'

/** Throws where nobody is known: an operation without a scope must not ask. */
export function askerOf({ principal }: Pick<FastifyRequest, 'principal'>): ApiKeyId {
  if (!principal) throw new Error('the operation is open to everybody, and asks who is asking')
  return principal.id
}
