// Reads an account's nonce by block number rather than "latest". So all of an observation is as of one head, and a node
// that lags behind it returns an error instead of an older nonce.
import type { Address } from '../../domain/ids.ts'
import type { BlockNumber, Nonce } from '../../domain/units.ts'
import { placeOf } from './block-call.ts'
import type { Call } from './call.ts'
import { toNumber } from './decode.ts'
import type { Endpoint } from './endpoint.ts'

export function nonceCall(address: Address, block: BlockNumber | 'pending' | 'latest'): Call {
  return { method: 'eth_getTransactionCount', params: [address, placeOf(block)] }
}

/**
 * The highest count by the pools of these endpoints: a transaction sent through one node may be missing at another. `atHead`: the block
 * whose count stands for a pool that the node does not count. Undefined when none of them can be read.
 */
export async function highestPendingNonce(
  endpoints: readonly Endpoint[],
  address: Address,
  atHead?: BlockNumber,
): Promise<Nonce | undefined> {
  const pending = await Promise.all(
    endpoints.map(async (endpoint) => {
      if (!endpoint.fit() || (await endpoint.ready()) !== undefined) return undefined
      const answer = await endpoint.call(nonceCall(address, 'pending'))
      if (answer.kind === 'rpcError' && atHead !== undefined) return readNonce(endpoint, address, atHead)
      return answer.kind === 'value' ? toNumber(answer.value) : undefined
    }),
  )
  const counts = pending.filter((count) => count !== undefined)
  return counts.length === 0 ? undefined : Math.max(...counts)
}

/**
 * Whether the endpoint has a count of the account at block 0, where nobody has sent anything yet: it answers with its latest state
 * whatever block a call names, as HyperEVM's public node does. No answer is no such count: most nodes keep no state so old.
 */
export async function ignoresBlock(endpoint: Endpoint, address: Address): Promise<boolean> {
  return ((await readNonce(endpoint, address, 0)) ?? 0) > 0
}

/** Undefined when the endpoint has no answer, for example because it no longer keeps that block's state. */
export async function readNonce(endpoint: Endpoint, address: Address, block: BlockNumber): Promise<Nonce | undefined> {
  const answer = await endpoint.call(nonceCall(address, block))
  return answer.kind === 'value' ? toNumber(answer.value) : undefined
}
