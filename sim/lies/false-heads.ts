// False heads and blocks.
import type { Hash } from '../../src/domain/ids.ts'
import { answer, type SimNode } from '../chain/node.ts'
import type { Lie } from './lie.ts'

/** Finality tags ahead: the head is called safe and finalized as soon as there is one. */
export const tagsAhead: Lie = (world, node, call, honest) => {
  const [place, isFull] = call.params
  const isOfTag = call.method === 'eth_getBlockByNumber' && (place === 'safe' || place === 'finalized')
  return isOfTag ? answer(world, node, { ...call, params: ['latest', isFull] }) : honest
}

type Dating = (seconds: number) => number

const datings = new WeakMap<SimNode, Dating>()
const hour = 3_600

/** Blocks dated wrongly: by hours into the past or the future, or all at the same second. */
export const wrongTimes: Lie = (_world, node, { method }, honest, dice) => {
  const block = honest.result as { readonly timestamp?: string } | null | undefined
  if (method !== 'eth_getBlockByNumber' || !block?.timestamp) return honest
  const first = Number(block.timestamp)
  const drawn = dice.pick([-100 * hour, -hour, -120, 120, hour, 100 * hour, 0])
  const dating = datings.get(node) ?? (drawn === 0 ? () => first : (seconds: number) => seconds + drawn)
  datings.set(node, dating)
  return { ...honest, result: { ...block, timestamp: `0x${dating(Number(block.timestamp)).toString(16)}` } }
}

interface Far {
  readonly ahead: number
  readonly goneAt: number
}

const fars = new WeakMap<SimNode, Far>()
const hex = (number: number) => `0x${number.toString(16)}`

/** A head far ahead, and then no answer any more: the endpoint is gone until the faults stop. */
export const farHead: Lie = (world, node, { method, params }, honest, dice) => {
  const far = fars.get(node) ?? {
    ahead: dice.pick([3, 50, 1_000, 1_000_000]),
    goneAt: world.now() + dice.pick([1_000, 20_000, 120_000]),
  }
  fars.set(node, far)
  if (world.now() >= far.goneAt) return 'gone'
  if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest' || !honest.result) return honest
  const number = node.head.number + far.ahead
  const hash = `0xfa4${number.toString(16).padStart(61, '0')}`
  const parentHash = `0xfa4${(number - 1).toString(16).padStart(61, '0')}`
  return {
    ...honest,
    result: { ...(honest.result as object), number: hex(number), hash, parentHash, transactions: [] },
  }
}

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

/**
 * Blocks that nobody made, on top of the head that the node had at first: a consistent story, a few or a million blocks ahead.
 */
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
