// False prices.
import type { Lie } from './lie.ts'

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
