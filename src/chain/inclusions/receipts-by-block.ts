// Reads the receipts of a block in one call, where an endpoint serves that (`eth_getBlockReceipts`, which geth, reth, Nethermind,
// Erigon and Besu have, and not every gateway).
import type { WitnessClaim } from '../../domain/witness.ts'
import { toHex } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { type Receipt, toReceipt } from './receipt.ts'

/** The fewest claims for this call: the receipts of fewer are shorter than all of a block's. */
const claimsMin = 4

/** `claims` lie in one block. Undefined where their receipts have to be read one by one. */
type ReceiptsByBlock = (
  endpoint: Endpoint,
  claims: readonly WitnessClaim[],
) => Promise<readonly (Receipt | undefined)[] | undefined>

export function openReceiptsByBlock(): ReceiptsByBlock {
  const unserved = new Set<number>()
  return async (endpoint, claims) => {
    const [first] = claims
    if (!first || claims.length < claimsMin || unserved.has(endpoint.index)) return undefined
    const answer = await endpoint.call({ method: 'eth_getBlockReceipts', params: [toHex(first.block.number)] })
    if (answer.kind === 'rpcError') unserved.add(endpoint.index)
    return answer.kind === 'value' && Array.isArray(answer.value) ? answer.value.map(toReceipt) : undefined
  }
}
