// Signs a statement, which is shown to others and never mined. It changes nothing in the store, so it reads only the
// relayer.

import type { Signature } from '../../domain/attempt.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { SignableStatement, Signer } from '../../signers/signer.ts'
import type { Reads } from '../../store/store.ts'

export type SignerOf = (relayer: Relayer) => Signer

/** Throws RELAYER_NOT_FOUND, RELAYER_PAUSED, SIGNER_UNAVAILABLE. */
export async function signStatement(
  reads: Reads,
  signerOf: SignerOf,
  relayerId: RelayerId,
  statement: SignableStatement,
): Promise<Signature> {
  const relayer = await reads.relayer(relayerId)
  if (!relayer) throw relayerNotFound(relayerId)
  if (relayer.paused) throw new RescindError('RELAYER_PAUSED', `relayer "${relayerId}" is paused and signs nothing new`)
  try {
    return await signerOf(relayer).signStatement(statement)
  } catch (cause) {
    throw new RescindError(
      'SIGNER_UNAVAILABLE',
      `signer "${relayer.signerId}" of relayer "${relayerId}" does not sign now; try again later`,
      { cause },
    )
  }
}
