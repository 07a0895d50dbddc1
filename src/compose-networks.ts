// Opens the nodes of networks, and what outlives a process of them; and which hosts this machine calls on request: those of webhooks,
// and those of nodes.
import type { Chain } from './chain/chain.ts'
import type { TipMemory } from './chain/fees/remember-tips.ts'
import type { AnchorMemory } from './chain/heads/remember-anchor.ts'
import { openNetwork } from './chain/network.ts'
import { startLargeAnswerThread } from './chain/nodes/start-large-answer-thread.ts'
import type { OpenTransport } from './chain/nodes/transport.ts'
import type { ContradictionMemory } from './chain/record-contradictions.ts'
import type { Config } from './config/config.ts'
import { contradictionsMax } from './domain/contradiction.ts'
import type { NetworkSettings } from './domain/settings.ts'
import { tipKeptMs } from './domain/tip-marks.ts'
import type { Clock } from './ops/clock.ts'
import type { CallCounts } from './ops/count-calls.ts'
import { type AddressGuard, guardAddresses } from './ops/guard-addresses.ts'
import type { Logger } from './ops/logger.ts'
import type { Metrics } from './ops/metrics.ts'
import { guardRpcHosts, type RefuseRpcHost } from './ops/rpc-hosts.ts'
import { refuseStoredHosts } from './registry/check-stored.ts'
import type { Registry } from './registry/registry.ts'
import type { Store } from './store/store.ts'

export interface NodeSurroundings {
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics?: Metrics
  /** How bytes reach a node; HTTP by default. */
  readonly openTransport?: OpenTransport
}

export function openChain(
  network: NetworkSettings,
  { limits }: Config,
  around: NodeSurroundings,
  store: Store,
  calls: Pick<CallCounts, 'counting'> | undefined,
): Chain {
  const metrics = around.metrics?.chain(network.name, network.averageBlockTimeMs)
  return openNetwork({
    endpoints: network.rpcUrls.map((endpoint) => ({ ...endpoint, url: endpoint.url.reveal() })),
    chainId: network.chainId,
    averageBlocktimeMs: network.averageBlockTimeMs,
    isBlocktimeGiven: network.isBlockTimeGiven,
    ...{ eip1559: network.eip1559, profile: network.profile },
    ...{ timeoutMs: limits.rpcTimeoutMs, startThread: startLargeAnswerThread, clock: around.clock },
    logger: around.logger.child({ network: network.name }),
    tipMemory: storedTips(store, network, around.clock),
    anchorMemory: storedAnchor(store, network),
    contradictionMemory: storedContradictions(store, network),
    ...(metrics && { metrics: calls?.counting(network.name, metrics) ?? metrics }),
    ...(around.openTransport && { openTransport: around.openTransport }),
  })
}

function storedAnchor(store: Store, { name, chainId }: NetworkSettings): AnchorMemory {
  const network = { name, chainId }
  return {
    load: () => store.reads.anchor(network),
    save: (next, before) =>
      store.commit(async (session) => {
        await session.recordAnchor(network, next, before)
        return session.anchor(network)
      }),
    release: () =>
      store.commit(async (session) => {
        const isFree = !(await session.hasBoundOn(network))
        if (isFree) await session.removeAnchor(network)
        return isFree
      }),
  }
}

function storedContradictions(store: Store, { name, chainId }: NetworkSettings): ContradictionMemory {
  const network = { name, chainId }
  return {
    save: (contradiction) =>
      store.commit((session) => session.recordContradiction(network, contradiction, contradictionsMax)),
  }
}

/** For all replicas, and for the process after this one. */
function storedTips(store: Store, { name, chainId }: NetworkSettings, clock: Pick<Clock, 'now'>): TipMemory {
  const network = { name, chainId }
  const dayAgo = () => clock.now() - tipKeptMs
  return {
    load: () => store.reads.tipMarks(network, dayAgo()),
    save: (mark, isWanted) =>
      store.commit(async (session) => {
        const wanted = isWanted(await session.tipMarks(network, dayAgo()))
        if (wanted) await session.recordTipMark(network, mark, dayAgo())
        return wanted
      }),
  }
}

interface HostGuards {
  readonly guard: AddressGuard
  readonly refuseRpcHost: RefuseRpcHost
}

/** Throws OperatorError for a stored endpoint that is no longer allowed. */
export async function guardHosts(
  { webhooks, rpcHosts }: Pick<Config, 'webhooks' | 'rpcHosts'>,
  registry: Pick<Registry, 'networks' | 'endpointsOf'>,
  store: Pick<Store, 'reads'>,
): Promise<HostGuards> {
  const rules = rpcHosts ?? { allowed: [], blocksInternal: false }
  const refuseRpcHost = guardRpcHosts(rules)
  if (rules.allowed.length > 0 || rules.blocksInternal) await refuseStoredHosts(registry, store, refuseRpcHost)
  return { guard: guardAddresses(webhooks.allowedHosts), refuseRpcHost }
}
