// A node that answers with the hash, and keeps nothing.
import type { Hex } from '../../src/domain/ids.ts'
import { decode } from '../chain/transaction.ts'
import { withhold } from './drop.ts'
import type { Lie } from './lie.ts'

export const acceptsAndDrops: Lie = (_world, node, { id, method, params }, honest) => {
  if (method !== 'eth_sendRawTransaction') return honest
  const transaction = decode(params[0] as Hex)
  withhold(node, transaction)
  return { jsonrpc: '2.0', id, result: transaction.hash }
}
