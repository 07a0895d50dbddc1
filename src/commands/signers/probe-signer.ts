// Lets a signer sign the text that opening it signs, so that an operator sees whether its key service works. The signature is not
// shown.
import { RescindError } from '../../domain/errors.ts'
import type { Address } from '../../domain/ids.ts'
import { type SignerProbe, SignerUnavailable } from '../../signers/signer.ts'
import type { ManagementContext } from '../management.ts'

/** Throws SIGNER_NOT_FOUND, NOT_SUPPORTED, SIGNER_UNAVAILABLE. */
export async function probeSigner(
  { registry, awaitedCode }: Pick<ManagementContext, 'registry' | 'awaitedCode'>,
  id: string,
): Promise<SignerProbe & { readonly address: Address }> {
  await registry.refresh()
  if (!registry.signers().some((each) => each.id === id)) {
    throw new RescindError('SIGNER_NOT_FOUND', `Signer with ID ${id} not found`)
  }
  const signer = registry.signer(id)
  const awaited = awaitedCode?.(id)
  if (!signer && awaited !== undefined) throw unavailable(`signer "${id}" has not opened (${awaited})`)
  if (!signer?.probe) {
    const fault = `signer "${id}" can't be probed: its key is in this process, no relayer can use it, or a person approves each signature`
    throw new RescindError('NOT_SUPPORTED', fault)
  }
  try {
    return { ...(await signer.probe()), address: signer.address }
  } catch (cause) {
    if (!(cause instanceof SignerUnavailable)) throw cause
    throw unavailable(cause.message, cause)
  }
}

function unavailable(text: string, cause?: SignerUnavailable): RescindError {
  return new RescindError('SIGNER_UNAVAILABLE', text, { cause })
}
