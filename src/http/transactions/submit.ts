// Submits a transaction (POST).
import type { FastifyRequest } from 'fastify'
import type { CommandContext } from '../../commands/context.ts'
import { digestOf } from '../../commands/digest-request.ts'
import { submitOnce, submitTransaction } from '../../commands/transactions/submit.ts'
import type { Claim } from '../../domain/claim.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { SendRequest } from '../../domain/submit.ts'
import { requesterOf } from '../request/audit.ts'
import { requesterIdOf } from '../request/authenticate.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters, sendHeaders } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { explainIgnored } from './ignored-members.ts'
import { parseSend, type SendHandling, sendSchema } from './parse-send.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'

/** Refusals by the transaction in the body, by the relayer's policies, and for lack of room. */
export const sendRefusals = [
  'RELAYER_PAUSED',
  'POLICY_VIOLATION',
  'GAS_LIMIT_TOO_LOW',
  'QUEUE_FULL',
  'TOO_MANY_REFUSED',
  'STORAGE_LOW',
] as const

/** Refusals of a send, alone or in a batch. */
export const submitRefusals = [
  'RELAYER_NOT_FOUND',
  ...sendRefusals,
  'IDEMPOTENCY_KEY_REUSED',
  'EXTERNAL_ID_TAKEN',
  'TRANSACTION_GONE',
] as const

export function submit(commands: CommandContext, { isStrict, logIgnored }: SendHandling) {
  return operation({
    scope: 'send',
    answerHeaders: ['Idempotency-Replayed'],
    refusals: submitRefusals,
    audited: 'in its commit',
    operationId: 'sendTransaction',
    summary: 'Send a transaction',
    description:
      "Responds once the transaction is durable; it receives its nonce later, in the relayer's sequence. Repeating the request with its `Idempotency-Key` returns the same transaction, with `Idempotency-Replayed: true`.",
    params: relayerParameters,
    headers: sendHeaders,
    body: sendSchema,
    response: answers(transactionSchema),
    async answer(request, reply) {
      const payload = parseSend(request.body, isStrict)
      logIgnored(request.keyId, [request.body])
      const notes = explainIgnored([request.body])
      const relayerId = request.params.relayer_id
      const by = requesterOf(request)
      const claim = claimOf(request, relayerId, payload)
      if (!claim) return success(presentTransaction(await submitTransaction(commands, relayerId, payload, by)), notes)

      const { transaction, replayed } = await submitOnce(commands, relayerId, payload, claim, by)
      if (replayed) reply.header('idempotency-replayed', 'true')
      return success(presentTransaction(transaction), notes)
    },
  })
}

/**
 * The claim of a send that has the header Idempotency-Key; undefined without one. The schema of the headers has refused a key that
 * can't be stored. `payload` is the parsed request, so that equal requests have equal digests.
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
