// The API key of an authorized request.
import type { FastifyRequest } from 'fastify'
import type { ApiKeyId } from '../../domain/ids.ts'

/** Throws for a request without a key: an operation without a scope must not call it. */
export function requesterIdOf({ principal }: Pick<FastifyRequest, 'principal'>): ApiKeyId {
  if (!principal) throw new Error('the operation is open to everyone, and names a requester')
  return principal.id
}
