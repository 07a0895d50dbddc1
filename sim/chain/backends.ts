// An endpoint that passes requests to one of two backends: the node, and one some blocks behind it, with the same pool. Which of them answers
// shows in no answer.
import type { Dice } from '../../tooling/dice.ts'
import { ancestorAt } from './blocks.ts'
import type { SimNode } from './node.ts'

/** Returns the backend of the next request. */
export type BackendOf = (node: SimNode) => SimNode

/** `isBlind`: one of them is behind now. */
export function openBackends(behindBlocks: number | undefined, isBlind: () => boolean, dice: Dice): BackendOf {
  if (behindBlocks === undefined) return (node) => node
  let lag = behindBlocks
  let number = 0
  return (node) => {
    if (!isBlind()) return node
    if (dice.chance(0.02)) lag = dice.between(1, behindBlocks)
    // Its head never goes back.
    number = Math.max(number, node.head.number - lag)
    const head = ancestorAt(node.head, number)
    if (!head || dice.chance(0.5)) return node
    const { safe, finalized } = node.tags
    const upTo = (tag: typeof head) => (tag.number > number ? head : tag)
    return { ...node, head, announced: undefined, tags: { safe: upTo(safe), finalized: upTo(finalized) } }
  }
}
