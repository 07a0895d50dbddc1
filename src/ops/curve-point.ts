// Points of elliptic curves, as public keys are written.
import { ECDH } from 'node:crypto'

/** 33, 64 or 65 bytes in hex, with or without 0x. Undefined if it is no point of secp256k1. */
export function uncompressed(key: string): `0x${string}` | undefined {
  const hex = key.replace(/^0x/, '')
  const point = hex.length === 128 ? `04${hex}` : hex
  if (!/^(0[23][0-9a-f]{64}|04[0-9a-f]{128})$/i.test(point)) return undefined
  try {
    return `0x${String(ECDH.convertKey(point, 'secp256k1', 'hex', 'hex', 'uncompressed'))}`
  } catch {
    return undefined
  }
}
