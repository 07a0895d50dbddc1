// A network on the wire, as it is used: the file's, with what was changed through the API.
import { type Static, Type } from 'typebox'
import type { NetworkSettings } from '../../registry/entities.ts'
import { endpointSchema, presentEndpoint } from '../response/present-endpoint.ts'
import { presentProfile, profileSchema } from './profile.ts'

export const networkSchema = Type.Object(
  {
    id: Type.String({ examples: ['evm:localhost'] }),
    name: Type.String(),
    network_type: Type.Literal('evm'),
    chain_id: Type.Integer(),
    rpc_urls: Type.Array(endpointSchema),
    required_confirmations: Type.Integer(),
    average_blocktime_ms: Type.Integer(),
    symbol: Type.String(),
    is_testnet: Type.Boolean(),
    features: Type.Array(Type.String()),
    tags: Type.Array(Type.String()),
    explorer_urls: Type.Array(Type.String()),
    profile: profileSchema,
  },
  { additionalProperties: false },
)

export function networkId(name: string): string {
  return `evm:${name}`
}

/** In words, for an id that there is none of. */
export function noNetwork(id: string): string {
  const hint = id.startsWith('evm:') ? '' : '; ids of networks begin with "evm:", such as "evm:sepolia"'
  return `Network with ID ${id} not found${hint}`
}

export function presentNetwork(network: NetworkSettings): Static<typeof networkSchema> {
  return {
    id: networkId(network.name),
    name: network.name,
    network_type: 'evm',
    chain_id: network.chainId,
    rpc_urls: network.rpcUrls.map(presentEndpoint),
    required_confirmations: network.requiredConfirmations,
    average_blocktime_ms: network.averageBlockTimeMs,
    symbol: network.symbol,
    is_testnet: network.isTestnet,
    features: [...network.features],
    tags: [...network.tags],
    explorer_urls: [...network.explorerUrls],
    profile: presentProfile(network.profile),
  }
}
