// Draws the price of gas, the traffic of others, and the money in the accounts.
import type { Dice } from '../../tooling/dice.ts'
import type { Feature } from './features.ts'
import { firstBaseFee, gwei } from './policies.ts'

export interface FeeWorld {
  /** Gas costs nothing, and accounts are empty. */
  readonly isFree: boolean
  /** The base fee of the first block, in wei. */
  readonly firstBaseFee: bigint
  /**
   * What others send. `usual`: blocks are full to a quarter or three. `quiet`: nobody else is there, blocks are empty and
   * the base fee falls to nothing. `busy`: some blocks are full, and hold the best-paid only. `changing`: quiet and busy.
   */
  readonly traffic: Traffic
  /** Every pool rejects a lower tip, in wei, and names this one. */
  readonly poolTipMin: bigint
  /** Builders silently leave out a lower tip, in wei (geth's `--miner.gasprice`). */
  readonly builderTipMin: bigint
  /** The answer to eth_maxPriorityFeePerGas, in wei. */
  readonly suggestedTip: bigint
  /** In a spike the base fee rises by an eighth in each of this many blocks: 18 are eight times the price, 31 are 38 times. */
  readonly spikeBlocks: number
  /** The base fee falls again by itself after a spike. */
  readonly spikesPass: boolean
  /** The balance of each account at first, and after each refill until the faults stop, in wei. */
  readonly balance: bigint
  /** The balance of each account once the faults stop, in wei. */
  readonly finalBalance: bigint
  /** Probability, for each step, that a drought begins. */
  readonly droughts: number
}

type Traffic = 'usual' | 'quiet' | 'busy' | 'changing'

/** In a drought no transaction of the relayers is mined (`ours`), no transaction at all (`all`), or no block is made (`blocks`). */
export const droughtKinds = ['ours', 'all', 'blocks'] as const

/** The base fee does not rise above this, in wei. */
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
