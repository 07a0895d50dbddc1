// Finds why a mined transaction reverted.
import type { Hash } from '../../domain/ids.ts'
import type { BlockNumber } from '../../domain/units.ts'
import { askAbout, valueIn } from '../nodes/ask-about.ts'
import { toHash, toHex } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { isObject } from '../nodes/response-body.ts'
import { revertReason } from '../nodes/revert-reason.ts'

interface Wire {
  readonly hash?: unknown
  readonly from?: unknown
  readonly to?: unknown
  readonly value?: unknown
  readonly input?: unknown
  readonly gas?: unknown
  readonly accessList?: unknown
}

function againOf({ from, to, value, input, gas, accessList }: Wire): object {
  return { from, ...(to ? { to } : {}), value, data: input, gas, ...(accessList ? { accessList } : {}) }
}

/**
 * Finds why a mined transaction reverted. Receipts do not say it, so the node executes the transaction again on the state before its
 * block. Undefined where the node no longer keeps that state, or where the transaction reverted only because of others before it in its
 * block. Costs two calls, made for reverted transactions only.
 */
export async function readRevert(endpoint: Endpoint, hash: Hash, block: BlockNumber): Promise<string | undefined> {
  const call = { method: 'eth_getTransactionByHash', params: [hash] }
  const transaction = valueIn(await askAbout(endpoint, call, membersOf, ({ hash: named }) => toHash(named) === hash))
  if (!transaction) return undefined
  return revertReason(await endpoint.call({ method: 'eth_call', params: [againOf(transaction), toHex(block - 1)] }))
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? { ...value } : undefined
}
