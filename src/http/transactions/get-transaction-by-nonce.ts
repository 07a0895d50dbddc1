// Reads the transaction that holds a nonce, or held it when it was settled (GET).
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { nonceParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { found, foundHistory } from '../response/found.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'

export function getTransactionByNonce(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND', 'TRANSACTION_NOT_FOUND'],
    schema: {
      operationId: 'getTransactionByNonce',
      summary: 'Get the transaction of a nonce',
      tags: ['transactions'],
      params: nonceParameters,
      response: answers(transactionSchema),
    },
    async answer({ params }) {
      const relayerId = await foundHistory(reads, params.relayer_id)
      const transaction = await reads.transactionByNonce(relayerId, params.nonce)
      return success(presentTransaction(found(transaction, 'TRANSACTION_NOT_FOUND', 'Not found')))
    },
  })
}
