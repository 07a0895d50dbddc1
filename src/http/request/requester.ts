// The API key behind a request that the door has let in.
import type { FastifyRequest } from 'fastify'
import type { ApiKeyId } from '../../domain/ids.ts'

/** Throws where nobody is known: an operation without a scope must not ask. */
export function requesterIdOf({ principal }: Pick<FastifyRequest, 'principal'>): ApiKeyId {
  if (!principal) throw new Error('the operation is open to everybody, and names a requester')
  return principal.id
}
