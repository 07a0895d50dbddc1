// Gas estimates that are too high, too low, or "execution reverted" for calls that succeed.
import type { Lie } from './lie.ts'

/** In sixteenths: a quarter, seven eighths, twice and two hundred times the need. */
const factors = [4n, 14n, 32n, 3_200n] as const

export const wrongEstimate: Lie = (_world, _node, { method }, honest, dice) => {
  if (method !== 'eth_estimateGas' || typeof honest.result !== 'string') return honest
  if (dice.chance(0.4)) {
    return { jsonrpc: '2.0', id: honest.id, error: { code: 3, message: 'execution reverted' } }
  }
  return { ...honest, result: `0x${((BigInt(honest.result) * dice.pick(factors)) / 16n).toString(16)}` }
}
