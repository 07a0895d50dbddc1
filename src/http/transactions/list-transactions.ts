// Lists a relayer's transactions, newest first (GET).
import { Type } from 'typebox'
import { statuses } from '../../domain/transaction.ts'
import { mayWaitBehind, waitingBehind } from '../../domain/wait.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { pageOf, pageProperties, paginationOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { foundHistory } from '../response/found.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'

const querySchema = Type.Object(
  {
    ...pageProperties,
    status: Type.Optional(Type.Enum([...statuses], { description: `one of ${statuses.join(', ')}` })),
  },
  { additionalProperties: false },
)

export function listTransactions(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND'],
    schema: {
      operationId: 'listTransactions',
      summary: 'List transactions, newest first',
      tags: ['transactions'],
      params: relayerParameters,
      querystring: querySchema,
      response: answers(Type.Array(transactionSchema)),
    },
    async answer({ params, query }) {
      const id = await foundHistory(reads, params.relayer_id)
      const page = pageOf(query)
      const { items, total } = await reads.transactions(id, query.status ? { status: query.status } : {}, page)
      const head = items.some(mayWaitBehind) ? await reads.queueHead(id) : undefined
      const shown = items.map((item) => presentTransaction(waitingBehind(item, head)))
      return success(shown, [], paginationOf(page, total))
    },
  })
}
