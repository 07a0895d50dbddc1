// The registry over a store: rows into open signers and chains, each opened anew only when its row is another.
import type { Chains } from '../chain/chain.ts'
import { RescindError } from '../domain/errors.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { NetworkPolicy, Relayer } from '../domain/relayer.ts'
import type { Logger } from '../ops/logger.ts'
import { OperatorError } from '../ops/operator-error.ts'
import type { Secret } from '../ops/secret.ts'
import type { Vault } from '../ops/vault.ts'
import type { Signer } from '../signers/signer.ts'
import type { Entity, EntityKind, Store } from '../store/store.ts'
import {
  type EndpointSettings,
  known,
  type NetworkSettings,
  type NotificationSettings,
  type RegistryFile,
} from './entities.ts'
import { coveredBy, type RelayerOverlay } from './overlay.ts'
import { type Registry, relayersMax } from './registry.ts'
import { unfollowedReporter } from './report-unfollowed.ts'
import {
  endpointsFromEntity,
  keyFromEntity,
  networkFromEntity,
  notificationFromEntity,
  relayerFromEntity,
  signerFromEntity,
} from './stored-entities.ts'

export interface RegistryOptions {
  readonly store: Store
  readonly vault: Vault
  readonly logger: Logger
  readonly file: RegistryFile
  /** Those of the file, by id. */
  readonly fileSigners: ReadonlyMap<string, Signer>
  readonly openSigner: (id: string, key: Secret) => Promise<Signer>
  readonly chains: Chains<NetworkSettings>
  readonly policyFor: (network: NetworkSettings) => NetworkPolicy
}

