// Cancels one transaction (DELETE).

import type { CommandContext } from '../../commands/context.ts'
import { awaitVerdict, cancelTransaction } from '../../commands/transactions/cancel.ts'
import { type PoolContext, poolOfRace, poolOfRelayer } from '../../commands/transactions/pool-of.ts'
import type { PoolKind } from '../../domain/profile.ts'
import { cancelRefusalCodes } from '../../domain/refusals.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { waitsPerKeyMax } from '../limits.ts'
import { type Auditor, requesterOf } from '../request/audit.ts'
import { type OperationReply, operation } from '../request/operation.ts'
import { transactionParameters } from '../request/parameters.ts'
import { preferHeaders, waitSeconds } from '../request/parse-values.ts'
import { openPlaces } from '../request/places.ts'
import { answers, success } from '../response/envelope.ts'
import { explainCancellation } from './explain-cancellation.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'

export function cancel(
  commands: CommandContext,
  auditor: Auditor,
  { policyOf }: Pick<PoolContext, 'policyOf'>,
  stopping: AbortSignal,
) {
  const places = openPlaces(waitsPerKeyMax)
  return operation({
    scope: 'cancel',
    answerHeaders: ['Preference-Applied'],
    refusals: ['TRANSACTION_NOT_FOUND', ...cancelRefusalCodes],
    audited: 'in its commit',
    operationId: 'cancelTransaction',
    summary: 'Cancel a transaction',
    description:
      'Answers once the cancellation is durable. `Prefer: wait=N` waits up to N seconds, at most 60, for the final verdict. Canceling twice changes nothing. A body is ignored.',
    params: transactionParameters,
    headers: preferHeaders,
    response: answers(transactionSchema),
    async answer(request, reply) {
      const relayerId = request.params.relayer_id
      const id = request.params.transaction_id
      const requester = requesterOf(request)
      const { transaction: canceled, isChanged, relayer } = await cancelTransaction(commands, relayerId, id, requester)
      if (!isChanged) auditor.unchanged(request)
      const { prefer } = request.headers
      const seconds = waitSeconds(prefer)
      // RFC 7240: a preference may be ignored, and then the response does not repeat it.
      const leave = seconds === undefined ? undefined : places.take(requester.keyId)
      if (seconds === undefined || !leave) return explained(canceled, poolOfRelayer({ policyOf }, relayer))

      reply.header('preference-applied', `wait=${seconds}`)
      const enough = AbortSignal.any([stopping, goneSignal(reply)])
      const waited = awaitVerdict(commands, relayerId, id, seconds * 1000, enough).finally(leave)
      const latest = (await waited) ?? canceled
      return explained(latest, await poolOfRace({ policyOf, reads: commands.store.reads }, latest))
    },
  })
}

function explained(transaction: Transaction, pool: PoolKind) {
  return success(presentTransaction(transaction), explainCancellation(transaction, pool))
}

/** Aborts when the client disconnects before the response. */
function goneSignal(reply: OperationReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}
