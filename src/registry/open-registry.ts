// The registry over a store: what the process runs with follows the rows, whichever process changed them.
import type { Chains } from '../chain/chain.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { NetworkPolicy, Relayer } from '../domain/relayer.ts'
import type { NetworkSettings, NotificationSettings } from '../domain/settings.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import { OperatorError } from '../ops/operator-error.ts'
import type { Vault } from '../ops/vault.ts'
import type { Signer } from '../signers/signer.ts'
import type { Entity, EntityKind, Store } from '../store/store.ts'
import { type RegistryFile, requireConfigured } from './entities.ts'
import { coveredBy } from './overlay.ts'
import { type Registry, relayersMax } from './registry.ts'
import { reopenChains } from './reopen-chains.ts'
import { notificationFromEntity, relayerFromEntity, signerFromEntity } from './stored-entities.ts'
import { type OpenStoredSigner, storedSigners } from './stored-signers.ts'

interface RegistryOptions {
  readonly store: Store
  readonly vault: Vault
  readonly logger: Logger
  readonly file: RegistryFile
  /** Signers of the file, by id. */
  readonly fileSigners: ReadonlyMap<string, Signer>
  readonly openSigner: OpenStoredSigner
  readonly chains: Chains<NetworkSettings>
  readonly policyFor: (network: NetworkSettings) => NetworkPolicy
  readonly clock: Clock
}

/** Throws OperatorError where the file and the store both name an entity, or where what is sealed does not open. */
export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const { store, vault, logger, chains } = options
  let { file } = options
  let rows: readonly Entity[] = []
  let revision = -1
  let notifications: readonly NotificationSettings[] = file.notifications
  const signers = storedSigners(vault, options.openSigner)
  const opened = reopenChains({
    ...options,
    networks: file.networks,
    learned: () => inBackground(refresh(), logger),
    findRelayer: async (id) => file.relayers.find((each) => each.id === id) ?? store.reads.relayer(id),
  })
  const { networks, endpointsOf, chainOf, chainsOf, conditionsOf, gasFiguresOf, anchorReplaced } = opened
  const reportNotAdvanced = notAdvancedReporter(logger)
  let advanceable: readonly Relayer[] = []
  let assign: ((relayers: readonly RelayerId[]) => Promise<void>) | undefined

  const rowsOf = (kind: EntityKind) => rows.filter((row) => row.kind === kind)

  async function refreshNow(): Promise<void> {
    // The revision is read first: if rows change in between, the next refresh reads them again.
    const present = await store.reads.revision()
    if (present === revision && !opened.hasLearned()) return
    rows = await store.reads.entities()
    await signers.refresh(rowsOf('signer'))
    notifications = [...file.notifications, ...rowsOf('notification').map((row) => notificationFromEntity(vault, row))]
    await opened.refresh({ networks: rowsOf('network'), relayers: rowsOf('relayer') })
    await assign?.(await listAdvanced())
    // Last: whatever failed before is tried again at the next look.
    revision = present
  }

  const refresh = oneAtATime(refreshNow)

  async function listAdvanced(): Promise<readonly RelayerId[]> {
    const { items } = await store.reads.relayers({ page: 1, perPage: relayersMax })
    const looked = new Map(items.map((relayer) => [relayer, whyNotAdvanced(relayer)]))
    reportNotAdvanced(looked)
    advanceable = items.filter((relayer) => looked.get(relayer) === undefined)
    return advanceable.map(({ id }) => id)
  }

  const signer = (id: string) => options.fileSigners.get(id) ?? signers.get(id)
  const whyNotAdvanced = (relayer: Relayer) =>
    whyUnserved(relayer, opened.has) ?? whySignerDoesNotFit(relayer, signer(relayer.signerId))

  await refresh()
  refuseTwice(file, rows)
  logOverlays(logger, file, rowsOf('relayer'))

  return {
    get file() {
      return file
    },
    ...{ refresh, signer },
    admit(next) {
      // The revision: another replica may have stored the relayers, so that the store shows no change.
      ;[file, revision] = [next, -1]
      return refresh()
    },
    signers: () => [...file.signers, ...rowsOf('signer').map(signerFromEntity)],
    notifications: () => notifications,
    signerOf: (relayer) => fittingSigner(relayer, signer(relayer.signerId)),
    ...{ networks, endpointsOf, chainOf, chainsOf, conditionsOf, gasFiguresOf, anchorReplaced },
    policyOf: ({ network }) => opened.policyOf(network),
    profileOf: (relayer) => opened.profileOf(relayer),
    relayers: () => advanceable,
    canBeAdvanced: (relayer) => whyNotAdvanced(relayer) === undefined,
    async assignTo(toAssign) {
      assign = toAssign
      await assign(await listAdvanced())
    },
    async [Symbol.asyncDispose]() {
      opened[Symbol.dispose]()
      await chains[Symbol.asyncDispose]()
      await signers[Symbol.asyncDispose]()
    },
  }
}

