// An envelope into signed bytes: legacy with EIP-155 replay protection, EIP-2930 or EIP-1559, under viem's serializer.
import type { TransactionSerializable } from 'viem'
import { keccak256, serializeTransaction } from 'viem/utils'
import type { Signature } from '../domain/attempt.ts'
import { lowerHex } from '../domain/ids.ts'
import type { Curve } from './curve.ts'
import type { Envelope, SignedEnvelope } from './signer.ts'

/** `key` is 32 bytes. */
export async function signEnvelope(envelope: Envelope, key: Uint8Array, curve: Curve): Promise<SignedEnvelope> {
  const unsigned = serializable(envelope)
  const { r, s, yParity } = await curve.sign(keccak256(serializeTransaction(unsigned)), key)
  // viem takes 27 or 28 of a legacy signature, and folds the chain id into v itself (EIP-155).
  const raw = serializeTransaction(unsigned, { r, s, yParity, v: BigInt(27 + yParity) })
  return { raw, hash: keccak256(raw), signature: { r, s, v: vOf(envelope, yParity) } }
}

function vOf(envelope: Envelope, yParity: 0 | 1): Signature['v'] {
  const untyped = envelope.fees.kind === 'legacy' && !envelope.accessList
  return untyped ? envelope.chainId * 2 + 35 + yParity : yParity
}

function serializable(envelope: Envelope): TransactionSerializable {
  const { chainId, nonce, fees, value, data } = envelope
  const common = {
    chainId,
    nonce,
    gas: BigInt(envelope.gasLimit),
    value,
    data,
    // In lower case it has no checksum to verify, which costs a hash each time.
    ...(envelope.to && { to: lowerHex(envelope.to) }),
  }
  const accessList = envelope.accessList?.map(({ address, storageKeys }) => ({
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
