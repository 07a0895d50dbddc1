// A head far ahead, and then no answer any more: the endpoint is gone until the faults stop.
import type { SimNode } from '../chain/node.ts'
import type { Lie } from './lie.ts'

interface Far {
  readonly ahead: number
  readonly goneAt: number
}

const fars = new WeakMap<SimNode, Far>()
const hex = (number: number) => `0x${number.toString(16)}`

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
