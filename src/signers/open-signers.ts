// Opens signers from their settings, over one curve.
import type { Logger } from '../ops/logger.ts'
import { type Curve, openCurve } from './curve.ts'
import { openLocalSigner } from './local-keystore.ts'
import { openPlainSigner } from './plain.ts'
import type { Signer } from './signer.ts'

/** A value that is revealed only on demand, such as a secret of the configuration. */
export interface Revealable {
  reveal(): string
}

export type SignerSettings =
  | { readonly id: string; readonly type: 'plain'; readonly key: Revealable }
  | { readonly id: string; readonly type: 'local'; readonly path: string; readonly passphrase: Revealable }

/** Returns the signers by id. Throws SignerError at the first that can't be opened. */
export async function openSigners(
  settings: readonly SignerSettings[],
  log: Logger,
): Promise<ReadonlyMap<string, Signer>> {
  const curve = await openCurve(log)
  const signers = new Map<string, Signer>()
  for (const each of settings) {
    signers.set(each.id, await openOver(curve, each, log))
  }
  return signers
}

/** Opens one more signer. Throws SignerError. */
export async function openSigner(settings: SignerSettings, log: Logger): Promise<Signer> {
  return openOver(await openCurve(log), settings, log)
}

async function openOver(curve: Curve, settings: SignerSettings, log: Logger): Promise<Signer> {
  const signer = await openByType(settings, curve)
  const { id, type } = settings
  log.info({ signer: id, type, address: signer.address, curve: curve.name }, 'signer opened')
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
