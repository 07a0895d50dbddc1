// Signs a message or typed data. Both begin with 0x19, and no transaction or EIP-7702 authorization does. So no input
// of a client yields a signature that a node would mine.
import { concatHex, hashMessage, keccak256 } from 'viem/utils'
import type { Signature } from '../domain/attempt.ts'
import type { Hash } from '../domain/ids.ts'
import type { Curve } from './curve.ts'
import type { SignableStatement } from './signer.ts'

/** `key` is 32 bytes. */
export async function signStatement(statement: SignableStatement, key: Uint8Array, curve: Curve): Promise<Signature> {
  const { r, s, yParity } = await curve.sign(statementDigest(statement), key)
  return { r, s, v: 27 + yParity }
}

/** The digest is always computed here: no signer accepts a digest from outside. */
export function statementDigest(statement: SignableStatement): Hash {
  switch (statement.kind) {
    case 'message':
      return hashMessage({ raw: statement.bytes })
    case 'typedData':
      return keccak256(concatHex(['0x1901', statement.domainSeparator, statement.structHash]))
  }
}
