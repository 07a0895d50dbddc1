// Reads API keys: one, and the list (GET). Presents a key without its secret.
import { type Static, Type } from 'typebox'
import { type ApiKey, scopes } from '../../domain/api-key.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { apiKeyParameters } from '../request/parameters.ts'
import { pageOf, pageQuery, paginationOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, some, such, time } from '../response/forms.ts'
import { found } from '../response/found.ts'
import { presentTime } from '../response/present-values.ts'

const properties = {
  id: such(some.apiKeyId),
  name: such('billing'),
  hint: such('rescind_7Qw2', 'The first characters of the key'),
  scopes: Type.Array(Type.Enum([...scopes]), { examples: [['read', 'send']] }),
  relayers: Type.Optional(Type.Array(Type.String(), { description: 'Absent: every relayer' })),
  created_at: time(),
  created_by: such('administrator', 'The id of an API key, or `administrator` for the key of the environment'),
  expires_at: Type.Optional(time()),
  revoked_at: Type.Optional(time()),
  revoked_by: Type.Optional(Type.String()),
  last_used_at: Type.Optional(time('To the minute; absent: never')),
}

export const apiKeySchema = closed('ApiKey')(properties)

/** The response to the creation, which alone shows the key. */
export const newApiKeySchema = closed('NewApiKey')({
  ...properties,
  key: such('rescind_7Qw2…', 'The bearer token; shown in this response only'),
})

export function presentApiKey(key: ApiKey): Static<typeof apiKeySchema> {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    scopes: [...key.scopes],
    ...(key.relayers && { relayers: [...key.relayers] }),
    created_at: presentTime(key.createdAt),
    created_by: key.createdBy,
    ...(key.expiresAt !== undefined && { expires_at: presentTime(key.expiresAt) }),
    ...(key.revoked && { revoked_at: presentTime(key.revoked.at), revoked_by: key.revoked.by }),
    ...(key.lastUsedAt !== undefined && { last_used_at: presentTime(key.lastUsedAt) }),
  }
}

export function getApiKey(reads: Reads) {
  return operation({
    scope: 'admin',
    refusals: ['API_KEY_NOT_FOUND'],
    operationId: 'getApiKey',
    summary: 'Get an API key',
    params: apiKeyParameters,
    response: answers(apiKeySchema),
    async answer({ params: { api_key_id: id } }) {
      const key = await reads.apiKey(id)
      return success(presentApiKey(found(key, 'API_KEY_NOT_FOUND', `API key with ID ${id} not found`)))
    },
  })
}

export function listApiKeys(reads: Reads) {
  return operation({
    scope: 'admin',
    operationId: 'listApiKeys',
    summary: 'List API keys, newest first',
    description: 'Includes revoked and expired keys. The key of the environment is not listed.',
    querystring: pageQuery,
    response: answers(Type.Array(apiKeySchema)),
    async answer({ query }) {
      const page = pageOf(query)
      const { items, total } = await reads.apiKeys(page)
      return success(items.map(presentApiKey), [], paginationOf(page, total))
    },
  })
}
