// False counts of the account's transactions.
import type { Dice } from '../../tooling/dice.ts'
import type { HighCount, Lie } from './lie.ts'

/** A count at a block may bind a nonce there, and each nonce below takes a block and a no-op. So a run with more would not end. */
const mostAtBlock = 300

/** `farDice` is a stream of its own. */
export function drawHighCount(dice: Dice, farDice: Dice): HighCount {
  const far = dice.pick([300, 10 ** 12, Number.MAX_SAFE_INTEGER])
  const drawn = {
    about: dice.pick(['latest', 'pending', 'both'] as const),
    more: dice.pick([[1, 2, 20, 300], [300], [far]]),
  }
  return farDice.chance(0.3) ? { ...drawn, farAtBlock: farDice.pick([10 ** 12, Number.MAX_SAFE_INTEGER]) } : drawn
}

/** A count of the account's transactions that is too high: at a block, of the pool, or both. */
export const highCount: Lie = (_world, _node, { method, params }, honest, dice, { counts }) => {
  if (method !== 'eth_getTransactionCount' || typeof honest.result !== 'string' || !counts) return honest
  const isOfPool = params[1] === 'pending'
  if (counts.about !== 'both' && isOfPool !== (counts.about === 'pending')) return honest
  const drawn = dice.pick(counts.more)
  const more = isOfPool ? drawn : (counts.farAtBlock ?? Math.min(drawn, mostAtBlock))
  return { ...honest, result: `0x${Math.min(Number(honest.result) + more, Number.MAX_SAFE_INTEGER).toString(16)}` }
}
