// The header Idempotency-Key: what a send claims for itself.
import type { FastifyRequest } from 'fastify'
import { digestOf } from '../../commands/transactions/send-once.ts'
import type { Claim } from '../../domain/claim.ts'
import type { RelayerId } from '../../domain/ids.ts'
import { requesterIdOf } from '../request/requester.ts'

/**
 * Undefined where the request names no key; the schema of the headers has refused one that can't be kept. `payload` is the
 * request as it was parsed: what means the same is the same.
 */
export function claimOf(
  { headers, principal }: Pick<FastifyRequest, 'headers' | 'principal'>,
  relayerId: RelayerId,
  payload: unknown,
): Claim | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  return { owner: requesterIdOf({ principal }), key: String(key), digest: digestOf(relayerId, payload) }
}
