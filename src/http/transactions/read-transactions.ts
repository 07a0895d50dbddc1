// Reads transactions: one by id or nonce, the list, and the attempts of one (GET).
import { Type } from 'typebox'
import { mayWaitBehind, waitingBehind } from '../../domain/wait.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { nonceParameters, relayerParameters, transactionParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { found, foundHistory } from '../response/found.ts'
import { sendList } from '../response/sliced-list.ts'
import { idsOf, include, includedLabels, labeledMetadata } from './labels.ts'
import { listHeaders, listQuerySchema, readList } from './list-filter.ts'
import { attemptSchema, presentAttempt } from './present-attempt.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'

/** Other members are ignored: this operation had no query before. */
const includeSchema = Type.Object({ include })

export function getTransaction(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['TRANSACTION_NOT_FOUND'],
    operationId: 'getTransaction',
    summary: 'Get a transaction',
    params: transactionParameters,
    querystring: includeSchema,
    response: answers(transactionSchema, labeledMetadata),
    async answer({ params, query }) {
      const { relayer_id: relayerId, transaction_id: id } = params
      const transaction = found(await reads.transaction(relayerId, id), 'TRANSACTION_NOT_FOUND', 'Not found')
      const head = mayWaitBehind(transaction) ? await reads.queueHead(relayerId) : undefined
      const labels = await includedLabels(reads, query, [id])
      return success(presentTransaction(waitingBehind(transaction, head)), [], undefined, labels)
    },
  })
}

export function getTransactionByNonce(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND', 'TRANSACTION_NOT_FOUND'],
    operationId: 'getTransactionByNonce',
    summary: 'Get the transaction of a nonce',
    params: nonceParameters,
    response: answers(transactionSchema),
    async answer({ params }) {
      const relayerId = await foundHistory(reads, params.relayer_id)
      const transaction = await reads.transactionByNonce(relayerId, params.nonce)
      return success(presentTransaction(found(transaction, 'TRANSACTION_NOT_FOUND', 'Not found')))
    },
  })
}

const querySchema = Type.Object({ ...listQuerySchema.properties, include }, { additionalProperties: false })

export function listTransactions(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND'],
    answerHeaders: listHeaders,
    operationId: 'listTransactions',
    summary: 'List transactions, newest first',
    description:
      'Filters can be combined, and bounds are inclusive. `to` and the values are those of the newest payload. With any filter but `status`, one request looks at 10,000 transactions at most, and `total_items` counts the matches among them: where older ones were not looked at, `Relayer-Total` is `at-least`. `Relayer-Next-Before` is the `before` of the next request, until the end of the list. Pages end at 100,000 rows; `before` reaches every one, and takes no `page` beside it.',
    params: relayerParameters,
    querystring: querySchema,
    response: answers(Type.Array(transactionSchema), labeledMetadata),
    async answer({ params, query }, reply) {
      const id = await foundHistory(reads, params.relayer_id)
      const { items, pagination, logs } = await readList(reads, id, query, reply)
      const labels = await includedLabels(reads, query, idsOf(items))
      return sendList(reply, items, presentTransaction, pagination, logs, labels)
    },
  })
}

export function listAttempts(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['TRANSACTION_NOT_FOUND'],
    operationId: 'listAttempts',
    summary: 'List the attempts of a transaction, oldest first',
    params: transactionParameters,
    response: answers(Type.Array(attemptSchema)),
    async answer({ params }) {
      const read = await reads.transaction(params.relayer_id, params.transaction_id)
      const transaction = found(read, 'TRANSACTION_NOT_FOUND', 'Not found')
      const attempts = await reads.attempts(transaction.id)
      const pagination = { current_page: 1, per_page: attempts.length, total_items: attempts.length }
      return success(attempts.map(presentAttempt), [], pagination)
    },
  })
}
