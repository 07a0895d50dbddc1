// Lists the API keys, newest first (GET).
import { Type } from 'typebox'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { pageOf, pageQuery, paginationOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { apiKeySchema, presentApiKey } from './present-api-key.ts'

export function listApiKeys(reads: Reads) {
  return operation({
    scope: 'admin',
    schema: {
      operationId: 'listApiKeys',
      summary: 'List API keys, newest first',
      description: 'Includes revoked and expired keys. The key of the environment is not listed.',
      tags: ['api keys'],
      querystring: pageQuery,
      response: answers(Type.Array(apiKeySchema)),
    },
    async answer({ query }) {
      const page = pageOf(query)
      const { items, total } = await reads.apiKeys(page)
      return success(items.map(presentApiKey), [], paginationOf(page, total))
    },
  })
}
