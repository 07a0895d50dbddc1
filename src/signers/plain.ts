// A signer whose key is given as text, from the environment.
import { hexToBytes } from 'viem/utils'
import type { Curve } from './curve.ts'
import { keySigner } from './key-signer.ts'
import type { Signer } from './signer.ts'
import { SignerError } from './signer-error.ts'

/** `key`: 64 hexadecimal digits, with or without 0x. Throws SignerError. */
export function openPlainSigner(id: string, key: string, curve: Curve): Signer {
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(key)) {
    throw new SignerError(`signer "${id}": its key is not 64 hexadecimal digits; correct the variable it comes from`)
  }
  return keySigner(id, hexToBytes(`0x${key.replace(/^0x/, '')}`), curve)
}
