// Reads networks: one, and the list (GET). Presents a network without the credentials in its URLs.
import { type Static, Type } from 'typebox'
import { afterCommit } from '../../commands/after-commit.ts'
import type { ManagementContext } from '../../commands/management.ts'
import { networkConditions, runbookOf } from '../../domain/condition.ts'
import { explorerPage } from '../../domain/explorer-page.ts'
import type { NetworkPause } from '../../domain/pause.ts'
import { secondWitnessModes } from '../../domain/second-witness.ts'
import type { NetworkSettings } from '../../domain/settings.ts'
import type { Registry } from '../../registry/registry.ts'
import type { Reads } from '../../store/store.ts'
import { inSight } from '../request/in-sight.ts'
import { operation } from '../request/operation.ts'
import { networkParameters } from '../request/parameters.ts'
import { pageOf, pageQuery, paginationOf, sliceOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, optionalString, such } from '../response/forms.ts'
import { found } from '../response/found.ts'
import {
  endpointSchema,
  networkPauseSchema,
  presentEndpoint,
  presentPause,
  runbookSchema,
} from '../response/present-values.ts'
import { gasRulesSchema, presentFigures, presentProfile, profileSchema } from './profile.ts'

const conditionSchema = closed('NetworkCondition')({
  condition: Type.Enum([...networkConditions], {
    description:
      '`wrong_chain`: the endpoint serves another chain, by its chain id or the block of the anchor, and is not used. `branches_differ`: as many endpoints hold one branch as another, and nothing is settled. `single_witness`: verdicts rest on the endpoint, as all others were silent for long',
  }),
  endpoint: Type.Integer({ minimum: 0, description: 'Its position in `rpc_urls`, from 0', examples: [0] }),
  text: such('serves chain 1, not 31337'),
  runbook: runbookSchema('wrong_chain'),
})

export const networkSchema = closed('Network')({
  id: Type.String({ examples: ['evm:localhost'] }),
  name: such('localhost'),
  network_type: Type.Literal('evm'),
  chain_id: Type.Integer({ examples: [31_337] }),
  rpc_urls: Type.Array(endpointSchema),
  required_confirmations: Type.Integer({ minimum: 1 }),
  average_blocktime_ms: Type.Integer({ minimum: 1, examples: [12_000] }),
  symbol: such('ETH'),
  is_testnet: Type.Boolean(),
  features: Type.Array(such('eip1559')),
  tags: Type.Array(such('no-mempool')),
  explorer_urls: Type.Array(such('https://etherscan.io')),
  explorer_url: optionalString({
    description:
      "The page that links lead to: the first of `explorer_urls` that is no API's, else that of viem's list where it has the network's name and chain id. Absent without one, and where `explorer_urls` is empty",
    examples: ['https://etherscan.io'],
  }),
  profile: profileSchema,
  profile_basis: Type.Enum(['table', 'list', 'shown', 'tags', 'none'], {
    description:
      'What `profile` rests on, beside the fields that are set: `table`, the chain id; `list`, a rollup on a list of chains; `shown`, contracts that the chain has; `tags`; `none`: nothing says how it differs from Ethereum',
  }),
  gas_rules: Type.Unsafe<Static<typeof gasRulesSchema>>({
    ...gasRulesSchema,
    description:
      'The prices of gas that forks change, as the replica that answers uses them: those of `profile`, else read from the chain. A member that is absent was not read, or the endpoints differ',
  }),
  second_witness: Type.Enum([...secondWitnessModes], {
    description: 'Whether final statements need endpoints of two providers',
  }),
  conditions: Type.Array(conditionSchema, { description: 'As the replica that answers found them' }),
  pause: Type.Optional(networkPauseSchema),
})

export function networkId(name: string): string {
  return `evm:${name}`
}

/** The network with the id. Throws NETWORK_NOT_FOUND. */
export function networkOf<N extends Pick<NetworkSettings, 'name'>>(networks: readonly N[], id: string): N {
  const hint = id.startsWith('evm:') ? '' : '; ids of networks begin with "evm:", such as "evm:sepolia"'
  const network = networks.find(({ name }) => networkId(name) === id)
  return found(network, 'NETWORK_NOT_FOUND', `Network with ID ${id} not found${hint}`)
}

interface NetworkSource {
  readonly registry: Pick<Registry, 'conditionsOf' | 'gasFiguresOf'>
  readonly store: { readonly reads: Pick<Reads, 'networkPauses'> }
}

/** Presents networks with their pauses. */
async function presenterOf({ registry, store }: NetworkSource) {
  const pauses = await store.reads.networkPauses()
  return (network: NetworkSettings) => presentNetwork(network, registry, pauses.get(network.name))
}

/** For a change that is stored. */
export async function answerChanged(network: NetworkSettings, source: NetworkSource) {
  return success(await afterCommit(presenterOf(source).then((present) => present(network))))
}

function presentNetwork(
  network: NetworkSettings,
  registry: NetworkSource['registry'],
  pause: NetworkPause | undefined,
): Static<typeof networkSchema> {
  const explorer = explorerPage(network.explorerUrls, network.listedExplorer)
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
    ...(explorer !== undefined && { explorer_url: explorer }),
    profile: presentProfile(network.profile),
    profile_basis: network.profileBasis,
    gas_rules: presentFigures(registry.gasFiguresOf(network.name)),
    second_witness: network.secondWitness,
    conditions: registry.conditionsOf(network.name).map((each) => ({ ...each, runbook: runbookOf(each.condition) })),
    ...(pause && { pause: presentPause(pause) }),
  }
}

export function getNetwork(management: ManagementContext) {
  const { registry, store } = management
  return operation({
    scope: 'read',
    refusals: ['NETWORK_NOT_FOUND'],
    operationId: 'getNetwork',
    summary: 'Get a network',
    params: networkParameters,
    response: answers(networkSchema),
    async answer({ params: { network_id: id }, principal }) {
      await registry.refresh()
      const seen = await inSight(store.reads, principal, (relayer) => relayer.network)
      const visible = registry.networks().filter(({ name }) => seen(name))
      const network = networkOf(visible, id)
      return success((await presenterOf(management))(network))
    },
  })
}

export function listNetworks(management: ManagementContext) {
  const { registry, store } = management
  return operation({
    scope: 'read',
    operationId: 'listNetworks',
    summary: 'List networks',
    querystring: pageQuery,
    response: answers(Type.Array(networkSchema)),
    async answer({ query, principal }) {
      await registry.refresh()
      const seen = await inSight(store.reads, principal, (relayer) => relayer.network)
      const [page, all] = [pageOf(query), registry.networks().filter(({ name }) => seen(name))]
      const presented = sliceOf(page, all).map(await presenterOf(management))
      return success(presented, [], paginationOf(page, all.length))
    },
  })
}