/** Throws OperatorError where the file and the store both name an entity, or where what is sealed does not open. */
export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const { store, vault, logger, file, chains } = options
  let rows: readonly Entity[] = []
  let revision = -1
  const signers = new Map<string, { readonly signer: Signer; readonly revision: number }>()
  let notifications: readonly NotificationSettings[] = file.notifications
  const networks = new Map<string, NetworkSettings>()
  const policies = new Map<string, NetworkPolicy>()
  let endpoints: ReadonlyMap<RelayerId, readonly EndpointSettings[]> = new Map()
  /** What a chain was opened with, by its name. */
  const opened = new Map<string, string>()
  let overlays = new Map<string, RelayerOverlay>()
  const reportUnfollowed = unfollowedReporter(logger)
  let assign: ((relayers: readonly RelayerId[]) => Promise<void>) | undefined

  const rowsOf = (kind: EntityKind) => rows.filter((row) => row.kind === kind)

  async function bringSigners(): Promise<void> {
    for (const row of rowsOf('signer')) {
      if (signers.get(row.id)?.revision === row.revision) continue
      const signer = await options.openSigner(row.id, keyFromEntity(vault, row))
      signers.set(row.id, { signer, revision: row.revision })
    }
    for (const id of signers.keys()) {
      if (!rowsOf('signer').some((row) => row.id === id)) signers.delete(id)
    }
  }

  function bringNetworks(): void {
    for (const network of file.networks) {
      const row = rowsOf('network').find(({ id }) => id === network.name)
      const patch = row ? networkFromEntity(vault, row) : {}
      const isBlockTimeGiven = network.isBlockTimeGiven || patch.averageBlockTimeMs !== undefined
      const settings = { ...network, ...patch, isBlockTimeGiven }
      networks.set(network.name, settings)
      policies.set(network.name, options.policyFor(settings))
      put(network.name, settings, String(row?.revision))
    }
  }

  async function bringRelayers(): Promise<void> {
    const documents = rowsOf('relayer').map((row) => ({ row, document: relayerFromEntity(row) }))
    overlays = new Map(
      documents.flatMap(({ row, document }) => (document.origin === 'file' ? [[row.id, document.overlay]] : [])),
    )
    const found = new Map<RelayerId, readonly EndpointSettings[]>()
    for (const { row } of documents) {
      const urls = endpointsFromEntity(vault, row)
      if (!urls) continue
      // A row of this kind is named as its relayer.
      const id = row.id as RelayerId
      const relayer = file.relayers.find((each) => each.id === id) ?? (await store.reads.relayer(id))
      const network = relayer && networks.get(relayer.network)
      if (!network) continue
      found.set(id, urls)
      // By what is sealed, which other changes of the relayer leave as it is.
      put(chainName(row.id), { ...network, rpcUrls: urls }, `${row.sealed} ${opened.get(network.name)}`)
    }
    endpoints = found
    for (const name of opened.keys()) {
      const isGone = !networks.has(name) && ![...endpoints.keys()].some((id) => chainName(id) === name)
      if (!isGone) continue
      opened.delete(name)
      chains.drop(name)
    }
  }

  function put(name: string, settings: NetworkSettings, version: string): void {
    const before = opened.get(name)
    if (before === version) return
    opened.set(name, version)
    chains.put(name, settings)
    if (before !== undefined) logger.info({ network: settings.name, endpoints: settings.rpcUrls }, 'network reopened')
  }

  async function bring(): Promise<void> {
    // Read before the rows: should they be newer already, they are only looked at once more.
    const present = await store.reads.revision()
    if (present === revision) return
    rows = await store.reads.entities()
    await bringSigners()
    notifications = [...file.notifications, ...rowsOf('notification').map((row) => notificationFromEntity(vault, row))]
    bringNetworks()
    await bringRelayers()
    await assign?.(await followed())
    // Last: whatever failed before is tried again at the next look.
    revision = present
  }

  let bringing = Promise.resolve()
  /** One at a time: each sees what the one before has opened. */
  function refresh(): Promise<void> {
    const next = bringing.then(bring)
    bringing = next.catch(() => undefined)
    return next
  }

  async function followed(): Promise<readonly RelayerId[]> {
    const { items } = await store.reads.relayers({ page: 1, perPage: relayersMax })
    const looked = new Map(items.map((relayer) => [relayer, whyUnfollowed(relayer)]))
    reportUnfollowed(looked)
    return items.filter((relayer) => looked.get(relayer) === undefined).map(({ id }) => id)
  }

  const signer = (id: string) => options.fileSigners.get(id) ?? signers.get(id)?.signer
  function whyUnfollowed({ signerId, network, address }: Relayer): string | undefined {
    const found = signer(signerId)
    if (!networks.has(network)) return `network "${network}" is not configured here`
    if (!found) return `signer "${signerId}" is not configured here`
    if (found.address !== address)
      return `signer "${signerId}" signs for ${found.address} here, and it is of ${address}`
    return undefined
  }
  const canBeFollowed = (relayer: Relayer) => whyUnfollowed(relayer) === undefined

  await refresh()
  refuseTwice(file, rows)
  for (const [id, overlay] of overlays) {
    if (!file.relayers.some((relayer) => relayer.id === id)) continue
    logger.info(
      { relayer_id: id, members: coveredBy(overlay) },
      'changed through the API: these are not as in the file',
    )
  }

  return {
    file,
    refresh,
    signers: () => [...file.signers, ...rowsOf('signer').map(signerFromEntity)],
    signer,
    notifications: () => notifications,
    networks: () => [...networks.values()],
    endpointsOf: (relayer) => endpoints.get(relayer),
    signerOf({ signerId, address }) {
      const found = known(signer(signerId), `signer "${signerId}"`)
      if (found.address === address) return found
      throw new Error(`signer "${signerId}" signs for ${found.address} here, and its relayer is ${address}`)
    },
    chainOf: ({ id, network }) => ofNetwork(chains.get(chainName(id)) ?? chains.get(network), network),
    policyOf: ({ network }) => ofNetwork(policies.get(network), network),
    canBeFollowed,
    async assignTo(toAssign) {
      assign = toAssign
      await assign(await followed())
    },
    [Symbol.asyncDispose]: () => chains[Symbol.asyncDispose](),
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

function refuseTwice(file: RegistryFile, rows: readonly Entity[]): void {
  const named = [
    ...file.signers.map(({ id }) => ({ kind: 'signer', id })),
    ...file.notifications.map(({ id }) => ({ kind: 'notification', id })),
    ...file.relayers.map(({ id }) => ({ kind: 'relayer', id })),
  ]
  const twice = named.filter(({ kind, id }) =>
    rows.some((row) => row.kind === kind && row.id === id && !isOverlay(row)),
  )
  if (twice.length === 0) return
  const lines = twice.map(
    ({ kind, id }) =>
      `${kind} "${id}": was created through the API, and the file names it, too; take it out of the file, or start without it there, delete it through the API, and put it back`,
  )
  throw new OperatorError(lines.join('\n'))
}

function isOverlay(row: Entity): boolean {
  return row.kind === 'relayer' && relayerFromEntity(row).origin === 'file'
}
