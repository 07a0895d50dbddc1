// Opens signers from their settings: a key in memory over a curve, or a key service over its quota.
import type { Address } from '../domain/ids.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import { noMetrics, type SignerMetrics } from '../ops/metrics.ts'
import type { Random } from '../ops/random.ts'
import { type Curve, openCurve } from './curve.ts'
import type { KeyService } from './key-service.ts'
import { openLocalSigner } from './local-keystore.ts'
import { openPlainSigner } from './plain.ts'
import { openRemoteSigner } from './remote/open-remote-signer.ts'
import { openQuotaQueues, type QuotaQueues } from './remote/quota-queue.ts'
import type { Signer } from './signer.ts'

/** A value that is revealed only on demand, such as a secret of the configuration. */
export interface Revealable {
  reveal(): string
}

export type SignerSettings =
  | { readonly id: string; readonly type: 'plain'; readonly key: Revealable }
  | { readonly id: string; readonly type: 'local'; readonly path: string; readonly passphrase: Revealable }

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
    openKeyService: async () => undefined,
    ...given,
  }
}

/** Returns the signers by id. Throws SignerError at the first that can't be opened. */
export async function openSigners(
  settings: readonly SignerSettings[],
  context: SignerContext,
): Promise<ReadonlyMap<string, Signer>> {
  const curve = await openCurve(context.log)
  const signers = new Map<string, Signer>()
  for (const each of settings) {
    signers.set(each.id, await openOver(curve, each, context))
  }
  return signers
}

/** Opens one more signer. Throws SignerError. */
export async function openSigner(settings: SignerSettings, context: SignerContext): Promise<Signer> {
  return openOver(await openCurve(context.log), settings, context)
}

async function openOver(curve: Curve, settings: SignerSettings, context: SignerContext): Promise<Signer> {
  const { id, type } = settings
  const service = await context.openKeyService(settings)
  const signer = service
    ? await openRemoteSigner({ id, service }, { ...context, curve })
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
  }
}
