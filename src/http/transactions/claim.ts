// The claim of a send that has the header Idempotency-Key.
import type { FastifyRequest } from 'fastify'
import { digestOf } from '../../commands/digest-request.ts'
import type { Claim } from '../../domain/claim.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { SendRequest } from '../../domain/submit.ts'
import { requesterIdOf } from '../request/requester.ts'

/**
 * The claim of a send; undefined for a request without a key. The schema of the headers has refused a key that can't be stored.
 * `payload` is the parsed request, so that equal requests have equal digests.
 */
export function claimOf(
  { headers, principal }: Pick<FastifyRequest, 'headers' | 'principal'>,
  relayerId: RelayerId,
  payload: SendRequest | readonly SendRequest[],
): Claim | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  return {
    owner: requesterIdOf({ principal }),
    key: String(key),
    digest: digestOf(relayerId, 'pricing' in payload ? meaningOf(payload) : payload.map(meaningOf)),
  }
}

/** The transaction that a request sends, and nothing that is only compared or stands beside it. */
function meaningOf({ believed: _, labels: __, ...payload }: SendRequest): object {
  return payload
}
