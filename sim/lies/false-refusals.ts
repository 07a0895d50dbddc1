// False answers to a broadcast: refusals of valid bytes.
import type { Hex } from '../../src/domain/ids.ts'
import type { Refusal } from '../chain/profiles.ts'
import { decode } from '../chain/transaction.ts'
import { drop, withhold } from './drop.ts'
import type { Lie } from './lie.ts'

const lowPrices: readonly Refusal[] = ['replacementUnderpriced', 'feeTooLow']

/**
 * A price that is too low, in the node's own words. The node keeps the bytes all the same, or drops them and passes them on to nobody.
 */
export const underpriced: Lie = (_world, node, { method, params }, honest, dice) => {
  if (method !== 'eth_sendRawTransaction') return honest
  if (dice.chance(0.5)) withhold(node, decode(params[0] as Hex))
  const { code = -32_000, message } = dice.pick(node.profile.words(dice.pick(lowPrices)))
  return { jsonrpc: '2.0', id: honest.id, error: { code, message } }
}

const words = ['intrinsic gas too low', 'exceeds block gas limit', 'transaction type not supported', 'invalid sender']

/**
 * "Invalid" for bytes that are valid: from an old fork, or by a limit of the node's own. The node keeps the bytes all the same,
 * or drops them.
 */
export const invalid: Lie = (_world, node, { method, params }, honest, dice) => {
  if (method !== 'eth_sendRawTransaction') return honest
  if (dice.chance(0.5)) drop(node, decode(params[0] as Hex))
  return { jsonrpc: '2.0', id: honest.id, error: { code: -32000, message: dice.pick(words) } }
}

const refusals = [
  { code: -32000, message: 'policy 7: this transfer is on hold' },
  { code: -32005, message: 'the sequencer has paused intake' },
  { code: -32603, message: 'internal error' },
  { code: 1, message: '' },
]

/** Refusals in words that no table has, or under a code that says something else. The node keeps the bytes all the same. */
export const unknownWords: Lie = (_world, _node, { method }, honest, dice) =>
  method === 'eth_sendRawTransaction' ? { jsonrpc: '2.0', id: honest.id, error: dice.pick(refusals) } : honest
