// Opens the signers of requests and of the database: the text that is sealed for each opens it again at each start.
import type { ManagementContext, NewSigner } from './commands/management.ts'
import { syncOpenedRelayers } from './commands/relayers/sync-configured-relayers.ts'
import type { Config, SignerConfig, SignerEnvironment } from './config/config.ts'
import { type RequestedSigner, readSigner } from './config/read-signer.ts'
import { refusePublishedAccounts, refuseSharedAddresses } from './config/refuse-accounts.ts'
import { ConfigError } from './config/report.ts'
import type { Address } from './domain/ids.ts'
import type { FaultyEntity } from './domain/settings.ts'
import type { Clock } from './ops/clock.ts'
import { loggingOutage } from './ops/log-outage.ts'
import type { Logger } from './ops/logger.ts'
import { memberOf } from './ops/member.ts'
import { OperatorError } from './ops/operator-error.ts'
import type { RelayerStates } from './ops/relayer-states.ts'
import { type Secret, secret } from './ops/secret.ts'
import { decode, encode } from './registry/overlay.ts'
import type { Registry } from './registry/registry.ts'
import { type ParsedFile, registryFile } from './registry/registry-file.ts'
import type { OpenStoredSigner } from './registry/stored-signers.ts'
import { namedInStore, refuseUsedFaults } from './registry/used-faults.ts'
import { openOrAwaitSigners, openSigner, type SignerContext, type SignerSettings } from './signers/open-signers.ts'
import type { AwaitedSigner } from './signers/remote/open-remote-signer.ts'
import type { Signer } from './signers/signer.ts'
import type { Store } from './store/store.ts'

interface SignerSources extends Pick<ManagementContext, 'readSigner'> {
  readonly openStored: OpenStoredSigner
}

/** All but those that no relayer can use. */
function usableSigners(signers: readonly SignerConfig[]): readonly SignerSettings[] {
  return signers.filter((signer) => signer.type !== 'vault_transit')
}

interface FileSigners {
  readonly signers: Map<string, Signer>
  readonly awaited: readonly AwaitedSigner[]
  /** The entities of the file that are left out. Absent: none. */
  readonly faulty?: readonly FaultyEntity[]
}

/**
 * Opens the signers of the file. One that no relayer names, in the file or in the database, may fail to open: it is left out, with a
 * warning. Throws SignerError for another, and OperatorError for a fault of the file in an entity that a relayer of the database
 * names.
 */
export function openFileSigners(
  config: Config,
  context: SignerContext,
  store: Pick<Store, 'reads'>,
): Promise<FileSigners> {
  const usable = usableSigners(config.signers)
  const spares = usable.filter(({ id }) => !config.relayers.some(({ signerId }) => signerId === id))
  // Most files name all that they hold, and need no look into the database.
  if (spares.length === 0 && !config.faulty?.length) return openOrAwaitSigners(usable, context)
  return openBesideFaults(config, context, store)
}

async function openBesideFaults(config: Config, context: SignerContext, store: Pick<Store, 'reads'>) {
  const namedBy = await namedInStore(store, config.relayers)
  const faulty = [...(config.faulty ?? [])]
  refuseUsedFaults(faulty, namedBy)
  const isUsed = ({ id }: SignerSettings) =>
    config.relayers.some(({ signerId }) => signerId === id) || namedBy('signer', id) !== undefined
  const usable = usableSigners(config.signers)
  const { signers, awaited } = await openOrAwaitSigners(usable.filter(isUsed), context)
  const spares = usable.filter((each) => !isUsed(each)).map((each) => openSpare(each, context))
  const opened = await Promise.all(spares)
  for (const spare of opened) {
    for (const [id, signer] of spare.opened?.signers ?? []) signers.set(id, signer)
    if (spare.fault) faulty.push(spare.fault)
  }
  return { signers, awaited: [...awaited, ...opened.flatMap((spare) => spare.opened?.awaited ?? [])], faulty }
}

