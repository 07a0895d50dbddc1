// Blocks that nobody made, on top of the head that the node had at first: a consistent story, a few or a million blocks ahead.
import type { Hash } from '../../src/domain/ids.ts'
import type { SimNode } from '../chain/node.ts'
import type { Lie } from './lie.ts'

interface Fork {
  readonly block: Readonly<Record<string, unknown>>
  readonly number: number
  readonly since: number
  readonly ahead: number
}

const forks = new WeakMap<SimNode, Fork>()
const aheads = [1, 3, 20, 1_000_000]
const everyMs = 1_000

const hashOf = (number: number): Hash => `0xfa15e${number.toString(16).padStart(59, '0')}`
const hex = (number: number) => `0x${number.toString(16)}`

export const inventedHeads: Lie = (world, node, { method, params }, honest, dice) => {
  if (method !== 'eth_getBlockByNumber' || typeof honest.result === 'undefined') return honest
  const [place] = params
  if (place === 'latest' && !forks.has(node)) {
    const block = honest.result as Fork['block']
    forks.set(node, { block, number: Number(block['number']), since: world.now(), ahead: dice.pick(aheads) })
  }
  const fork = forks.get(node)
  if (!fork) return honest
  const head = fork.number + fork.ahead + Math.floor((world.now() - fork.since) / everyMs)
  const number = place === 'latest' ? head : Number(place)
  if (!Number.isSafeInteger(number) || number <= fork.number) return honest
  if (number > head) return { ...honest, result: null }
  const above = number - fork.number
  const parentHash = above === 1 ? fork.block['hash'] : hashOf(number - 1)
  const timestamp = hex(Number(fork.block['timestamp']) + above)
  return {
    ...honest,
    result: { ...fork.block, number: hex(number), hash: hashOf(number), parentHash, timestamp, transactions: [] },
  }
}
