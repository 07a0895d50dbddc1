// Lists bulk cancellations, newest first (GET).
import { Type } from 'typebox'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { pageOf, pageQuery, paginationOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { bulkHeadSchema, presentBulkHead } from './present-bulk.ts'

export function listBulks(reads: Reads) {
  return operation({
    scope: 'read',
    schema: {
      operationId: 'listBulkCancellations',
      summary: 'List bulk cancellations, newest first',
      description:
        'Includes those that a DELETE of everything pending made. A key that is bound to relayers sees those that cover its relayers, and the counts of these relayers.',
      tags: ['bulk cancellations'],
      querystring: pageQuery,
      response: answers(Type.Array(bulkHeadSchema)),
    },
    async answer({ query, principal }) {
      const page = pageOf(query)
      const { items, total } = await reads.bulks(page, principal?.relayers)
      return success(items.map(presentBulkHead), [], paginationOf(page, total))
    },
  })
}
