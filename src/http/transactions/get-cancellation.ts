// Reads a cancellation with its current verdict (GET).
import { type PoolContext, poolOfRace } from '../../commands/transactions/pool-of.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { transactionParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { found } from '../response/found.ts'
import { explainCancellation } from './explain-cancellation.ts'
import { cancellationSchema, presentCancellation } from './present-cancellation.ts'

export function getCancellation(context: PoolContext & { readonly reads: Reads }) {
  return operation({
    scope: 'read',
    refusals: ['TRANSACTION_NOT_FOUND', 'CANCELLATION_NOT_FOUND'],
    schema: {
      operationId: 'getCancellation',
      summary: 'Get the verdict on a canceled transaction',
      tags: ['transactions'],
      params: transactionParameters,
      response: answers(cancellationSchema),
    },
    async answer({ params }) {
      const read = await context.reads.transaction(params.relayer_id, params.transaction_id)
      const transaction = found(read, 'TRANSACTION_NOT_FOUND', 'Not found')
      const intent = found(transaction.cancellation, 'CANCELLATION_NOT_FOUND', 'this transaction was not canceled')
      const pool = await poolOfRace(context, transaction)
      return success(presentCancellation(transaction, intent), explainCancellation(transaction, pool))
    },
  })
}
