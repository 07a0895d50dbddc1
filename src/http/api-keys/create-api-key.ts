// Creates an API key (POST).
import { Type } from 'typebox'
import { createApiKey as createApiKeyCommand } from '../../commands/api-keys/create-api-key.ts'
import type { CommandContext } from '../../commands/context.ts'
import { scopes } from '../../domain/api-key.ts'
import type { RelayerId } from '../../domain/ids.ts'
import { apiKeyNameCharsMax, apiKeyRelayersMax } from '../limits.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { parseTime } from '../request/parse-values.ts'
import { forms, stated } from '../request/stated.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, optionalString } from '../response/forms.ts'
import { newApiKeySchema, presentApiKey } from './read-api-keys.ts'

/** `checkApiKey` enforces it: a key with admin can make another without a list. */
const allowed = [
  { description: 'A key for all relayers', properties: { relayers: forms.none } },
  {
    description: 'A key without the scope admin',
    properties: { scopes: { items: { enum: scopes.filter((scope) => scope !== 'admin') } } },
  },
]

const relayersWanted = `a list of 1 to ${apiKeyRelayersMax} relayers' ids, or nothing for all relayers`

const timeWanted = 'a time by RFC 3339, such as "2030-01-31T12:00:00Z", or nothing for a key that does not expire'

const bodySchema = closed('ApiKeyRequest', {
  ...stated({ anyOf: allowed }),
  examples: [
    { name: 'dashboard', scopes: ['read'] },
    { name: 'billing', scopes: ['read', 'send', 'cancel'], relayers: ['local'], expires_at: '2099-12-31T00:00:00Z' },
  ],
})({
  name: Type.String({
    // Control characters, without `\p`: generators of clients do not support it.
    pattern: `^[^\\u0000-\\u001f\\u007f-\\u009f]{1,${apiKeyNameCharsMax}}$`,
    description: `a name for people, of 1 to ${apiKeyNameCharsMax} characters on one line`,
  }),
  scopes: Type.Array(Type.Enum([...scopes], { description: `one of ${scopes.join(', ')}` }), {
    minItems: 1,
    maxItems: scopes.length,
    description: `a list of the key's scopes: one or more of ${scopes.join(', ')}`,
  }),
  relayers: Type.Optional(
    Type.Array(Type.Unsafe<RelayerId>(Type.String({ minLength: 1, maxLength: 100 })), {
      minItems: 1,
      maxItems: apiKeyRelayersMax,
      description: relayersWanted,
      ...stated({ description: `${relayersWanted}; each exists` }),
    }),
  ),
  expires_at: optionalString({
    format: 'date-time',
    maxLength: 64,
    description: timeWanted,
    ...stated({ description: `${timeWanted}; it lies in the future` }),
  }),
})

export function createApiKey(commands: CommandContext) {
  return operation({
    scope: 'admin',
    audited: 'in its commit',
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description: 'Only this response shows the key: the service stores its digest.',
    body: bodySchema,
    response: answers(newApiKeySchema),
    async answer(request) {
      const { body } = request
      const params = {
        name: body.name,
        scopes: [...new Set(body.scopes)],
        ...(body.relayers && { relayers: [...new Set(body.relayers)] }),
        ...(body.expires_at !== undefined && { expiresAt: parseTime('expires_at', body.expires_at) }),
      }
      const { key, token } = await createApiKeyCommand(commands, params, requesterOf(request))
      return success({ ...presentApiKey(key), key: token }, ['the key is shown this once; keep it now'])
    },
  })
}
