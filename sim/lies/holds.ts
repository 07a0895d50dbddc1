// A node that holds some payloads back in words that no table has, always the same ones, and drops them. It takes everything else.
import type { Hex } from '../../src/domain/ids.ts'
import { decode, isNoOp } from '../chain/transaction.ts'
import { drop } from './drop.ts'
import type { Lie } from './lie.ts'

/** The node holds back one nonce in so many. */
const heldOneOf = 3

export const holds: Lie = (_world, node, { method, params }, honest) => {
  if (method !== 'eth_sendRawTransaction') return honest
  const transaction = decode(params[0] as Hex)
  if (isNoOp(transaction) || transaction.nonce % heldOneOf !== 1) return honest
  drop(node, transaction)
  return { jsonrpc: '2.0', id: honest.id, error: { code: -32099, message: 'held for a review of compliance' } }
}
