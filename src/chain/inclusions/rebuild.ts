// Rebuilds the signed bytes of a transaction from a node's description of it. Their hash proves them.
import type { TransactionSerializable } from 'viem'
import { isAddressEqual, keccak256, recoverAddress, serializeTransaction } from 'viem/utils'
import type { Address } from '../../domain/ids.ts'
import type { MinedPayload } from '../../domain/observation.ts'
import type { Mined } from '../nodes/decode.ts'

/** Undefined where the account did not sign these bytes, or the node omitted or altered a member. */
export async function rebuild(mined: Mined, sender: Address): Promise<MinedPayload | undefined> {
  const { nonce, to, value, data, accessList, signed } = mined
  if (!signed || value === undefined || data === undefined) return undefined
  const { type, fees, gasLimit, chainId, r, s, yParity } = signed
  const common = {
    nonce,
    gas: BigInt(gasLimit),
    value,
    data: data as `0x${string}`,
    ...(to && { to }),
    ...(chainId !== undefined && { chainId }),
  }
  const listed = accessList ?? []
  const unsigned: TransactionSerializable | undefined =
    type === 'eip1559' && fees.kind === 'eip1559' && chainId !== undefined
      ? { ...common, chainId, type, ...prices(fees), accessList: listed }
      : type === 'eip2930' && fees.kind === 'legacy' && chainId !== undefined
        ? { ...common, chainId, type, gasPrice: fees.gasPrice, accessList: listed }
        : type === 'legacy' && fees.kind === 'legacy'
          ? { ...common, type, gasPrice: fees.gasPrice }
          : undefined
  if (!unsigned) return undefined
  const raw = serializeTransaction(unsigned, { r, s, yParity, v: BigInt(27 + yParity) })
  if (keccak256(raw) !== mined.hash) return undefined
  const signer = await recoverAddress({ hash: keccak256(serializeTransaction(unsigned)), signature: { r, s, yParity } })
  if (!isAddressEqual(signer, sender)) return undefined
  const v = type !== 'legacy' ? yParity : chainId === undefined ? 27 + yParity : chainId * 2 + 35 + yParity
  return {
    ...(to && { to }),
    value,
    data: data as `0x${string}`,
    ...(accessList && { accessList }),
    ...{ raw, signature: { r, s, v }, fees, gasLimit },
  }
}

function prices({ maxFeePerGas, maxPriorityFeePerGas }: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }) {
  return { maxFeePerGas, maxPriorityFeePerGas }
}
