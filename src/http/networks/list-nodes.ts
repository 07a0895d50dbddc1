// Lists the endpoints of each network as the replicas see them (GET).
import { type Static, Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import {
  bestHeadOf,
  isStale,
  type NetworkNodes,
  type NodeReport,
  type NodeView,
  networkNodesStateOf,
  networkNodesStates,
} from '../../domain/node-report.ts'
import type { EndpointSettings } from '../../domain/settings.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { hostOf } from '../../ops/rpc-hosts.ts'
import type { Registry } from '../../registry/registry.ts'
import { inSight } from '../request/in-sight.ts'
import { operation } from '../request/operation.ts'
import { pageOf, pageQuery, paginationOf, sliceOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, such, time } from '../response/forms.ts'
import { presentTime } from '../response/present-values.ts'
import { endpointProperties, nodeSchema, presentHead, presentNode, presentNodeState } from './present-node.ts'
import { networkId } from './read-networks.ts'

const replicaSchema = closed('NodesOfReplica')({
  replica: such('019aa5c2-7d3e-7b43-9a52-6c1e3f0d2b84', 'Its id, in its log. A service over SQLite is `single`'),
  read_at: time('When it wrote this'),
  stale: Type.Boolean({ description: 'It has written nothing for a minute: it has stopped, or can not write' }),
  head: Type.Optional(
    closed('BestHead', { description: 'The highest of those that it trusts' })({
      number: Type.Integer({ minimum: 0 }),
      made_at: time(),
      read_at: time(),
      behind: Type.Integer({ minimum: 0 }),
    }),
  ),
  nodes: Type.Array(nodeSchema),
})

const nodesSchema = closed('NetworkNodes')({
  network: such('sepolia'),
  network_id: such('evm:sepolia'),
  chain_id: Type.Integer({ examples: [11_155_111] }),
  relayer_id: Type.Optional(such('payouts', 'The endpoints are its own, by `custom_rpc_urls`')),
  state: Type.Enum([...networkNodesStates], {
    description:
      '`degraded`: an endpoint is impaired or distrusted. `down`: none answers for this chain, as a replica sees it. `unreported`: no replica that runs advances a relayer of the network',
  }),
  endpoints: Type.Array(closed('NodeEndpoint')(endpointProperties), {
    description: 'As the replica that answers is configured',
  }),
  replicas: Type.Array(replicaSchema, {
    description: 'As each replica that advances a relayer of the network sees them',
  }),
})

export function listNodes({ registry, store, clock }: ManagementContext) {
  return operation({
    scope: 'read',
    operationId: 'listNodes',
    summary: 'List the endpoints of each network, as the replicas see them',
    description:
      'Calls no node. Each replica that advances relayers writes what it sees every ten seconds; a replica that is gone is marked `stale` after a minute and leaves after 15. A key that is bound to relayers sees the networks that they use; of endpoints that relayers share, it sees states and times, and no calls.',
    querystring: pageQuery,
    response: answers(Type.Array(nodesSchema)),
    async answer({ query, principal }) {
      await registry.refresh()
      const { reads } = store
      const [reports, seesNetwork, seesRelayer] = await Promise.all([
        reads.nodeReports(),
        inSight(reads, principal, (relayer) => relayer.network),
        inSight(reads, principal, (relayer) => relayer.id),
      ])
      const sees = ({ network, relayer }: Listed) =>
        relayer === undefined ? seesNetwork(network) : seesRelayer(relayer)
      const all = listed(registry, reports).filter(sees)
      const page = pageOf(query)
      const isBound = principal?.relayers !== undefined
      const presented = sliceOf(page, all).map((each) => {
        const present = isBound && each.relayer === undefined ? presentNodeState : presentNode
        return presentNodes(each, reports, clock.now(), present)
      })
      return success(presented, [], paginationOf(page, all.length))
    },
  })
}

interface Listed extends Omit<NetworkNodes, 'nodes'> {
  readonly endpoints: readonly EndpointSettings[]
}

/** The networks of this replica's configuration, and what else a replica has reported: its file may be another one. */
function listed(
  registry: Pick<Registry, 'networks' | 'endpointsOf'>,
  reports: readonly NodeReport[],
): readonly Listed[] {
  const configured: readonly Listed[] = registry
    .networks()
    .map(({ name, chainId, rpcUrls }) => ({ network: name, chainId, endpoints: rpcUrls }))
  const byKey = new Map(configured.map((each) => [keyOf(each), each]))
  for (const { network, chainId, relayer } of reports.flatMap(({ networks }) => networks)) {
    const of = { network, ...(relayer !== undefined && { relayer }) }
    const endpoints = (relayer && registry.endpointsOf(relayer)) ?? []
    if (!byKey.has(keyOf(of))) byKey.set(keyOf(of), { ...of, chainId, endpoints })
  }
  return [...byKey.values()]
}

function keyOf({ network, relayer }: Pick<Listed, 'network' | 'relayer'>): string {
  return JSON.stringify([network, relayer])
}

function presentNodes(
  { network, chainId, relayer, endpoints }: Listed,
  reports: readonly NodeReport[],
  now: TimestampMs,
  present: typeof presentNode,
): Static<typeof nodesSchema> {
  const found = reports.flatMap(({ networks, ...of }) => {
    const each = networks.find((some) => some.network === network && some.relayer === relayer)
    return each ? [{ ...of, isStale: isStale(of, now), nodes: each.nodes }] : []
  })
  const views = found.filter((each) => !each.isStale).map(({ nodes }) => nodes)
  return {
    ...{ network, network_id: networkId(network), chain_id: chainId },
    ...(relayer !== undefined && { relayer_id: relayer }),
    state: networkNodesStateOf(views),
    endpoints: endpoints.map(({ url, weight }, endpoint) => ({ endpoint, host: hostOf(url.reveal()), weight })),
    replicas: found.map((each) => presentReplica(each, present)),
  }
}

function presentReplica(
  {
    replica,
    readAt,
    isStale: stale,
    nodes,
  }: Omit<NodeReport, 'networks'> & {
    readonly isStale: boolean
    readonly nodes: readonly NodeView[]
  },
  present: typeof presentNode,
): Static<typeof replicaSchema> {
  const best = bestHeadOf(nodes)
  return {
    ...{ replica, read_at: presentTime(readAt), stale },
    ...(best && { head: presentHead(best) }),
    nodes: nodes.map(present),
  }
}
