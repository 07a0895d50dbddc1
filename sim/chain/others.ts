// Transactions of others: how full they make a block, their tips, and the prices that nodes report for the block.
import { type Block, blockGasMax } from './blocks.ts'

const parts = 20

/** Ascending, in odd amounts, so that rounding shows. No tip is lower than `least`. */
export function othersTipsIn(number: number, least: bigint): readonly bigint[] {
  const step = 5n * BigInt(17_391 + (number % 97) * 1_013)
  const lowest = 1_000_003n > least ? 1_000_003n : least
  return Array.from({ length: parts }, (_, part) => lowest + BigInt(part + 1) * step)
}

/** A block that moves the next base fee by `drift` eighths of an eighth is so full (EIP-1559): half at 0. */
export function gasAt(drift: number): number {
  return (blockGasMax * (8 + drift)) / 16
}

const known = new WeakMap<Block, Map<string, readonly bigint[]>>()

/** As `reward` of eth_feeHistory: at each percentile of the block's gas, by what it tips; zeros of an empty block. */
export function rewardsOf(block: Block, percentiles: readonly number[]): readonly bigint[] {
  const key = percentiles.join()
  const ofBlock = known.get(block) ?? new Map<string, readonly bigint[]>()
  const rewards = ofBlock.get(key) ?? compute(block, percentiles)
  known.set(block, ofBlock.set(key, rewards))
  return rewards
}

function compute(block: Block, percentiles: readonly number[]): readonly bigint[] {
  const paid = block.included.filter(({ transaction }) => !transaction.isDeposit)
  const ours = paid.map(({ gasUsed, price }) => ({ gas: gasUsed, tip: price - block.baseFee }))
  const left = block.gasUsed - ours.reduce((sum, { gas }) => sum + gas, 0)
  const others = block.othersTips.map((tip) => ({ gas: left / block.othersTips.length, tip }))
  const all = [...ours, ...others].sort((one, other) => (one.tip < other.tip ? -1 : one.tip > other.tip ? 1 : 0))
  return percentiles.map((percentile) => {
    let sum = 0
    for (const { gas, tip } of all) {
      sum += gas
      if (sum >= (block.gasUsed * percentile) / 100) return tip
    }
    return all.at(-1)?.tip ?? 0n
  })
}
