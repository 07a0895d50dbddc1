// Creates a relayer (POST).
import { type Static, Type } from 'typebox'
import { adviceOn, type ManagementContext } from '../../commands/management.ts'
import { createRelayer as createRelayerCommand } from '../../commands/relayers/create-relayer.ts'
import { RescindError } from '../../domain/errors.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { nameInBody, newId } from '../request/parameters.ts'
import { endpointsSchema, parseEndpoints } from '../request/parse-endpoints.ts'
import { stated } from '../request/stated.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, optionalString } from '../response/forms.ts'
import { policiesInBody } from './policies.ts'
import { presentRelayer, relayerSchema } from './read-relayers.ts'

const bodySchema = closed('RelayerRequest', {
  examples: [{ name: 'Payouts', network: 'localhost', network_type: 'evm', signer_id: 'dev', paused: false }],
})({
  id: newId,
  name: nameInBody,
  network: Type.String({
    description: 'the name of a network, such as "sepolia"',
    ...stated({ description: 'the name of a configured network, such as "sepolia"' }),
  }),
  network_type: Type.String({ description: '"evm"', ...stated({ enum: ['evm'] }) }),
  signer_id: Type.String({
    description: 'the id of a signer',
    ...stated({ description: 'the id of a signer that exists, and whose account no other relayer has there' }),
  }),
  notification_id: optionalString({
    description: 'the id of a notification',
    ...stated({ description: 'the id of a notification that exists' }),
  }),
  paused: Type.Optional(Type.Boolean({ description: 'true or false' })),
  policies: Type.Optional(policiesInBody),
  custom_rpc_urls: Type.Optional(endpointsSchema),
})

export function createRelayer(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['NOT_SUPPORTED', 'STORAGE_KEY_MISSING', 'ALREADY_EXISTS', 'ACCOUNT_IN_USE', 'SIGNER_UNAVAILABLE'],
    audited: 'in its commit',
    operationId: 'createRelayer',
    summary: 'Create a relayer',
    description:
      'One signer on one network: no other relayer may sign as its account there. It accepts sends as soon as this responds.',
    body: bodySchema,
    response: answers(relayerSchema),
    async answer(request) {
      const { body } = request
      refuseOtherFamilies(body)
      const { id, name, network, notification_id: notificationId, custom_rpc_urls: urls } = body
      const relayer = await createRelayerCommand(
        management,
        {
          ...(id !== undefined && { id }),
          name,
          network,
          signerId: body.signer_id,
          ...(notificationId !== undefined && { notificationId }),
          paused: body.paused ?? false,
          policies: body.policies ?? {},
          ...(urls && { endpoints: parseEndpoints('custom_rpc_urls', urls) }),
        },
        requesterOf(request),
      )
      return success(presentRelayer(relayer, management.registry.endpointsOf), adviceOn(management, body.policies))
    },
  })
}

function refuseOtherFamilies({ network_type: family }: Static<typeof bodySchema>): void {
  if (family === 'evm') return
  const shown = JSON.stringify(family.slice(0, 40))
  throw new RescindError('NOT_SUPPORTED', `network_type: ${shown} is not supported; relayers are of type "evm"`)
}
