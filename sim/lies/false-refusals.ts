// False answers to a broadcast: refusals of valid bytes, and an acceptance that keeps nothing.
import type { Hex } from '../../src/domain/ids.ts'
import type { Refusal } from '../chain/profiles.ts'
import { decode, isNoOp } from '../chain/transaction.ts'
import { drop, withhold } from './drop.ts'
import type { Lie } from './lie.ts'

/**
 * A false reason in the node's own words: a spent nonce, bytes that it has already, a price that is too low. The node keeps the bytes all
 * the same, or drops them and passes them on to nobody.
 */
function saying(reasons: readonly Refusal[]): Lie {
  return (_world, node, { method, params }, honest, dice) => {
    if (method !== 'eth_sendRawTransaction') return honest
    if (dice.chance(0.5)) withhold(node, decode(params[0] as Hex))
    const { code = -32_000, message } = dice.pick(node.profile.words(dice.pick(reasons)))
    return { jsonrpc: '2.0', id: honest.id, error: { code, message } }
  }
}

export const nonceTooLow = saying(['nonceTooLow'])
export const alreadyKnown = saying(['alreadyKnown'])
export const underpriced = saying(['replacementUnderpriced', 'feeTooLow'])

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

/** The node holds back one nonce in so many. */
const heldOneOf = 3

/**
 * A node that holds some payloads back in words that no table has, always the same ones, and drops them. It takes everything else.
 */
export const holds: Lie = (_world, node, { method, params }, honest) => {
  if (method !== 'eth_sendRawTransaction') return honest
  const transaction = decode(params[0] as Hex)
  if (isNoOp(transaction) || transaction.nonce % heldOneOf !== 1) return honest
  drop(node, transaction)
  return { jsonrpc: '2.0', id: honest.id, error: { code: -32099, message: 'held for a review of compliance' } }
}

/** A node that answers with the hash, and keeps nothing. */
export const acceptsAndDrops: Lie = (_world, node, { id, method, params }, honest) => {
  if (method !== 'eth_sendRawTransaction') return honest
  const transaction = decode(params[0] as Hex)
  withhold(node, transaction)
  return { jsonrpc: '2.0', id, result: transaction.hash }
}
