// Completes a key service's signature with its recovery id, if it is a signature of the pinned key.
import type { Hash, Hex } from '../../domain/ids.ts'
import type { Curve, CurveSignature } from '../curve.ts'
import type { KeySignature } from '../key-service.ts'
import { parseSignature } from './parse-signature.ts'

/** Verifies a signature; undefined for bytes that are none of `digest` by `publicKey`. */
export async function verifySignature(
  curve: Curve,
  digest: Hash,
  answered: KeySignature,
  publicKey: Hex,
): Promise<CurveSignature | undefined> {
  const parts = parseSignature(answered)
  if (!parts) return undefined
  for (const yParity of [0, 1] as const) {
    const signature = { ...parts, yParity }
    if ((await recovered(curve, digest, signature)) === publicKey) return signature
  }
  return undefined
}

/** Not every r is the x of a point. */
async function recovered(curve: Curve, digest: Hash, signature: CurveSignature): Promise<Hex | undefined> {
  try {
    return await curve.recover(digest, signature)
  } catch {
    return undefined
  }
}
