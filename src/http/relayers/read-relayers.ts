// Reads relayers: one, the list, and a balance (GET). Presents a relayer.
import { type Static, Type } from 'typebox'
import { type ChainOf, readBalance } from '../../commands/relayers/read-status.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { EndpointSettings } from '../../domain/settings.ts'
import type { Reads } from '../../store/store.ts'
import { costlyReadsPerKeyMax } from '../limits.ts'
import { requesterIdOf } from '../request/authenticate.ts'
import { visibleRelayers } from '../request/in-sight.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { pageOf, pageQuery, paginationOf } from '../request/parse-page.ts'
import { limitReads } from '../request/places.ts'
import { answers, success } from '../response/envelope.ts'
import { address, closed, such, weiNumber } from '../response/forms.ts'
import { foundRelayer } from '../response/found.ts'
import { endpointSchema, exactNumber, presentEndpoint } from '../response/present-values.ts'
import { policiesSchema, presentPolicies } from './policies.ts'

export const relayerSchema = closed('Relayer')({
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
})

type RelayerBody = Static<typeof relayerSchema>

/** The endpoints that only this relayer uses, if it has any. */
type EndpointsOf = (relayer: RelayerId) => readonly EndpointSettings[] | undefined

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

export function getRelayer(reads: Reads, endpointsOf: EndpointsOf) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND'],
    operationId: 'getRelayer',
    summary: 'Get a relayer',
    params: relayerParameters,
    response: answers(relayerSchema),
    answer: async ({ params }) => success(presentRelayer(await foundRelayer(reads, params.relayer_id), endpointsOf)),
  })
}

export function listRelayers(reads: Reads, endpointsOf: EndpointsOf) {
  return operation({
    scope: 'read',
    operationId: 'listRelayers',
    summary: 'List relayers',
    querystring: pageQuery,
    response: answers(Type.Array(relayerSchema)),
    async answer({ query, principal }) {
      const page = pageOf(query)
      const { items, total } = await visibleRelayers(reads, principal, page)
      return success(
        items.map((relayer) => presentRelayer(relayer, endpointsOf)),
        [],
        paginationOf(page, total),
      )
    },
  })
}

const balanceSchema = closed('Balance')({
  balance: weiNumber('With all digits. A parser of doubles loses some: `status` has the balance as text'),
  unit: Type.Literal('wei'),
})

export function getRelayerBalance(reads: Reads, chainOf: ChainOf) {
  const limited = limitReads('reads of a balance', costlyReadsPerKeyMax)
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND', 'TOO_MANY_READS', 'NODE_UNAVAILABLE'],
    operationId: 'getRelayerBalance',
    summary: "Get a relayer's balance",
    params: relayerParameters,
    response: answers(balanceSchema),
    async answer(request) {
      const balance = await limited(requesterIdOf(request), async () =>
        readBalance(chainOf, await foundRelayer(reads, request.params.relayer_id)),
      )
      return success({ balance: exactNumber(balance), unit: 'wei' })
    },
  })
}
