// Presents a relayer.

import { type Static, Type } from 'typebox'
import type { RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { EndpointSettings } from '../../domain/settings.ts'

import { address, such } from '../response/forms.ts'
import { endpointSchema, presentEndpoint } from '../response/present-endpoint.ts'
import { policiesSchema, presentPolicies } from './policies.ts'

export const relayerSchema = Type.Object(
  {
    id: such('local'),
    name: such('Payouts'),
    network: such('sepolia'),
    network_type: Type.Literal('evm'),
    chain_id: Type.Integer({ examples: [11_155_111] }),
    address: address(),
    signer_id: such('dev'),
    notification_id: Type.Optional(such('alerts')),
    paused: Type.Boolean({ description: 'Its own pause' }),
    network_paused: Type.Boolean({ description: 'Its whole network is paused, which is as if the relayer were' }),
    system_disabled: Type.Boolean(),
    policies: policiesSchema,
    custom_rpc_urls: Type.Optional(Type.Array(endpointSchema)),
  },
  { title: 'Relayer', additionalProperties: false },
)

export type RelayerBody = Static<typeof relayerSchema>

/** The endpoints that only this relayer uses, if it has any. */
export type EndpointsOf = (relayer: RelayerId) => readonly EndpointSettings[] | undefined

export function presentRelayer(relayer: Relayer, endpointsOf: EndpointsOf): RelayerBody {
  const own = endpointsOf(relayer.id)
  return {
    id: relayer.id,
    name: relayer.name,
    network: relayer.network,
    network_type: 'evm',
    chain_id: relayer.chainId,
    address: relayer.address,
    signer_id: relayer.signerId,
    ...(relayer.notificationId !== undefined && { notification_id: relayer.notificationId }),
    paused: relayer.paused,
    network_paused: relayer.networkPaused === true,
    // The service never disables a relayer when its nodes fail: the relayer waits, and reports it.
    system_disabled: false,
    policies: presentPolicies(relayer.policies),
    ...(own && { custom_rpc_urls: own.map(presentEndpoint) }),
  }
}
