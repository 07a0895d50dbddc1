// The chains of networks, and of relayers with endpoints of their own: each opened anew only when its row is another.

import type { Chain, Chains } from '../chain/chain.ts'
import { RescindError } from '../domain/errors.ts'
import type { GasFigures } from '../domain/gas-figures.ts'
import type { RelayerId } from '../domain/ids.ts'
import { isMakeUnknown, isOrderShown, type Shown } from '../domain/network-profiles.ts'
import type { NetworkPolicy, Relayer, SendProfile } from '../domain/relayer.ts'
import type { EndpointSettings, NetworkSettings } from '../domain/settings.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import type { Vault } from '../ops/vault.ts'
import type { Entity } from '../store/store.ts'
import { patchedNetwork } from './entities.ts'
import { type LearnShown, learnShown } from './learn-shown.ts'
import type { NetworkCondition, OpenedChain } from './registry.ts'
import { endpointsFromEntity, networkFromEntity } from './stored-entities.ts'

interface ReopenChains {
  readonly vault: Vault
  readonly logger: Logger
  /** The networks of the file. */
  readonly networks: readonly NetworkSettings[]
  readonly chains: Chains<NetworkSettings>
  readonly policyFor: (network: NetworkSettings) => NetworkPolicy
  readonly findRelayer: (id: RelayerId) => Promise<Relayer | undefined>
  readonly clock: Clock
  /** A chain has shown something new: `refresh` follows it. */
  readonly learned: () => void
}

interface OpenedChains {
  has(network: string): boolean
  networks(): readonly NetworkSettings[]
  /** The endpoints of a relayer that has some of its own. */
  endpointsOf(relayer: RelayerId): readonly EndpointSettings[] | undefined
  /** Throws for a network that is not configured. */
  chainOf(relayer: Pick<Relayer, 'id' | 'network'>): Chain
  conditionsOf(network: string): readonly NetworkCondition[]
  chainsOf(relayers: readonly Pick<Relayer, 'id' | 'network'>[]): readonly OpenedChain[]
  anchorReplaced(network: string): Promise<void>
  /** Throws for a network that is not configured. */
  policyOf(network: string): NetworkPolicy
  profileOf(relayer: Pick<Relayer, 'id' | 'network'>): SendProfile | undefined
  /** The prices of gas by the network's own endpoints. Calls no node. */
  gasFiguresOf(network: string): GasFigures
  /** Whether a chain has shown something since the last refresh. */
  hasLearned(): boolean
  refresh(rows: { readonly networks: readonly Entity[]; readonly relayers: readonly Entity[] }): Promise<void>
  [Symbol.dispose](): void
}

export function reopenChains(options: ReopenChains): OpenedChains {
  const { vault, logger, chains } = options
  const networks = new Map<string, NetworkSettings>()
  const policies = new Map<string, NetworkPolicy>()
  let endpoints: ReadonlyMap<RelayerId, readonly EndpointSettings[]> = new Map()
  /** The version of the settings that a chain was opened with, by its name. */
  const opened = new Map<string, string>()
  /** The network of a chain, by the chain's name. */
  const networkOf = new Map<string, string>()
  const shown = learnShown({ ...options, read: readingShown(chains) })

  function put(name: string, settings: NetworkSettings, version: string): void {
    const before = opened.get(name)
    if (before === version) return
    opened.set(name, version)
    networkOf.set(name, settings.name)
    chains.put(name, settings)
    if (before !== undefined) logger.info({ network: settings.name, endpoints: settings.rpcUrls }, 'network reopened')
  }

  function putNetworks(rows: readonly Entity[]): void {
    for (const network of options.networks) {
      const row = rows.find(({ id }) => id === network.name)
      const patch = row ? networkFromEntity(vault, row) : {}
      const isBlockTimeGiven = network.isBlockTimeGiven || patch.averageBlockTimeMs !== undefined
      const facts = shown.of(network.name)
      const settings = { ...patchedNetwork(network, patch, facts), isBlockTimeGiven }
      networks.set(network.name, settings)
      policies.set(network.name, options.policyFor(settings))
      put(network.name, settings, `${row?.revision} ${facts.make} ${facts.collectsTips}`)
      for (const fact of shownFactsOf(settings)) shown.learn(network.name, fact)
    }
  }

  async function putRelayers(rows: readonly Entity[]): Promise<void> {
    const found = new Map<RelayerId, readonly EndpointSettings[]>()
    for (const row of rows) {
      const urls = endpointsFromEntity(vault, row)
      if (!urls) continue
      // A row of this kind is named as its relayer.
      const id = row.id as RelayerId
      const relayer = await options.findRelayer(id)
      const network = relayer && networks.get(relayer.network)
      if (!network) continue
      found.set(id, urls)
      // By what is sealed, which other changes of the relayer leave as it is.
      put(chainName(row.id), { ...network, rpcUrls: urls }, `${row.sealed} ${opened.get(network.name)}`)
    }
    endpoints = found
  }

  function dropUnused(): void {
    const used = new Set([...networks.keys(), ...[...endpoints.keys()].map(chainName)])
    for (const name of opened.keys()) {
      if (used.has(name)) continue
      opened.delete(name)
      networkOf.delete(name)
      chains.drop(name)
    }
  }

  return {
    ...{ has: (network) => networks.has(network), networks: () => [...networks.values()] },
    endpointsOf: (relayer) => endpoints.get(relayer),
    chainOf: ({ id, network }) => ofNetwork(openOf(chains, id, network), network),
    conditionsOf: (network) => conditionsOf(chains.get(network), policies.get(network)),
    chainsOf: (relayers) => chainsOf(relayers, { chains, networks, endpoints }),
    async anchorReplaced(network) {
      const names = [...networkOf].flatMap(([name, of]) => (of === network ? [name] : []))
      await Promise.all(names.map((name) => chains.get(name)?.anchorReplaced()))
    },
    policyOf: (network) => ofNetwork(policies.get(network), network),
    ...readingRules(chains, policies),
    async refresh(rows) {
      shown.follow()
      putNetworks(rows.networks)
      await putRelayers(rows.relayers)
      dropUnused()
    },
    ...{ hasLearned: shown.hasNew, [Symbol.dispose]: shown[Symbol.dispose] },
  }
}

