// Signs a transaction, encoded by viem: legacy with EIP-155 replay protection, EIP-2930 or EIP-1559.
import { createKeccak } from 'hash-wasm'
import type { TransactionSerializable } from 'viem'
import { serializeTransaction } from 'viem/utils'
import { type Hash, type Hex, lowerHex } from '../domain/ids.ts'
import { appendSignature } from './append-signature.ts'
import type { Curve, CurveSignature } from './curve.ts'
import type { SignedTransaction, UnsignedTransaction } from './signer.ts'

/** In WebAssembly: every attempt needs two hashes, and viem's JavaScript takes eight times as long for each. */
const hasher = await createKeccak(256)

function keccak256(bytes: Hex): Hash {
  return `0x${hasher
    .init()
    .update(Buffer.from(bytes.slice(2), 'hex'))
    .digest()}`
}

/** `key` is 32 bytes. */
export async function signUnsigned(
  unsigned: UnsignedTransaction,
  key: Uint8Array,
  curve: Curve,
): Promise<SignedTransaction> {
  const preimage = unsignedBytes(unsigned)
  return assemble(unsigned, preimage, await curve.sign(keccak256(preimage), key))
}

/** The bytes whose keccak-256 is signed. */
export function unsignedBytes(unsigned: UnsignedTransaction): Hex {
  return serializeTransaction(serializable(unsigned))
}

/** `preimage`: the bytes that the signature signs. */
export function assemble(unsigned: UnsignedTransaction, preimage: Hex, signature: CurveSignature): SignedTransaction {
  const { chainId, fees, accessList } = unsigned
  const { r, s, yParity } = signature
  const isUntyped = fees.kind === 'legacy' && !accessList
  // EIP-155.
  const v = isUntyped ? chainId * 2 + 35 + yParity : yParity
  const raw = appendSignature(preimage, signature, isUntyped ? { chainId, v } : undefined)
  return { raw, hash: keccak256(raw), signature: { r, s, v } }
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
