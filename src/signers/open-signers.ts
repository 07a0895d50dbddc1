// Opens signers from their settings: a key in memory over a curve, or a key service over its quota.
import type { Address } from '../domain/ids.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import { noMetrics, type SignerMetrics } from '../ops/metrics.ts'
import { SignerError } from '../ops/operator-error.ts'
import type { Random } from '../ops/random.ts'
import { type Curve, openCurve } from './curve.ts'
import type { ServiceAccess } from './exchange.ts'
import type { KeyService } from './key-service.ts'
import { openPlainSigner } from './key-signer.ts'
import { openLocalSigner } from './local-keystore.ts'
import { noteDates } from './note-dates.ts'
import { openKeyService } from './open-key-service.ts'
import type { Proxies } from './proxies.ts'
import {
  type AwaitedSigner,
  openOrAwait,
  openRemoteSigner,
  type RemoteContext,
  type RemoteSettings,
} from './remote/open-remote-signer.ts'
import { openQuotaQueues, type QuotaQueues } from './remote/quota-queue.ts'
import type { KeyServiceSettings, KeyServiceType } from './settings.ts'
import type { Signer } from './signer.ts'

/** A value that is revealed only on demand, such as a secret of the configuration. */
interface Revealable {
  reveal(): string
}

export type SignerSettings =
  | { readonly id: string; readonly type: 'plain'; readonly key: Revealable }
  | { readonly id: string; readonly type: 'local'; readonly path: string; readonly passphrase: Revealable }
  | { readonly id: string; readonly type: KeyServiceType; readonly settings: KeyServiceSettings }

/** The service that holds the key of these settings; undefined for a key in memory. Throws SignerError. */
export type OpenKeyService = (settings: SignerSettings) => Promise<KeyService | undefined>

export interface SignerContext {
  readonly log: Logger
  readonly clock: Clock
  readonly random: Random
  readonly metrics: SignerMetrics
  readonly quotas: QuotaQueues
  /** The address of the relayers that are stored with a signer. */
  readonly storedAddress: (signerId: string) => Promise<Address | undefined>
  readonly openKeyService: OpenKeyService
  readonly proxies?: Proxies | undefined
}

/** `given` lacks what the caller has no use for: nothing is counted, and no address is stored. */
export function signerContext(
  given: Pick<SignerContext, 'log' | 'clock' | 'random'> & Partial<SignerContext>,
): SignerContext {
  return {
    metrics: noMetrics.signers,
    quotas: openQuotaQueues(given.clock),
    storedAddress: async () => undefined,
    openKeyService: byProvider(given),
    ...given,
  }
}

/** Opens key services by the protocol of their provider. */
function byProvider(given: Pick<SignerContext, 'log' | 'clock' | 'random' | 'proxies'>): OpenKeyService {
  const { log, clock, random, proxies } = given
  let access: Promise<ServiceAccess> | undefined
  return async (settings) => {
    if (!('settings' in settings)) return undefined
    access ??= through(proxies, { clock, random })
    const { note: noteDate, aheadMs: clockAheadMs } = noteDates(clock)
    const service = await openKeyService(settings.settings, { ...(await access), noteDate }, await openCurve(log))
    return { ...service, clockAheadMs }
  }
}

async function through(proxies: Proxies | undefined, access: ServiceAccess): Promise<ServiceAccess> {
  if (!proxies) return access
  const { proxyDispatcher } = await import('./proxies.ts')
  return { ...access, proxies, dispatcher: proxyDispatcher(proxies) }
}

/** Returns the signers by id. Throws SignerError for one that can't be opened. */
export async function openSigners(
  settings: readonly SignerSettings[],
  context: SignerContext,
): Promise<ReadonlyMap<string, Signer>> {
  return new Map((await openEach(settings, context, openRemoteSigner)).map(({ id, opened }) => [id, opened]))
}

/**
 * Returns the signers by id, and those whose key service does not answer while nothing shows their address. Throws
 * SignerError for one that can't be opened.
 */
export async function openOrAwaitSigners(
  settings: readonly SignerSettings[],
  context: SignerContext,
): Promise<{ readonly signers: Map<string, Signer>; readonly awaited: readonly AwaitedSigner[] }> {
  const signers = new Map<string, Signer>()
  const awaited: AwaitedSigner[] = []
  for (const { id, opened } of await openEach(settings, context, openOrAwait)) {
    if ('address' in opened) signers.set(id, opened)
    else awaited.push(opened)
  }
  return { signers, awaited }
}

type OpenRemote<T> = (settings: RemoteSettings, context: RemoteContext) => Promise<T>

async function openEach<T extends Signer | AwaitedSigner>(
  settings: readonly SignerSettings[],
  context: SignerContext,
  openRemote: OpenRemote<T>,
): Promise<readonly { readonly id: string; readonly opened: T | Signer }[]> {
  const curve = await openCurve(context.log)
  const opened: { readonly id: string; readonly opened: T | Signer }[] = []
  const open = async (each: SignerSettings) => ({
    id: each.id,
    opened: await openOver(curve, each, context, openRemote),
  })
  for (const each of settings) {
    if (!('settings' in each)) opened.push(await open(each))
  }
  // Services that do not answer take seconds, and those of different signers need not wait for each other.
  const services = settings.filter((each) => 'settings' in each)
  return [...opened, ...(await Promise.all(services.map(open)))]
}

/** Opens one more signer; with `address` one that was open before. Throws SignerError. */
export async function openSigner(settings: SignerSettings, context: SignerContext, address?: Address): Promise<Signer> {
  return openOver(await openCurve(context.log), settings, context, openRemoteSigner, address)
}

async function openOver<T extends Signer | AwaitedSigner>(
  curve: Curve,
  settings: SignerSettings,
  context: SignerContext,
  openRemote: OpenRemote<T>,
  known?: Address,
): Promise<T | Signer> {
  const { id, type } = settings
  const service = await context.openKeyService(settings)
  const address = known ?? ('settings' in settings ? settings.settings.address : undefined)
  const expected = { ...(address && { address }), wasOpen: known !== undefined }
  const signer = service
    ? await openRemote({ id, service, ...expected }, { ...context, curve })
    : await openByType(settings, curve)
  if ('address' in signer) {
    context.log.info({ signer: id, type, address: signer.address, curve: curve.name }, 'signer opened')
  }
  return signer
}

async function openByType(settings: SignerSettings, curve: Curve): Promise<Signer> {
  switch (settings.type) {
    case 'plain':
      return openPlainSigner(settings.id, settings.key.reveal(), curve)
    case 'local':
      return openLocalSigner(settings.id, settings.path, settings.passphrase.reveal(), curve)
    default:
      throw new SignerError(`signer "${settings.id}": no client for type "${settings.type}" was given`)
  }
}
