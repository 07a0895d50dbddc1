// Opens signers from their settings: a key in memory over a curve, or a key service over its quota.
import type { Address } from '../domain/ids.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import { noMetrics, type SignerMetrics } from '../ops/metrics.ts'
import type { Random } from '../ops/random.ts'
import { type Curve, openCurve } from './curve.ts'
import type { KeyService } from './key-service.ts'
import { openLocalSigner } from './local-keystore.ts'
import { openKeyService } from './open-key-service.ts'
import { openPlainSigner } from './plain.ts'
import { openRemoteSigner } from './remote/open-remote-signer.ts'
import { openQuotaQueues, type QuotaQueues } from './remote/quota-queue.ts'
import type { KeyServiceSettings, KeyServiceType } from './settings.ts'
import type { Signer } from './signer.ts'
import { SignerError } from './signer-error.ts'

/** A value that is revealed only on demand, such as a secret of the configuration. */
export interface Revealable {
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

/** By the protocol of its provider. */
function byProvider({ log, ...access }: Pick<SignerContext, 'log' | 'clock' | 'random'>): OpenKeyService {
  return async (settings) =>
    'settings' in settings ? openKeyService(settings.settings, access, await openCurve(log)) : undefined
}

/** Returns the signers by id. Throws SignerError for one that can't be opened. */
export async function openSigners(
  settings: readonly SignerSettings[],
  context: SignerContext,
): Promise<ReadonlyMap<string, Signer>> {
  const curve = await openCurve(context.log)
  const signers = new Map<string, Signer>()
  // Services that do not answer take seconds, and those of different signers need not wait for each other.
  const services = settings.filter((each) => 'settings' in each)
  for (const each of settings) {
    if (!('settings' in each)) signers.set(each.id, await openOver(curve, each, context))
  }
  const opened = await Promise.all(services.map((each) => openOver(curve, each, context)))
  for (const [place, signer] of opened.entries()) signers.set(services[place]?.id ?? '', signer)
  return signers
}

/** Opens one more signer; with `address` one that was open before. Throws SignerError. */
export async function openSigner(settings: SignerSettings, context: SignerContext, address?: Address): Promise<Signer> {
  return openOver(await openCurve(context.log), settings, context, address)
}

async function openOver(
  curve: Curve,
  settings: SignerSettings,
  context: SignerContext,
  known?: Address,
): Promise<Signer> {
  const { id, type } = settings
  const service = await context.openKeyService(settings)
  const address = known ?? ('settings' in settings ? settings.settings.address : undefined)
  const expected = { ...(address && { address }), wasOpen: known !== undefined }
  const signer = service
    ? await openRemoteSigner({ id, service, ...expected }, { ...context, curve })
    : await openByType(settings, curve)
  context.log.info({ signer: id, type, address: signer.address, curve: curve.name }, 'signer opened')
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
