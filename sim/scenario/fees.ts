// What gas costs in this world, and how much money there is: drawn from streams of its own, apart from all other draws.
import type { Dice } from '../../tooling/dice.ts'
import type { Feature } from './features.ts'
import { firstBaseFee, gwei } from './policies.ts'

export interface FeeWorld {
  /** Gas costs nothing, and nobody has any money. */
  readonly isFree: boolean
  readonly firstBaseFee: bigint
  /**
   * What others send. `usual`: blocks are full to a quarter or three. `quiet`: nobody else is there, blocks are empty and
   * the base fee falls to nothing. `busy`: some blocks are full, and hold the best-paid only. `changing`: quiet and busy.
   */
  readonly traffic: Traffic
  /** Every pool refuses what tips less, and names it. */
  readonly poolTipMin: bigint
  /** Builders leave out what tips less, and nobody says so (geth's `--miner.gasprice`). */
  readonly builderTipMin: bigint
  /** The answer to eth_maxPriorityFeePerGas. */
  readonly suggestedTip: bigint
  /** For so many blocks a spike rises by an eighth each: 18 are eight times the price, 31 are 38 times. */
  readonly spikeBlocks: number
  /** A spike falls again, without anybody's doing. */
  readonly spikesPass: boolean
  /** Of each account at first, and when it is filled up during the faults. */
  readonly balance: bigint
  /** Of each account once the faults stop. */
  readonly finalBalance: bigint
  /** How often a step begins a drought. */
  readonly droughts: number
}

type Traffic = 'usual' | 'quiet' | 'busy' | 'changing'

/** Droughts of one's own transactions, of all, and of blocks. */
export const droughtKinds = ['ours', 'all', 'blocks'] as const
export type DroughtKind = (typeof droughtKinds)[number]

/** Nobody pays more: beyond it there is no demand. */
export const baseFeeMax = 1_000n * firstBaseFee
const ether = 10n ** 18n
const millionEther = 10n ** 24n

export function drawFees(has: (feature: Feature) => Dice | undefined): FeeWorld {
  const free = has('freeGas')
  const traffic = has('traffic')
  const money = free ? undefined : has('shortMoney')
  const spikes = has('spikes')
  const droughts = has('droughts')
  const tips = free ? undefined : has('minimumTips')
  const isSaid = tips?.chance(0.5)
  return {
    isFree: free !== undefined,
    firstBaseFee: free ? 0n : firstBaseFee,
    traffic: free ? 'quiet' : (traffic?.pick(['quiet', 'quiet', 'busy', 'changing']) ?? 'usual'),
    poolTipMin: tips && isSaid ? gwei * BigInt(tips.pick([1, 25, 25])) : 0n,
    builderTipMin: tips && !isSaid ? gwei * BigInt(tips.pick([1, 2, 2])) : 0n,
    suggestedTip: tips?.chance(0.5) ? 1_000_000n : 1_500_000n,
    spikeBlocks: spikes?.pick([18, 31, 31, 36]) ?? 18,
    spikesPass: spikes?.chance(0.7) ?? false,
    balance: free ? 0n : money?.chance(0.5) ? ether : millionEther,
    finalBalance: free ? 0n : money ? ether : millionEther,
    droughts: droughts?.pick([0.02, 0.1]) ?? 0,
  }
}
