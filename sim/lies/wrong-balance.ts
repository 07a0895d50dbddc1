// Balances that are a thousand times too high or too low: one and the same way in the whole run.
import { jointCode } from '../../src/chain/accounts/joint-call.ts'
import type { SimNode } from '../chain/node.ts'
import type { Lie } from './lie.ts'

const factor = 1_000n
const ways = new WeakMap<SimNode, 'high' | 'low'>()

export const wrongBalance: Lie = (_world, node, { method, params }, honest, dice) => {
  if (typeof honest.result !== 'string') return honest
  const isJoint = method === 'eth_call' && (params[0] as { readonly data: string }).data.startsWith(jointCode)
  if (!isJoint && method !== 'eth_getBalance') return honest
  const way = ways.get(node) ?? dice.pick(['high', 'low'] as const)
  ways.set(node, way)
  const altered = (wei: bigint) => (way === 'high' ? wei * factor : wei / factor)
  if (!isJoint) return { ...honest, result: `0x${altered(BigInt(honest.result)).toString(16)}` }
  // Twice a balance a word.
  const words = (honest.result.slice(2).match(/.{64}/g) ?? []).map((word) => altered(BigInt(`0x${word}`) >> 1n) << 1n)
  return { ...honest, result: `0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}` }
}
