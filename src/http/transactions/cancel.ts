// Cancels one transaction (DELETE).

import type { CommandContext } from '../../commands/context.ts'
import { awaitVerdict } from '../../commands/transactions/await-verdict.ts'
import { cancelTransaction } from '../../commands/transactions/cancel.ts'
import { requesterOf } from '../request/audit.ts'
import { type OperationReply, operation } from '../request/operation.ts'
import { transactionParameters } from '../request/parameters.ts'
import { waitSeconds } from '../request/parse-prefer.ts'
import { answers, success } from '../response/envelope.ts'
import { explainCancellation } from './explain-cancellation.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'

export function cancel(commands: CommandContext, stopping: AbortSignal) {
  return operation({
    scope: 'cancel',
    audited: 'in its commit',
    schema: {
      operationId: 'cancelTransaction',
      summary: 'Cancel a transaction',
      description:
        'Answers once the cancellation is durable. `Prefer: wait=N` waits up to N seconds, at most 60, for the final verdict. Canceling twice changes nothing. A body is ignored.',
      tags: ['transactions'],
      params: transactionParameters,
      response: answers(transactionSchema, 400, 404),
    },
    async answer(request, reply) {
      const relayerId = request.params.relayer_id
      const id = request.params.transaction_id
      const canceled = await cancelTransaction(commands, relayerId, id, requesterOf(request, 'cancelTransaction'))
      const { prefer } = request.headers
      const seconds = waitSeconds(prefer)
      if (seconds === undefined) return success(presentTransaction(canceled), explainCancellation(canceled))

      reply.header('preference-applied', `wait=${seconds}`)
      const enough = AbortSignal.any([stopping, goneSignal(reply)])
      const latest = (await awaitVerdict(commands, relayerId, id, seconds * 1000, enough)) ?? canceled
      return success(presentTransaction(latest), explainCancellation(latest))
    },
  })
}

/** Aborts when the client disconnects before the response. */
function goneSignal(reply: OperationReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}
