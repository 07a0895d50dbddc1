// Public keys of secp256k1 in the forms that providers return, as 65 uncompressed bytes.
import { createPublicKey, type JsonWebKey } from 'node:crypto'
import type { Hex } from '../domain/ids.ts'
import { uncompressed } from '../ops/curve-point.ts'
import { permanent } from './exchange.ts'

/** `der` is a SubjectPublicKeyInfo (RFC 5480). Throws KeyServiceError for another curve. */
export function publicKeyOfDer(der: Uint8Array): Hex {
  return publicKeyOfJwk(exported(() => createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' })))
}

/** Throws KeyServiceError for another curve. */
export function publicKeyOfPem(pem: string): Hex {
  return publicKeyOfJwk(exported(() => createPublicKey(pem)))
}

/** Azure names the curve P-256K, and SECP256K1 for keys of early versions. Throws KeyServiceError for another curve. */
export function publicKeyOfJwk({ crv, x, y }: { crv?: unknown; x?: unknown; y?: unknown }): Hex {
  if (!curveNames.includes(crv)) throw wrongCurve(typeof crv === 'string' ? crv : 'no curve at all')
  const word = (coordinate: unknown) => Buffer.from(String(coordinate), 'base64url').toString('hex').padStart(64, '0')
  const key = uncompressed(`04${word(x)}${word(y)}`)
  if (key === undefined) throw permanent('its public key is no point of the curve', 'INVALID_PUBLIC_KEY')
  return key
}

const curveNames: readonly unknown[] = ['secp256k1', 'P-256K', 'SECP256K1']

function exported(read: () => { export(options: { format: 'jwk' }): JsonWebKey; asymmetricKeyType?: string }) {
  try {
    return read().export({ format: 'jwk' })
  } catch {
    throw permanent('its public key can not be read', 'INVALID_PUBLIC_KEY')
  }
}

export function wrongCurve(name: string): Error {
  return permanent(`its key is of ${name}, and Ethereum needs secp256k1; create another key`, 'WRONG_CURVE')
}
