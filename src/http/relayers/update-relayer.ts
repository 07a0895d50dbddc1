// Updates a relayer by a JSON Merge Patch, RFC 7396 (PATCH).

import { Type } from 'typebox'
import { adviceOn, type ManagementContext } from '../../commands/management.ts'
import { updateRelayer as updateRelayerCommand } from '../../commands/relayers/update-relayer.ts'
import { defined } from '../../domain/defined.ts'
import { RescindError } from '../../domain/errors.ts'
import { requesterOf } from '../request/audit.ts'
import { permits } from '../request/authenticate.ts'
import { operation } from '../request/operation.ts'
import { nameInBody, relayerParameters } from '../request/parameters.ts'
import { endpointsSchema, endpointsWanted, parseEndpoints } from '../request/parse-endpoints.ts'
import { stated } from '../request/stated.ts'
import { answers, success } from '../response/envelope.ts'
import { closed } from '../response/forms.ts'
import { policiesInBody } from './policies.ts'
import { presentRelayer, relayerSchema } from './read-relayers.ts'

const bodySchema = closed('RelayerPatch', {
  examples: [{ paused: false, policies: { gas_price_cap: 200_000_000_000, value_cap: null } }],
})({
  name: Type.Optional(nameInBody),
  notification_id: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'the id of a notification, or null for none',
      ...stated({ description: 'the id of a notification that exists, or null for none' }),
    }),
  ),
  paused: Type.Optional(Type.Boolean({ description: 'true or false' })),
  policies: Type.Optional(Type.Union([policiesInBody, Type.Null()], { description: 'an object of policies, or null' })),
  custom_rpc_urls: Type.Optional(
    Type.Union([endpointsSchema, Type.Null()], {
      description: `${endpointsWanted}, or null for the network's`,
    }),
  ),
})

/** Throws SCOPE_MISSING. */
function refuseBeyondPause(body: object): void {
  const [only, ...others] = Object.entries(body)
  if (only?.[0] === 'paused' && only[1] === true && others.length === 0) return
  throw new RescindError('SCOPE_MISSING', 'a key with the scope pause may send {"paused": true} alone')
}

export function updateRelayer(management: ManagementContext) {
  return operation({
    scope: 'admin',
    lesserScope: 'pause',
    refusals: ['RELAYER_NOT_FOUND', 'STORAGE_KEY_MISSING', 'CONFIGURED_BY_FILE'],
    audited: 'in its commit',
    operationId: 'updateRelayer',
    summary: 'Change a relayer',
    description:
      'A JSON Merge Patch: absent members stay, and null restores a default. Open transactions follow the new policies from the next step. For a relayer of the configuration file, the service stores the change and applies it at each start, on top of the file. A key with the scope `pause` may send exactly `{"paused": true}`.',
    params: relayerParameters,
    body: bodySchema,
    response: answers(relayerSchema),
    async answer(request) {
      const { params, body, principal } = request
      if (principal && !permits(principal, 'admin', undefined)) refuseBeyondPause(body)
      const { name, notification_id: notificationId, paused, policies, custom_rpc_urls: urls } = body
      const relayer = await updateRelayerCommand(
        management,
        params.relayer_id,
        {
          ...defined({ name, notificationId, paused, policies }),
          ...(urls !== undefined && { endpoints: urls && parseEndpoints('custom_rpc_urls', urls) }),
        },
        requesterOf(request),
      )
      return success(presentRelayer(relayer, management.registry.endpointsOf), adviceOn(management, policies))
    },
  })
}
