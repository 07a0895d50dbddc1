// Blocks dated wrongly: by hours into the past or the future, or all at the same second.
import type { SimNode } from '../chain/node.ts'
import type { Lie } from './lie.ts'

type Dating = (seconds: number) => number

const datings = new WeakMap<SimNode, Dating>()
const hour = 3_600

export const wrongTimes: Lie = (_world, node, { method }, honest, dice) => {
  const block = honest.result as { readonly timestamp?: string } | null | undefined
  if (method !== 'eth_getBlockByNumber' || !block?.timestamp) return honest
  const first = Number(block.timestamp)
  const drawn = dice.pick([-100 * hour, -hour, -120, 120, hour, 100 * hour, 0])
  const dating = datings.get(node) ?? (drawn === 0 ? () => first : (seconds: number) => seconds + drawn)
  datings.set(node, dating)
  return { ...honest, result: { ...block, timestamp: `0x${dating(Number(block.timestamp)).toString(16)}` } }
}
