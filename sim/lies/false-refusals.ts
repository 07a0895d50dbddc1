// False reasons for a refusal, in the node's own words: a spent nonce, bytes that it has already, a price that is too low. The node
// keeps the bytes all the same, or drops them and passes them on to nobody.
import type { Hex } from '../../src/domain/ids.ts'
import type { Refusal } from '../chain/profiles.ts'
import { decode } from '../chain/transaction.ts'
import { withhold } from './drop.ts'
import type { Lie } from './lie.ts'

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
