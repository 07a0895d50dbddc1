// Signs a statement, which is shown to others and never mined.

import type { Signature } from '../../domain/attempt.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import { refusalOfStatement } from '../../domain/four-eyes.ts'
import type { RelayerId } from '../../domain/ids.ts'
import { isPaused, pausedError } from '../../domain/pause.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { SignableStatement, Signer } from '../../signers/signer.ts'
import type { Store } from '../../store/store.ts'

export type SignerOf = (relayer: Relayer) => Signer

/** Throws RELAYER_NOT_FOUND, RELAYER_PAUSED, POLICY_VIOLATION, SIGNER_UNAVAILABLE. */
export async function signStatement(
  store: Store,
  signerOf: SignerOf,
  relayerId: RelayerId,
  statement: SignableStatement,
): Promise<Signature> {
  const relayer = await store.reads.relayer(relayerId)
  if (!relayer) throw relayerNotFound(relayerId)
  if (isPaused(relayer)) throw pausedError(relayer, 'signs nothing new')
  const forbidden = refusalOfStatement(relayer, await store.reads.relayersOf(relayer.address))
  if (forbidden) throw forbidden
  return signWith(signerOf(relayer), relayer, statement)
}

async function signWith(signer: Signer, { id, signerId }: Relayer, statement: SignableStatement): Promise<Signature> {
  try {
    return await signer.signStatement(statement)
  } catch (cause) {
    const text = `signer "${signerId}" of relayer "${id}" does not sign now; try again later`
    throw new RescindError('SIGNER_UNAVAILABLE', text, { cause })
  }
}
