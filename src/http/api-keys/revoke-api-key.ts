// Revokes an API key (DELETE).
import { revokeApiKey as revokeApiKeyCommand } from '../../commands/api-keys/revoke-api-key.ts'
import type { CommandContext } from '../../commands/context.ts'
import { requesterOf } from '../request/audit.ts'
import type { KeyRing } from '../request/key-ring.ts'
import { operation } from '../request/operation.ts'
import { apiKeyParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { apiKeySchema, presentApiKey } from './read-api-keys.ts'

export function revokeApiKey(commands: CommandContext, keys: KeyRing) {
  return operation({
    scope: 'admin',
    refusals: ['API_KEY_NOT_FOUND'],
    audited: 'in its commit',
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key',
    description:
      'The key is refused as soon as this responds, and by other replicas within seconds. Revoking twice changes nothing.',
    params: apiKeyParameters,
    response: answers(apiKeySchema),
    async answer(request) {
      const id = request.params.api_key_id
      const revoked = await revokeApiKeyCommand(commands, id, requesterOf(request))
      keys.forget(id)
      return success(presentApiKey(revoked))
    },
  })
}
