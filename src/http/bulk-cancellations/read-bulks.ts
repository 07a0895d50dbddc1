// Reads bulk cancellations: one and its progress, a list of them, newest first, and the transactions of one with their verdicts.
import { Type } from 'typebox'
import type { Transaction } from '../../domain/transaction.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { bulkParameters } from '../request/parameters.ts'
import { pageOf, pageQuery, paginationOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { closed } from '../response/forms.ts'
import { found } from '../response/found.ts'
import { sendList } from '../response/sliced-list.ts'
import { cancellationSchema, presentCancellation } from '../transactions/present-cancellation.ts'
import { presentTransaction, transactionSchema } from '../transactions/present-transaction.ts'
import { bulkHeadSchema, bulkSchema, explainBulk, presentBulk, presentBulkHead } from './present-bulk.ts'

/** Reads a bulk cancellation and its progress (GET). */
export function getBulk(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['BULK_CANCELLATION_NOT_FOUND'],
    operationId: 'getBulkCancellation',
    summary: 'Get a bulk cancellation and its progress',
    params: bulkParameters,
    response: answers(bulkSchema),
    async answer({ params, principal }) {
      const bulk = await reads.bulk(params.bulk_cancellation_id, principal?.relayers)
      const there = found(bulk, 'BULK_CANCELLATION_NOT_FOUND', 'Not found')
      return success(presentBulk(there), explainBulk(there))
    },
  })
}

/** Lists bulk cancellations, newest first (GET). */
export function listBulks(reads: Reads) {
  return operation({
    scope: 'read',
    operationId: 'listBulkCancellations',
    summary: 'List bulk cancellations, newest first',
    description:
      'Includes those that a DELETE of everything pending made. A key that is bound to relayers sees those that cover its relayers, and the counts of these relayers.',
    querystring: pageQuery,
    response: answers(Type.Array(bulkHeadSchema)),
    async answer({ query, principal }) {
      const page = pageOf(query)
      const { items, total } = await reads.bulks(page, principal?.relayers)
      return success(items.map(presentBulkHead), [], paginationOf(page, total))
    },
  })
}

const itemSchema = closed('BulkCanceledTransaction')({
  transaction: transactionSchema,
  cancellation: cancellationSchema,
})

/** Lists the transactions of a bulk cancellation, each with its verdict (GET). */
export function listBulkTransactions(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['BULK_CANCELLATION_NOT_FOUND'],
    operationId: 'listBulkCancellationTransactions',
    summary: 'List the transactions that a bulk cancellation canceled',
    description:
      'By relayer, and in the order in which they were accepted. One that retention removed is counted by the object, and not listed. A transaction belongs to the first bulk cancellation that took it.',
    params: bulkParameters,
    querystring: pageQuery,
    response: answers(Type.Array(itemSchema)),
    async answer({ params, query, principal }, reply) {
      const bulk = await reads.bulk(params.bulk_cancellation_id, principal?.relayers)
      const { parts } = found(bulk, 'BULK_CANCELLATION_NOT_FOUND', 'Not found')
      const page = pageOf(query)
      const numbers = parts.map(({ number }) => number)
      const { items, total } = await reads.bulkTransactions(numbers, page)
      return sendList(reply, items, presentItem, paginationOf(page, total))
    },
  })
}

function presentItem(transaction: Transaction) {
  const { cancellation } = transaction
  if (!cancellation) throw new Error(`transaction ${transaction.id} is of a bulk cancellation, and not canceled`)
  return { transaction: presentTransaction(transaction), cancellation: presentCancellation(transaction, cancellation) }
}
