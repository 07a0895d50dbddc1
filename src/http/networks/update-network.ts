// PATCH of a network: a JSON Merge Patch (RFC 7396) over what the file says of it.

import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { updateNetwork as updateNetworkCommand } from '../../commands/networks/update-network.ts'
import { defined } from '../../domain/defined.ts'
import { secondWitnessModes } from '../../domain/second-witness.ts'
import { averageBlockTimeMsMax, requiredConfirmationsMax } from '../limits.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { networkParameters } from '../request/parameters.ts'
import { endpointsSchema, endpointsWanted, parseEndpoints } from '../request/parse-endpoints.ts'
import { answers } from '../response/envelope.ts'
import { closed } from '../response/forms.ts'
import { parseProfile, profileInBody } from './profile.ts'
import { answerChanged, networkOf, networkSchema } from './read-networks.ts'

const count = (max: number) =>
  Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: max }), Type.Null()], {
      description: `an integer from 1 to ${max}`,
    }),
  )
const texts = Type.Optional(
  Type.Union([Type.Array(Type.String({ maxLength: 256 }), { maxItems: 100 }), Type.Null()], {
    description: 'a list of texts',
  }),
)

const bodySchema = closed('NetworkPatch', { examples: [{ required_confirmations: 2 }] })({
  rpc_urls: Type.Optional(Type.Union([endpointsSchema, Type.Null()], { description: `${endpointsWanted}, or null` })),
  required_confirmations: count(requiredConfirmationsMax),
  average_blocktime_ms: count(averageBlockTimeMsMax),
  tags: texts,
  explorer_urls: texts,
  second_witness: Type.Optional(
    Type.Union([Type.Enum([...secondWitnessModes]), Type.Null()], { description: '"prefer", "require" or "off"' }),
  ),
  profile: Type.Optional(Type.Union([profileInBody, Type.Null()], { description: 'an object of fields, or null' })),
})

export function updateNetwork(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['NETWORK_NOT_FOUND', 'STORAGE_KEY_MISSING'],
    audited: 'in its commit',
    operationId: 'updateNetwork',
    summary: 'Change a network',
    description:
      "A member that is absent stays, and null gives a member back to the configuration file. New endpoints take over at once; the old ones still answer the requests that they have. The fields of `profile` are patched one by one, and new `tags` derive it anew. Which chain it is, is the file's to say.",
    params: networkParameters,
    body: bodySchema,
    response: answers(networkSchema),
    async answer(request) {
      const { body } = request
      const { rpc_urls: urls, required_confirmations: confirmations, average_blocktime_ms: blockTime } = body
      const { name } = networkOf(management.registry.file.networks, request.params.network_id)
      const updated = await updateNetworkCommand(
        management,
        name,
        {
          ...(urls !== undefined && { rpcUrls: urls && parseEndpoints('rpc_urls', urls) }),
          ...defined({
            requiredConfirmations: confirmations,
            averageBlockTimeMs: blockTime,
            tags: body.tags,
            explorerUrls: body.explorer_urls,
            secondWitness: body.second_witness,
          }),
          ...(body.profile !== undefined && { profile: body.profile && parseProfile(body.profile) }),
        },
        requesterOf(request),
      )
      return answerChanged(updated, management)
    },
  })
}
