// False readings of accounts, gas and prices.
import { jointCode } from '../../src/chain/accounts/joint-call.ts'
import type { SimNode } from '../chain/node.ts'
import type { Lie } from './lie.ts'

const balanceFactor = 1_000n
const ways = new WeakMap<SimNode, 'high' | 'low'>()

/** Balances that are a thousand times too high or too low: one and the same way in the whole run. */
export const wrongBalance: Lie = (_world, node, { method, params }, honest, dice) => {
  if (typeof honest.result !== 'string') return honest
  const isJoint = method === 'eth_call' && (params[0] as { readonly data: string }).data.startsWith(jointCode)
  if (!isJoint && method !== 'eth_getBalance') return honest
  const way = ways.get(node) ?? dice.pick(['high', 'low'] as const)
  ways.set(node, way)
  const altered = (wei: bigint) => (way === 'high' ? wei * balanceFactor : wei / balanceFactor)
  if (!isJoint) return { ...honest, result: `0x${altered(BigInt(honest.result)).toString(16)}` }
  // Twice a balance a word.
  const words = (honest.result.slice(2).match(/.{64}/g) ?? []).map((word) => altered(BigInt(`0x${word}`) >> 1n) << 1n)
  return { ...honest, result: `0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}` }
}

const delegation = `0xef0100${'de'.repeat(20)}`
const contract = '0x6001600055'

/** Code where there is none: a contract's, or the delegation of an account. */
export const inventedCode: Lie = (_world, _node, { method, params }, honest, dice) => {
  if (method === 'eth_getCode') return { ...honest, result: dice.pick([delegation, contract]) }
  if (method !== 'eth_call' || typeof honest.result !== 'string') return honest
  if (!(params[0] as { readonly data: string }).data.startsWith(jointCode)) return honest
  // The lowest bit of an account's word says that it delegates.
  const words = (honest.result.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`) | 1n)
  return { ...honest, result: `0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}` }
}

/** In sixteenths: a quarter, seven eighths, twice and two hundred times the need. */
const estimateFactors = [4n, 14n, 32n, 3_200n] as const

/** Gas estimates that are too high, too low, or "execution reverted" for calls that succeed. */
export const wrongEstimate: Lie = (_world, _node, { method }, honest, dice) => {
  if (method !== 'eth_estimateGas' || typeof honest.result !== 'string') return honest
  if (dice.chance(0.4)) {
    return { jsonrpc: '2.0', id: honest.id, error: { code: 3, message: 'execution reverted' } }
  }
  return { ...honest, result: `0x${((BigInt(honest.result) * dice.pick(estimateFactors)) / 16n).toString(16)}` }
}

const priceFactors = [3n, 100n, 1_000_000n] as const

/** Prices far above what blocks paid: a suggestion, rewards or base fees that no block had. */
export const highPrice: Lie = (_world, _node, { method }, honest, dice) => {
  const factor = dice.pick(priceFactors)
  const raised = (value: unknown) => `0x${((BigInt(String(value)) + 1_000_000_000n) * factor).toString(16)}`
  if (method === 'eth_maxPriorityFeePerGas' || method === 'eth_gasPrice') {
    return { ...honest, result: raised(honest.result) }
  }
  if (method !== 'eth_feeHistory' || typeof honest.result !== 'object') return honest
  const history = honest.result as { readonly baseFeePerGas: readonly string[]; readonly reward: readonly string[][] }
  const what = dice.pick(['reward', 'baseFeePerGas'] as const)
  const altered = what === 'reward' ? history.reward.map((each) => each.map(raised)) : history.baseFeePerGas.map(raised)
  return { ...honest, result: { ...history, [what]: altered } }
}
