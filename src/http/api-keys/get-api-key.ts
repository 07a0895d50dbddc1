// Reads one API key (GET).
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { apiKeyParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { found } from '../response/found.ts'
import { apiKeySchema, presentApiKey } from './present-api-key.ts'

export function getApiKey(reads: Reads) {
  return operation({
    scope: 'admin',
    refusals: ['API_KEY_NOT_FOUND'],
    schema: {
      operationId: 'getApiKey',
      summary: 'Get an API key',
      tags: ['api keys'],
      params: apiKeyParameters,
      response: answers(apiKeySchema),
    },
    async answer({ params: { api_key_id: id } }) {
      const key = await reads.apiKey(id)
      return success(presentApiKey(found(key, 'API_KEY_NOT_FOUND', `API key with ID ${id} not found`)))
    },
  })
}
