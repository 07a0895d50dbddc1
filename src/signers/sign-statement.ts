// Signs a message or typed data. Both begin with 0x19, and no transaction or EIP-7702 authorization does. So no input
// of a client yields a signature that a node would mine.
import { concatHex, keccak256, size, stringToHex } from 'viem/utils'
import type { Signature } from '../domain/attempt.ts'
import type { Hash, Hex } from '../domain/ids.ts'
import type { Curve } from './curve.ts'
import type { SignableStatement } from './signer.ts'

/** `key` is 32 bytes. */
export async function signStatement(statement: SignableStatement, key: Uint8Array, curve: Curve): Promise<Signature> {
  const { r, s, yParity } = await curve.sign(statementDigest(statement), key)
  return { r, s, v: 27 + yParity }
}

/** The digest is always computed here: no signer accepts a digest from outside. */
function statementDigest(statement: SignableStatement): Hash {
  return keccak256(statementBytes(statement))
}

/** The bytes whose keccak-256 is signed. */
export function statementBytes(statement: SignableStatement): Hex {
  switch (statement.kind) {
    case 'message':
      return concatHex([stringToHex(`\x19Ethereum Signed Message:\n${size(statement.bytes)}`), statement.bytes])
    case 'typedData':
      return concatHex(['0x1901', statement.domainSeparator, statement.structHash])
  }
}
