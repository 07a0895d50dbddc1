// Presents an API key: every fact but the key itself.
import { type Static, Type } from 'typebox'
import { type ApiKey, scopes } from '../../domain/api-key.ts'
import { some, such, time } from '../response/forms.ts'
import { presentTime } from '../response/present-time.ts'

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

export const apiKeySchema = Type.Object(properties, { title: 'ApiKey', additionalProperties: false })

/** The response to the creation, which alone shows the key. */
export const newApiKeySchema = Type.Object(
  { ...properties, key: such('rescind_7Qw2…', 'The bearer token; shown in this response only') },
  { title: 'NewApiKey', additionalProperties: false },
)

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
