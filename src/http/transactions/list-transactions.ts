// Lists a relayer's transactions, newest first (GET).
import { Type } from 'typebox'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { answers } from '../response/envelope.ts'
import { foundHistory } from '../response/found.ts'
import { sendList } from '../response/sliced-list.ts'
import { idsOf, include, includedLabels, labeledMetadata } from './labels.ts'
import { listHeaders, listQuerySchema, readList } from './list-filter.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'

const querySchema = Type.Object({ ...listQuerySchema.properties, include }, { additionalProperties: false })

export function listTransactions(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND'],
    answerHeaders: listHeaders,
    schema: {
      operationId: 'listTransactions',
      summary: 'List transactions, newest first',
      description:
        'Filters can be combined, and bounds are inclusive. `to` and the values are those of the newest payload. With any filter but `status`, one request looks at 10,000 transactions at most, and `total_items` counts the matches among them: where older ones were not looked at, `Relayer-Total` is `at-least`. `Relayer-Next-Before` is the `before` of the next request, until the end of the list. Pages end at 100,000 rows; `before` reaches every one, and takes no `page` beside it.',
      tags: ['transactions'],
      params: relayerParameters,
      querystring: querySchema,
      response: answers(Type.Array(transactionSchema), labeledMetadata),
    },
    async answer({ params, query }, reply) {
      const id = await foundHistory(reads, params.relayer_id)
      const { items, pagination, logs } = await readList(reads, id, query, reply)
      const labels = await includedLabels(reads, query, idsOf(items))
      return sendList(reply, items, presentTransaction, pagination, logs, labels)
    },
  })
}
