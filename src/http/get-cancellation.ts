// GET of a cancellation: the verdict as it stands.
import type { Reads } from '../store/store.ts'
import { answers, success } from './envelope.ts'
import { explainCancellation } from './explain-cancellation.ts'
import { found } from './found.ts'
import { operation } from './operation.ts'
import { transactionParameters } from './parameters.ts'
import { cancellationSchema, presentCancellation } from './present-cancellation.ts'

export function getCancellation(reads: Reads) {
  return operation({
    scope: 'read',
    schema: {
      operationId: 'getCancellation',
      summary: 'Get the verdict on a canceled transaction',
      tags: ['transactions'],
      params: transactionParameters,
      response: answers(cancellationSchema, 400, 404),
    },
    async answer({ params }) {
      const read = await reads.transaction(params.relayer_id, params.transaction_id)
      const transaction = found(read, 'TRANSACTION_NOT_FOUND', 'Not found')
      const intent = found(transaction.cancellation, 'CANCELLATION_NOT_FOUND', 'this transaction was not canceled')
      return success(presentCancellation(transaction, intent), explainCancellation(transaction))
    },
  })
}
