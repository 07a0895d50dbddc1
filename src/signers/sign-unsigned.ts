// Signs a transaction with viem's serializer: legacy with EIP-155 replay protection, EIP-2930 or EIP-1559.
import type { TransactionSerializable } from 'viem'
import { serializeTransaction } from 'viem/utils'
import type { Signature } from '../domain/attempt.ts'
import { type Hex, lowerHex } from '../domain/ids.ts'
import type { Curve, CurveSignature } from './curve.ts'
import { keccak256 } from './keccak.ts'
import type { SignedTransaction, UnsignedTransaction } from './signer.ts'

/** `key` is 32 bytes. */
export async function signUnsigned(
  unsigned: UnsignedTransaction,
  key: Uint8Array,
  curve: Curve,
): Promise<SignedTransaction> {
  return assemble(unsigned, await curve.sign(keccak256(unsignedBytes(unsigned)), key))
}

/** The bytes whose keccak-256 is signed. */
export function unsignedBytes(unsigned: UnsignedTransaction): Hex {
  return serializeTransaction(serializable(unsigned))
}

export function assemble(unsigned: UnsignedTransaction, { r, s, yParity }: CurveSignature): SignedTransaction {
  // For a legacy signature viem takes 27 or 28, and computes v with the chain id itself (EIP-155).
  const raw = serializeTransaction(serializable(unsigned), { r, s, yParity, v: BigInt(27 + yParity) })
  return { raw, hash: keccak256(raw), signature: { r, s, v: vOf(unsigned, yParity) } }
}

function vOf(unsigned: UnsignedTransaction, yParity: 0 | 1): Signature['v'] {
  const untyped = unsigned.fees.kind === 'legacy' && !unsigned.accessList
  return untyped ? unsigned.chainId * 2 + 35 + yParity : yParity
}

function serializable(unsigned: UnsignedTransaction): TransactionSerializable {
  const { chainId, nonce, fees, value, data } = unsigned
  const common = {
    chainId,
    nonce,
    gas: BigInt(unsigned.gasLimit),
    value,
    data,
    // An address in lower case has no checksum to verify, which costs a hash each time.
    ...(unsigned.to && { to: lowerHex(unsigned.to) }),
  }
  const accessList = unsigned.accessList?.map(({ address, storageKeys }) => ({
    address: lowerHex(address),
    storageKeys,
  }))
  if (fees.kind === 'eip1559') {
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    return { ...common, type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas, ...(accessList && { accessList }) }
  }
  const { gasPrice } = fees
  return accessList ? { ...common, type: 'eip2930', gasPrice, accessList } : { ...common, type: 'legacy', gasPrice }
}
