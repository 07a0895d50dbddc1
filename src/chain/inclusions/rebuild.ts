// Rebuilds the signed bytes of a transaction from a node's description of it. Their hash and their signature prove them.
import type { TransactionSerializable } from 'viem'
import { isAddressEqual, keccak256, recoverAddress, serializeTransaction } from 'viem/utils'
import type { Address } from '../../domain/ids.ts'
import type { MinedPayload } from '../../domain/observation.ts'
import type { Mined, Signed } from '../nodes/decode.ts'

/**
 * - `proven`: the account signed these bytes. `payload` is absent for a type that no relayer signs.
 * - `forged`: every member is there, and the hash or the signature is of other bytes.
 * - `unknown`: a member is missing, or the type of transaction has another form.
 */
type Rebuilt =
  | { readonly kind: 'proven'; readonly payload?: MinedPayload }
  | { readonly kind: 'forged' }
  | { readonly kind: 'unknown' }

/** Rejects where the members are of no transaction, such as data that is no hex, or a tip above the fee cap. */
export async function rebuild(mined: Mined, sender: Address): Promise<Rebuilt> {
  const { signed, accessList, data, value, to } = mined
  if (!signed || value === undefined || data === undefined) return { kind: 'unknown' }
  const { type, r, s, yParity, fees, gasLimit } = signed
  const candidates = chainIdsOf(signed).flatMap((chainId) => unsignedOf(mined, signed, chainId) ?? [])
  if (candidates.length === 0) return { kind: 'unknown' }
  for (const unsigned of candidates) {
    const raw = serializeTransaction(unsigned, { r, s, yParity, v: BigInt(27 + yParity) })
    if (keccak256(raw) !== mined.hash) continue
    const digest = keccak256(serializeTransaction(unsigned))
    const signer = await recoverAddress({ hash: digest, signature: { r, s, yParity } }).catch(() => undefined)
    if (!signer || !isAddressEqual(signer, sender)) return { kind: 'forged' }
    if (type === 'eip4844' || type === 'eip7702') return { kind: 'proven' }
    const { chainId } = unsigned
    const v = type !== 'legacy' ? yParity : chainId === undefined ? 27 + yParity : chainId * 2 + 35 + yParity
    const payload: MinedPayload = {
      ...(to && { to }),
      value,
      data: data as `0x${string}`,
      ...(accessList && { accessList }),
      ...{ raw, signature: { r, s, v }, fees, gasLimit },
    }
    return { kind: 'proven', payload }
  }
  // Without its access list other bytes come out.
  return { kind: type !== 'legacy' && !accessList ? 'unknown' : 'forged' }
}

/** Nodes differ in the chain id that they show of a legacy transaction. Its `v` may have none (EIP-155). */
function chainIdsOf({ type, chainId }: Signed): readonly (number | undefined)[] {
  return type === 'legacy' && chainId !== undefined ? [chainId, undefined] : [chainId]
}

/** Undefined where a member is missing. */
function unsignedOf(
  { nonce, to, value = 0n, data, accessList = [], authorizations }: Mined,
  { type, fees, gasLimit, blobs }: Signed,
  chainId: number | undefined,
): TransactionSerializable | undefined {
  const receiver = to && { to }
  const common = { nonce, gas: BigInt(gasLimit), value, data: data as `0x${string}`, ...receiver }
  if (type === 'legacy') {
    if (fees.kind !== 'legacy') return undefined
    return { ...common, ...(chainId !== undefined && { chainId }), type, gasPrice: fees.gasPrice }
  }
  if (chainId === undefined) return undefined
  const listed = { ...common, chainId, accessList }
  if (type === 'eip2930') return fees.kind === 'legacy' ? { ...listed, type, gasPrice: fees.gasPrice } : undefined
  if (fees.kind !== 'eip1559') return undefined
  const { maxFeePerGas, maxPriorityFeePerGas } = fees
  const priced = { ...listed, maxFeePerGas, maxPriorityFeePerGas }
  if (type === 'eip1559') return { ...priced, type }
  if (!to) return undefined
  if (type === 'eip7702') return { ...priced, to, type, authorizationList: authorizations }
  if (!blobs) return undefined
  return { ...priced, to, type, maxFeePerBlobGas: blobs.maxFeePerGas, blobVersionedHashes: blobs.hashes }
}
