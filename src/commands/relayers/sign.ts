// Signs a statement, which is shown to others and never mined. A key in memory leaves no record of it.

import type { Signature } from '../../domain/attempt.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import { refusalOfStatement } from '../../domain/four-eyes.ts'
import type { RelayerId } from '../../domain/ids.ts'
import { isPaused, pausedError } from '../../domain/pause.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { SignableStatement, SignedStatement, Signer } from '../../signers/signer.ts'
import type { Store } from '../../store/store.ts'

export type SignerOf = (relayer: Relayer) => Signer

/**
 * The signature of a remote signer is on record before it is returned. Throws RELAYER_NOT_FOUND, RELAYER_PAUSED,
 * POLICY_VIOLATION, SIGNER_UNAVAILABLE.
 */
export async function signStatement(
  store: Store,
  signerOf: SignerOf,
  relayerId: RelayerId,
  statement: SignableStatement,
): Promise<Signature> {
  const relayer = await store.reads.relayer(relayerId)
  if (!relayer) throw relayerNotFound(relayerId)
  if (isPaused(relayer)) throw pausedError(relayer, 'signs nothing new')
  const forbidden = refusalOfStatement(relayer)
  if (forbidden) throw forbidden
  const { signature, evidence } = await signWith(signerOf(relayer), relayer, statement)
  if (evidence) await store.commit((session) => session.recordSignature({ ...evidence, relayerId }))
  return signature
}

async function signWith(
  signer: Signer,
  { id, signerId }: Relayer,
  statement: SignableStatement,
): Promise<SignedStatement> {
  try {
    return await signer.signStatement(statement)
  } catch (cause) {
    const text = `signer "${signerId}" of relayer "${id}" does not sign now; try again later`
    throw new RescindError('SIGNER_UNAVAILABLE', text, { cause })
  }
}