/** The configuration without its faulty signers, which can't be opened. */
export function withoutFaulty(config: Config, faulty: readonly FaultyEntity[] = []) {
  const isFaulty = (id: string) => faulty.some(({ kind, name }) => kind === 'signer' && name === id)
  return { ...config, signers: config.signers.filter(({ id }) => !isFaulty(id)), faulty }
}

interface Spare {
  readonly opened?: Awaited<ReturnType<typeof openOrAwaitSigners>>
  readonly fault?: FaultyEntity
}

async function openSpare(settings: SignerSettings, context: SignerContext): Promise<Spare> {
  try {
    return { opened: await openOrAwaitSigners([settings], context) }
  } catch (err) {
    if (!(err instanceof OperatorError)) throw err
    context.log.warn({ err, signer: settings.id }, 'a signer that no relayer names does not open, and is left out')
    return { fault: { kind: 'signer', name: settings.id, faults: [err.message] } }
  }
}

export function signerSources(context: SignerContext, environment: SignerEnvironment | undefined): SignerSources {
  async function open(signer: SignerConfig, address?: Address) {
    const [usable] = usableSigners([signer])
    return usable && openSigner(usable, context, address)
  }

  function read(
    id: string,
    body: RequestedSigner,
    text: Secret,
    known?: Address,
  ): NewSigner | { readonly problems: OfBody } {
    const found = readSigner(id, body, environment)
    if ('problems' in found) return found
    const { signer } = found
    const config = 'shown' in signer ? signer.shown : {}
    return { type: signer.type, config, secret: text, open: () => open(signer, known) }
  }

  return {
    readSigner(id, body) {
      const { type, config, address } = body
      const key = memberOf(config, 'key')
      if (type === 'plain') return read(id, body, secret(typeof key === 'string' ? key : ''))
      return read(id, body, secret(encode({ config, ...(address !== undefined && { address }) })))
    },
    async openStored({ id, type, address }, text) {
      try {
        const body = type === 'plain' ? { type, config: { key: text.reveal() } } : { type, ...storedBody(text) }
        const found = read(id, body, text, address)
        if ('problems' in found) throw new OperatorError(found.problems.map(describe).join('; '))
        return await found.open()
      } catch (err) {
        if (type === 'plain' || !(err instanceof OperatorError)) throw err
        // The API must work, so that somebody can correct the signer there.
        context.log.error(
          { err, signer: id, type, address },
          'a signer of the database does not open; its relayers wait',
        )
        return undefined
      }
    },
  }
}

type OfBody = readonly { readonly place: string; readonly message: string }[]

function describe({ place, message }: OfBody[number]): string {
  return `${place}: ${message}`
}

/** The file's rules apply again: a library that was taken off the list, for one, does not load any more. */
function storedBody(text: Secret): { readonly config: unknown; readonly address?: string } {
  const stored = decode(text.reveal())
  const address = memberOf(stored, 'address')
  return { config: memberOf(stored, 'config'), ...(typeof address === 'string' && { address }) }
}

/** For readiness. A relayer whose account is unknown waits for its signer. */
export function relayersByState(
  states: Pick<RelayerStates, 'counts'>,
  registry: Pick<Registry, 'file' | 'relayers' | 'signer'>,
): ReturnType<RelayerStates['counts']> {
  const { awaited } = registry.file
  const others = registry.relayers().filter(({ id }) => !awaited.some((each) => each.id === id))
  const counts = states.counts(others, canSign(registry))
  return { ...counts, waiting: counts.waiting + awaited.length }
}

/** Whether the signer of a relayer signed when it was last used. A key in memory always signs. */
function canSign({ signer }: Pick<Registry, 'signer'>): (relayer: { readonly signerId: string }) => boolean {
  return ({ signerId }) => signer(signerId)?.remote?.isAvailable() !== false
}

