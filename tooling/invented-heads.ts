// A lie of a node: blocks that nobody made, linked to a true one, as a consistent story.
import { keccak256, toHex } from 'viem'
import type { Lie } from './lying-node.ts'

interface Block {
  readonly number: string
  readonly hash: string
  readonly timestamp: string
}

/** Its head is `ahead()` blocks above the fork, which is its true head when it is first read. Accounts stay as in `count`. */
export function inventedHeads(ahead: () => number, count = 0): Lie {
  let fork: Block | undefined
  const hashOf = (number: number) => keccak256(toHex(`invented ${number}`))
  return ({ method, params }, honest) => {
    if (method === 'eth_getTransactionCount' && 'error' in honest) return { result: toHex(count) }
    if (method !== 'eth_getBlockByNumber' || !('result' in honest)) return undefined
    const [place] = params
    if (place === 'latest') fork ??= honest.result as Block
    if (!fork) return undefined
    const base = Number(fork.number)
    const head = base + ahead()
    const number = place === 'latest' ? head : Number(place)
    if (!Number.isSafeInteger(number) || number <= base) return undefined
    if (number > head) return { result: null }
    const above = number - base
    return {
      result: {
        ...fork,
        number: toHex(number),
        hash: hashOf(number),
        parentHash: above === 1 ? fork.hash : hashOf(number - 1),
        timestamp: toHex(Number(fork.timestamp) + above),
        transactions: [],
      },
    }
  }
}
