// "Invalid" for bytes that are valid: from an old fork, or by a limit of the node's own. The node keeps the bytes all the same,
// or drops them.
import type { Hex } from '../../src/domain/ids.ts'
import { decode } from '../chain/transaction.ts'
import { drop } from './drop.ts'
import type { Lie } from './lie.ts'

const words = ['intrinsic gas too low', 'exceeds block gas limit', 'transaction type not supported', 'invalid sender']

export const invalid: Lie = (_world, node, { method, params }, honest, dice) => {
  if (method !== 'eth_sendRawTransaction') return honest
  if (dice.chance(0.5)) drop(node, decode(params[0] as Hex))
  return { jsonrpc: '2.0', id: honest.id, error: { code: -32000, message: dice.pick(words) } }
}
