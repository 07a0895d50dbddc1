// Writes the configuration's relayers into rows, at start. A row with open transactions keeps its account.
import { isDeepStrictEqual } from 'node:util'
import type { RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { Logger } from '../../ops/logger.ts'
import { OperatorError } from '../../ops/operator-error.ts'
import { overlaid } from '../../registry/overlay.ts'
import { relayersMax } from '../../registry/registry.ts'
import { relayerFromEntity } from '../../registry/stored-entities.ts'
import type { Entity, Session, Store } from '../../store/store.ts'

interface SyncOptions {
  readonly store: Store
  /** The file's relayers, without their changes through the API. */
  readonly file: readonly Relayer[]
  /** Further relayers of the file, whose accounts are unknown: they stay as they are stored, or not. */
  readonly awaited?: readonly { readonly id: string }[]
  /** Whether its key and its network are still configured. */
  readonly canBeAdvanced: (relayer: Relayer) => boolean
  readonly hasNotification: (id: string) => boolean
  readonly logger: Logger
}

/**
 * Pauses relayers that the configuration no longer names. They accept no new transactions. Those in flight, and their
 * cancellations, continue as long as key and network are configured.
 *
 * Throws OperatorError where an id would change its account, or an account its id. Writes only where something differs,
 * since other processes on the database, and their clients, may be at work.
 */
export async function syncConfiguredRelayers(given: SyncOptions): Promise<void> {
  const { store, file, awaited = [], canBeAdvanced, hasNotification, logger } = given
  const { items: stored } = await store.reads.relayers({ page: 1, perPage: relayersMax })
  const { configured, isOwn } = await checkedAgainst(store, file, stored)
  const others = stored.filter(({ id }) => ![...configured, ...awaited].some((relayer) => relayer.id === id))
  const orphans = others.filter(({ id }) => !isOwn(id))
  if (differs(configured, stored) || orphans.some(({ paused }) => !paused)) {
    await store.commit(async (session) => {
      // This comes first: a client's concurrent change is either before this one, and kept, or after it.
      await session.raiseRevision()
      for (const { id } of orphans) await pause(session, id)
      await saveAll(session, file)
    })
  }
  warnOfOtherAccounts(configured, stored, logger)
  for (const orphan of orphans) {
    const reason = canBeAdvanced(orphan)
      ? 'it is paused; its transactions in flight continue'
      : 'it is paused; without its signer or network its transactions neither advance nor can be canceled'
    logger.warn({ relayer_id: orphan.id }, `the configuration no longer names this relayer: ${reason}`)
  }
  for (const relayer of others.filter(({ id }) => isOwn(id))) {
    if (canBeAdvanced(relayer)) continue
    logger.warn(
      { relayer_id: relayer.id, network: relayer.network, signer: relayer.signerId },
      'this relayer was created through the API, and its network or signer is gone from the configuration: its transactions neither advance nor can be canceled',
    )
  }
  for (const { id, notificationId } of [...others, ...configured]) {
    if (notificationId === undefined || hasNotification(notificationId)) continue
    const gone =
      'its notification is gone from the configuration: its events wait a day for it, and then become dead letters'
    logger.warn({ relayer_id: id, notification: notificationId }, gone)
  }
}

/** Stores relayers of the file whose signer has opened since the start. Throws OperatorError, as at start. */
export async function syncOpenedRelayers({ store, file, logger }: Pick<SyncOptions, 'store' | 'file' | 'logger'>) {
  const { items: stored } = await store.reads.relayers({ page: 1, perPage: relayersMax })
  const { configured } = await checkedAgainst(store, file, stored)
  if (!differs(configured, stored)) return
  await store.commit(async (session) => {
    await session.raiseRevision()
    await saveAll(session, file)
  })
  warnOfOtherAccounts(configured, stored, logger)
}

async function checkedAgainst(store: Store, file: readonly Relayer[], stored: readonly Relayer[]) {
  const entities = new Map(
    (await store.reads.entities()).flatMap((row) => (row.kind === 'relayer' ? [[row.id, row]] : [])),
  )
  const configured = file.map((relayer) => withOverlay(relayer, entities.get(relayer.id)))
  const problems = await Promise.all(configured.map((relayer) => problemsOf(store, relayer, stored)))
  if (problems.flat().length > 0) throw new OperatorError(problems.flat().join('\n'))
  return { configured, isOwn: (id: RelayerId) => wasCreated(entities.get(id)) }
}

function differs(configured: readonly Relayer[], stored: readonly Relayer[]): boolean {
  // The pause of a network is no matter of the file.
  const settings = stored.map(({ networkPaused: _, ...known }) => known)
  return configured.some((relayer) => !settings.some((known) => isDeepStrictEqual(known, relayer)))
}

async function saveAll(session: Session, file: readonly Relayer[]): Promise<void> {
  for (const relayer of file) {
    await session.saveRelayer(withOverlay(relayer, await session.entity('relayer', relayer.id)))
  }
}

function warnOfOtherAccounts(configured: readonly Relayer[], stored: readonly Relayer[], logger: Logger): void {
  for (const relayer of configured) {
    const known = stored.find(({ id }) => id === relayer.id)
    if (!known || isSameAccount(known, relayer)) continue
    logger.warn(
      { relayer_id: relayer.id, before: known.address, now: relayer.address },
      'the account of this relayer changes: replicas with its earlier key no longer advance it',
    )
  }
}

async function pause(session: Session, id: RelayerId): Promise<void> {
  const relayer = await session.relayer(id)
  // A client has deleted or created it since it was listed.
  if (!relayer || wasCreated(await session.entity('relayer', id))) return
  await session.saveRelayer({ ...relayer, paused: true })
}

function withOverlay(relayer: Relayer, row: Entity | undefined): Relayer {
  const document = row && relayerFromEntity(row)
  return document?.origin === 'file' ? overlaid(relayer, document.overlay) : relayer
}

/** Whether the API created it, so that the configuration never named it. */
function wasCreated(row: Entity | undefined): boolean {
  return row !== undefined && relayerFromEntity(row).origin === 'api'
}

type Account = Pick<Relayer, 'address' | 'chainId'>

function isSameAccount(one: Account, other: Account): boolean {
  return one.address === other.address && one.chainId === other.chainId
}

async function problemsOf(store: Store, relayer: Relayer, stored: readonly Relayer[]): Promise<string[]> {
  const { id, address, chainId } = relayer
  const known = stored.find((other) => other.id === id)
  const twin = stored.find((other) => other.id !== id && other.chainId === chainId && other.address === address)
  const problems: string[] = []
  if (twin) {
    problems.push(
      `relayer "${id}": ${address} on chain ${chainId} is relayer "${twin.id}" in the database, with its history; keep that id, or give "${id}" another key`,
    )
  }
  if (known && !isSameAccount(known, relayer) && (await store.commit((session) => session.hasOpen(id)))) {
    problems.push(
      `relayer "${id}": it has open transactions of ${known.address} on chain ${known.chainId}, and the configuration now gives it ${address} on chain ${chainId}; restore the old account until they have ended, or give the new account an id of its own`,
    )
  }
  return problems
}