interface OpenedNow {
  readonly chains: Chains<NetworkSettings>
  readonly networks: ReadonlyMap<string, NetworkSettings>
  readonly endpoints: ReadonlyMap<RelayerId, readonly EndpointSettings[]>
}

function chainsOf(
  relayers: readonly Pick<Relayer, 'id' | 'network'>[],
  { chains, networks, endpoints }: OpenedNow,
): readonly OpenedChain[] {
  const byName = new Map<string, OpenedChain>()
  for (const { id, network } of relayers) {
    const isOwn = endpoints.has(id)
    const name = isOwn ? chainName(id) : network
    const [chain, chainId] = [chains.get(name), networks.get(network)?.chainId]
    if (!chain || chainId === undefined) continue
    byName.set(name, { network, chainId, ...(isOwn && { relayer: id }), chain })
  }
  return [...byName.values()]
}

function openOf(chains: Chains<NetworkSettings>, relayer: RelayerId, network: string): Chain | undefined {
  return chains.get(chainName(relayer)) ?? chains.get(network)
}

function readingRules(
  chains: Chains<NetworkSettings>,
  policies: ReadonlyMap<string, NetworkPolicy>,
): Pick<OpenedChains, 'profileOf' | 'gasFiguresOf'> {
  return {
    profileOf({ id, network }) {
      const policy = policies.get(network)
      const chain = openOf(chains, id, network)
      const market = chain?.market()
      return policy && { ...policy.profile, figures: chain?.gasFigures() ?? {}, ...(market && { market }) }
    },
    gasFiguresOf: (network) => chains.get(network)?.gasFigures() ?? {},
  }
}

/** The facts that only the chain shows. */
function shownFactsOf(settings: NetworkSettings): readonly (keyof Shown)[] {
  return [
    ...(isMakeUnknown(settings) ? ['make' as const] : []),
    ...(isOrderShown(settings) ? ['collectsTips' as const] : []),
  ]
}

function readingShown(chains: Chains<NetworkSettings>): LearnShown['read'] {
  return {
    make: async (network) => chains.get(network)?.shownMake(),
    collectsTips: async (network) => chains.get(network)?.collectsTips(),
  }
}

/** A replica whose file is another one may be asked for a relayer that it can't follow. */
function ofNetwork<T>(found: T | undefined, network: string): T {
  if (found !== undefined) return found
  const message = `the configuration of this replica has no network "${network}"; ask another replica, or add it there`
  throw new RescindError('NODE_UNAVAILABLE', message)
}

/** No network has this name: it holds what no name may. */
function chainName(relayer: string): string {
  return `relayer\n${relayer}`
}

function conditionsOf(chain: Chain | undefined, policy: NetworkPolicy | undefined): readonly NetworkCondition[] {
  const wrong = chain?.wrongChains() ?? []
  const split = chain?.split() ?? []
  return [
    ...wrong.map((each) => ({ condition: 'wrong_chain', ...each }) as const),
    ...split.map(({ endpoint, text }) => ({ condition: 'branches_differ', endpoint, text }) as const),
    ...singleWitnessOf(chain, policy),
  ]
}

function singleWitnessOf(chain: Chain | undefined, policy: NetworkPolicy | undefined): readonly NetworkCondition[] {
  const single = policy?.secondWitness === 'prefer' ? chain?.singleWitness() : undefined
  if (!single || !policy || single.silentMs < policy.witnessSilentMs) return []
  const minutes = Math.floor(single.silentMs / 60_000)
  const text = `verdicts rest on this endpoint: no other host has answered about their blocks for ${minutes} minutes`
  return [{ condition: 'single_witness', endpoint: single.endpoint, text }]
}