// Signers whose key services did not answer at start open as soon as they do: then their relayers are stored, and advance. Until
// then nothing of them is stored.
interface AwaitedSigners extends AsyncDisposable {
  /** Undefined for a relayer that is stored, or that the file does not name. */
  whyAwaited(relayer: string): string | undefined
  /** The code of the failure that keeps a signer from its first opening; undefined for one that has opened. */
  awaitedCode(signerId: string): string | undefined
}

interface Awaiting {
  readonly awaited: readonly AwaitedSigner[]
  readonly parsed: ParsedFile
  /** Those of the file that are open, by id: another one is added when it opens. */
  readonly signers: Map<string, Signer>
  readonly registry: Pick<Registry, 'file' | 'admit'>
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** Called once relayers are stored. */
  readonly announce: () => void
}

/** The signer's breaker decides which of these tries calls its key service. */
const everyMs = 1_000

export function awaitSigners(given: Awaiting): AwaitedSigners {
  const { awaited, parsed, signers, registry, store, clock, logger, announce } = given
  const ended = new AbortController()
  /** Why relayers of an opened signer may not be stored, by signer, until the file or the key is corrected. */
  const problems = new Map<string, string>()
  let admitting = Promise.resolve()

  async function admit(id: string, signer: Signer): Promise<void> {
    if (ended.signal.aborted) return
    const file = registryFile(parsed, new Map([...signers, [id, signer]]))
    refuseSharedAddresses(file.relayers)
    refusePublishedAccounts(file.relayers)
    await syncOpenedRelayers({ store, logger, file: file.relayers.filter(({ signerId }) => signerId === id) })
    signers.set(id, signer)
    logger.info({ signer: id, address: signer.address }, 'signer opened: its relayers are stored, and advance')
    announce()
    await registry.admit(file)
  }

  async function untilOpen(each: AwaitedSigner): Promise<void> {
    const { id } = each
    const relayers = registry.file.awaited.filter(({ signerId }) => signerId === id).map((relayer) => relayer.id)
    const facts = { signer: id, code: each.code(), relayers }
    logger.warn(facts, 'nothing shows the address of this signer: its relayers wait until its key service answers')
    const lines = {
      began: 'a signer that has opened could not be used',
      over: 'the signer is in use',
      facts: { signer: id },
    }
    const outage = loggingOutage(logger, lines)
    while (!ended.signal.aborted) {
      await clock.sleep(everyMs, ended.signal)
      try {
        const signer = ended.signal.aborted ? undefined : await each.tryAgain()
        if (!signer) continue
        // One at a time: two signers may have one account.
        const admission = admitting.then(() => admit(id, signer))
        admitting = admission.catch(() => undefined)
        await admission
        return outage.worked()
      } catch (err) {
        if (ended.signal.aborted) return
        outage.failed(err)
        const problem = problemOf(err)
        if (problem === undefined) continue
        problems.set(id, problem)
        return
      }
    }
  }

  for (const each of awaited) void untilOpen(each)
  return {
    whyAwaited(relayerId) {
      const relayer = registry.file.awaited.find(({ id }) => id === relayerId)
      const signer = relayer && awaited.find(({ id }) => id === relayer.signerId)
      if (!signer) return undefined
      const problem = problems.get(signer.id)
      if (problem !== undefined) return `signer "${signer.id}" of relayer "${relayerId}" is not used: ${problem}`
      return `signer "${signer.id}" of relayer "${relayerId}" has not opened since the service started (${signer.code()}), so its address is unknown; the service tries it again automatically`
    },
    awaitedCode: (id) => (signers.has(id) ? undefined : awaited.find((each) => each.id === id)?.code()),
    async [Symbol.asyncDispose]() {
      ended.abort()
      await admitting
      await Promise.all(awaited.filter(({ id }) => !signers.has(id)).map((each) => each.close()))
    },
  }
}

/** Undefined for a failure that may pass. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof ConfigError) return error.problems.map(({ place, message }) => `${place}: ${message}`).join('; ')
  return error instanceof OperatorError ? error.message : undefined
}
