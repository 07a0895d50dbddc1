// Lists every attempt of a transaction, oldest first (GET).
import { Type } from 'typebox'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { transactionParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { found } from '../response/found.ts'
import { attemptSchema, presentAttempt } from './present-attempt.ts'

export function listAttempts(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['TRANSACTION_NOT_FOUND'],
    schema: {
      operationId: 'listAttempts',
      summary: 'List the attempts of a transaction, oldest first',
      tags: ['transactions'],
      params: transactionParameters,
      response: answers(Type.Array(attemptSchema)),
    },
    async answer({ params }) {
      const read = await reads.transaction(params.relayer_id, params.transaction_id)
      const transaction = found(read, 'TRANSACTION_NOT_FOUND', 'Not found')
      const attempts = await reads.attempts(transaction.id)
      const pagination = { current_page: 1, per_page: attempts.length, total_items: attempts.length }
      return success(attempts.map(presentAttempt), [], pagination)
    },
  })
}
