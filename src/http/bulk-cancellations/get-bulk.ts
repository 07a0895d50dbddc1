// Reads a bulk cancellation and its progress (GET).
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { bulkParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { found } from '../response/found.ts'
import { explainBulk } from './explain-bulk.ts'
import { bulkSchema, presentBulk } from './present-bulk.ts'

export function getBulk(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['BULK_CANCELLATION_NOT_FOUND'],
    schema: {
      operationId: 'getBulkCancellation',
      summary: 'Get a bulk cancellation and its progress',
      tags: ['bulk cancellations'],
      params: bulkParameters,
      response: answers(bulkSchema),
    },
    async answer({ params, principal }) {
      const bulk = await reads.bulk(params.bulk_cancellation_id, principal?.relayers)
      const there = found(bulk, 'BULK_CANCELLATION_NOT_FOUND', 'Not found')
      return success(presentBulk(there), explainBulk(there))
    },
  })
}
