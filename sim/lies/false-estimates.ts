// False estimates of gas, and false gas limits in headers.
import { broken } from '../chain/failing-estimates.ts'
import type { Lie } from './lie.ts'

const figures = {
  low: (honest: number) => [1, 9_000, 21_000, Math.ceil(honest / 2), honest - 1],
  high: (honest: number) => [Math.floor(honest * 1.2), honest * 2, 1_000_000, 29_000_000, 10 ** 12],
} as const

/** As low as a transfer, or so high that no payload exceeds it. */
const gasLimits = [21_000, 100_000, 10 ** 12] as const

/** Lies about estimates of payloads and of no-ops in the same way, and about the gas limits of blocks. */
export const falseEstimates: Lie = (_world, _node, { method }, honest, dice, { estimates = [] }) => {
  const block = honest.result as { readonly gasLimit?: string } | null | undefined
  if (method === 'eth_getBlockByNumber' && block?.gasLimit !== undefined)
    return { ...honest, result: { ...block, gasLimit: `0x${dice.pick(gasLimits).toString(16)}` } }
  if (method !== 'eth_estimateGas') return honest
  const way = dice.pick(estimates)
  const { error: _, ...member } = honest
  if (way === 'reverts') return { ...asError(honest), error: { code: 3, message: 'execution reverted: closed' } }
  if (way === 'fails') return { ...asError(honest), error: broken.jump }
  const figure = dice.pick(figures[way](Number(honest.result ?? 21_000)))
  return { ...member, result: `0x${figure.toString(16)}` }
}

function asError({ jsonrpc, id }: Parameters<Lie>[3]): Pick<Parameters<Lie>[3], 'jsonrpc' | 'id'> {
  return { jsonrpc, id }
}
