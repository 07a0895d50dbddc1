// Counts of the account's transactions that are too low, or zero.
import type { Lie } from './lie.ts'

export const lowCount: Lie = (_world, _node, { method }, honest, dice) => {
  if (method !== 'eth_getTransactionCount' || typeof honest.result !== 'string') return honest
  const less = dice.pick([1, 3, Number.POSITIVE_INFINITY])
  return { ...honest, result: `0x${Math.max(0, Number(honest.result) - less).toString(16)}` }
}
