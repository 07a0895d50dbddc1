// The receipt of another transaction: a cache that mixes up its keys.
import type { Hex } from '../../src/domain/ids.ts'
import { receiptJson } from '../chain/receipts.ts'
import type { Lie } from './lie.ts'

/** How many blocks below the head the other transaction may lie. */
const blocksBackMax = 8

export const anothersReceipt: Lie = (world, node, { method, params }, honest, dice) => {
  if (method !== 'eth_getTransactionReceipt') return honest
  const others: Hex[] = []
  for (let at = node.head, back = 0; back < blocksBackMax && at.parent; at = at.parent, back += 1) {
    others.push(...at.included.map(({ transaction }) => transaction.hash).filter((hash) => hash !== params[0]))
  }
  if (others.length === 0) return honest
  return { ...honest, result: receiptJson(world.blocks, node.head, dice.pick(others), node.receipts) }
}
