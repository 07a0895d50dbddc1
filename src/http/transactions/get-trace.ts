// Reads one transaction with its attempts, its block and its verdict (GET).
import { mayWaitBehind, waitingBehind } from '../../domain/wait.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { transactionParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { found } from '../response/found.ts'
import { presentTrace, traceSchema } from './present-trace.ts'

export function getTrace(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['TRANSACTION_NOT_FOUND'],
    schema: {
      operationId: 'getTransactionTrace',
      summary: 'Get a transaction with its attempts, its block and its verdict',
      tags: ['transactions'],
      params: transactionParameters,
      response: answers(traceSchema),
    },
    async answer({ params }) {
      const { relayer_id: relayerId, transaction_id: id } = params
      const transaction = found(await reads.transaction(relayerId, id), 'TRANSACTION_NOT_FOUND', 'Not found')
      const head = mayWaitBehind(transaction) ? await reads.queueHead(relayerId) : undefined
      const labels = (await reads.labels([id])).get(id)
      return success(presentTrace(waitingBehind(transaction, head), labels))
    },
  })
}
