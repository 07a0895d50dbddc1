// Signers over a key in memory, from any source.
import { publicKeyToAddress } from 'viem/accounts'
import { hexToBytes } from 'viem/utils'
import type { Address } from '../domain/ids.ts'
import { SignerError } from '../ops/operator-error.ts'
import type { Curve } from './curve.ts'
import { signStatement } from './sign-statement.ts'
import { signUnsigned } from './sign-unsigned.ts'
import type { Signer } from './signer.ts'

/** The key stays in a closure: no property leads to it. Throws SignerError. */
export function keySigner(id: string, key: Uint8Array, curve: Curve): Signer {
  return {
    address: addressOf(id, key, curve),
    sign: (unsigned) => signUnsigned(unsigned, key, curve),
    signStatement: (statement) => signStatement(statement, key, curve),
  }
}

function addressOf(id: string, key: Uint8Array, curve: Curve): Address {
  try {
    return publicKeyToAddress(curve.publicKey(key))
  } catch {
    // The error omits the cause, which may quote the key.
    throw new SignerError(`signer "${id}": its key is zero or not below the order of secp256k1; give it another key`)
  }
}

/** A signer whose key is given as text, from the environment. `key`: 64 hexadecimal digits, with or without 0x. Throws SignerError. */
export function openPlainSigner(id: string, key: string, curve: Curve): Signer {
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(key)) {
    throw new SignerError(`signer "${id}": its key is not 64 hexadecimal digits; correct the variable it comes from`)
  }
  return keySigner(id, hexToBytes(`0x${key.replace(/^0x/, '')}`), curve)
}
