// A relayer on the wire. The amounts of its policies are numbers, as in the configuration, with every digit.
import { type Static, Type } from 'typebox'
import type { RelayerId } from '../domain/ids.ts'
import type { Policies, Relayer } from '../domain/relayer.ts'
import type { Endpoint } from '../estate/entities.ts'
import { exactNumber } from './exact-number.ts'
import { endpointSchema, presentEndpoint } from './present-endpoint.ts'

const wei = Type.Integer({ minimum: 0, description: 'Wei' })

const policiesSchema = Type.Object(
  {
    min_balance: wei,
    gas_price_cap: Type.Optional(wei),
    cancel_gas_price_cap: Type.Optional(wei),
    cancel_reserve: Type.Optional(wei),
    max_in_flight: Type.Integer(),
    eip1559_pricing: Type.Boolean(),
    gas_limit_estimation: Type.Boolean(),
    whitelist_receivers: Type.Optional(Type.Array(Type.String())),
    whitelist_selectors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
    value_cap: Type.Optional(wei),
  },
  { additionalProperties: false },
)

export const relayerSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    network: Type.String(),
    network_type: Type.Literal('evm'),
    chain_id: Type.Integer(),
    address: Type.String(),
    signer_id: Type.String(),
    notification_id: Type.Optional(Type.String()),
    paused: Type.Boolean(),
    system_disabled: Type.Boolean(),
    policies: policiesSchema,
    custom_rpc_urls: Type.Optional(Type.Array(endpointSchema)),
  },
  { additionalProperties: false },
)

export type RelayerBody = Static<typeof relayerSchema>

/** The endpoints that a relayer has to itself, where it has any. */
export type EndpointsOf = (relayer: RelayerId) => readonly Endpoint[] | undefined

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
    // A relayer is never disabled for its nodes' failures: it waits, and says so.
    system_disabled: false,
    policies: presentPolicies(relayer.policies),
    ...(own && { custom_rpc_urls: own.map(presentEndpoint) }),
  }
}

function presentPolicies(policies: Policies): Static<typeof policiesSchema> {
  const { gasPriceCap, cancelGasPriceCap, cancelReserve, whitelistReceivers, whitelistSelectors, valueCap } = policies
  return {
    min_balance: exactNumber(policies.minBalance),
    ...(gasPriceCap !== undefined && { gas_price_cap: exactNumber(gasPriceCap) }),
    ...(cancelGasPriceCap !== undefined && { cancel_gas_price_cap: exactNumber(cancelGasPriceCap) }),
    ...(cancelReserve !== undefined && { cancel_reserve: exactNumber(cancelReserve) }),
    max_in_flight: policies.maxInFlight,
    eip1559_pricing: policies.eip1559Pricing,
    gas_limit_estimation: policies.gasLimitEstimation ?? true,
    ...(whitelistReceivers && { whitelist_receivers: [...whitelistReceivers] }),
    ...(whitelistSelectors && {
      whitelist_selectors: Object.fromEntries(
        whitelistSelectors.map(({ receiver, selectors }) => [receiver, [...selectors]]),
      ),
    }),
    ...(valueCap !== undefined && { value_cap: exactNumber(valueCap) }),
  }
}
