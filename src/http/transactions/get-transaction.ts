// Reads one transaction (GET).
import { Type } from 'typebox'
import { mayWaitBehind, waitingBehind } from '../../domain/wait.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { transactionParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { found } from '../response/found.ts'
import { include, includedLabels, labeledMetadata } from './labels.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'

/** Other members are ignored: this operation had no query before. */
const querySchema = Type.Object({ include })

export function getTransaction(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['TRANSACTION_NOT_FOUND'],
    schema: {
      operationId: 'getTransaction',
      summary: 'Get a transaction',
      tags: ['transactions'],
      params: transactionParameters,
      querystring: querySchema,
      response: answers(transactionSchema, labeledMetadata),
    },
    async answer({ params, query }) {
      const { relayer_id: relayerId, transaction_id: id } = params
      const transaction = found(await reads.transaction(relayerId, id), 'TRANSACTION_NOT_FOUND', 'Not found')
      const head = mayWaitBehind(transaction) ? await reads.queueHead(relayerId) : undefined
      const labels = await includedLabels(reads, query, [id])
      return success(presentTransaction(waitingBehind(transaction, head)), [], undefined, labels)
    },
  })
}