/** The next look does it anyway. */
function inBackground(work: Promise<void>, logger: Logger): void {
  work.catch((err: unknown) => logger.warn({ err }, 'the profile that a chain shows is not followed yet'))
}

/** Each call sees what the one before has done. */
function oneAtATime(act: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    const next = last.then(act)
    last = next.catch(() => undefined)
    return next
  }
}

function fittingSigner(
  { signerId, address }: Pick<Relayer, 'signerId' | 'address'>,
  signer: Signer | undefined,
): Signer {
  const found = requireConfigured(signer, `signer "${signerId}"`)
  if (found.address === address) return found
  throw new Error(`signer "${signerId}" signs for ${found.address} here, and its relayer is ${address}`)
}

function whyUnserved({ network }: Relayer, isServed: (network: string) => boolean): string | undefined {
  return isServed(network) ? undefined : `network "${network}" is not configured here`
}

function whySignerDoesNotFit({ signerId, address }: Relayer, signer: Signer | undefined): string | undefined {
  if (!signer) return `signer "${signerId}" is not configured here`
  if (signer.address === address) return undefined
  return `signer "${signerId}" signs for ${signer.address} here, and it is of ${address}`
}

/** Logs the changes of the file's relayers through the API. No file has them: an operator who reads the file finds them here. */
function logOverlays(logger: Logger, file: RegistryFile, rows: readonly Entity[]): void {
  for (const row of rows) {
    const document = relayerFromEntity(row)
    if (document.origin !== 'file' || !file.relayers.some(({ id }) => id === row.id)) continue
    const members = coveredBy(document.overlay)
    logger.info({ relayer_id: row.id, members }, 'changed through the API: these are not as in the file')
  }
}

function refuseTwice(file: RegistryFile, rows: readonly Entity[]): void {
  const named = [
    ...file.signers.map(({ id }) => ({ kind: 'signer', id })),
    ...file.notifications.map(({ id }) => ({ kind: 'notification', id })),
    ...[...file.relayers, ...file.awaited].map(({ id }) => ({ kind: 'relayer', id })),
    ...(file.faulty ?? []).map(({ kind, name }) => ({ kind, id: name })),
  ]
  const twice = named.filter(({ kind, id }) =>
    rows.some((row) => row.kind === kind && row.kind !== 'network' && row.id === id && !isOverlay(row)),
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

/**
 * Called at each refresh with all relayers, and with the reason where one can't be advanced. The first call logs
 * nothing.
 */
type ReportNotAdvanced = (relayers: ReadonlyMap<Relayer, string | undefined>) => void

/**
 * Logs when this process can no longer advance a relayer, and when it can again. Another replica may have been started
 * with another key: the relayer's transactions then wait for a replica with its key, and no other line would say so.
 */
function notAdvancedReporter(logger: Logger): ReportNotAdvanced {
  let before: ReadonlyMap<RelayerId, string | undefined> | undefined
  return (relayers) => {
    const now = new Map([...relayers].map(([{ id }, why]) => [id, why]))
    for (const [id, why] of before ? now : []) {
      const was = before?.get(id)
      if (why === was) continue
      if (why !== undefined) logger.warn({ relayer_id: id }, `this process does not advance this relayer: ${why}`)
      else if (was !== undefined) logger.info({ relayer_id: id }, 'this process advances this relayer again')
    }
    before = now
  }
}
