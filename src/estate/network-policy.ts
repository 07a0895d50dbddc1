// The rules that decisions follow on a network: its own, and those that hold on every network.
import type { NetworkPolicy } from '../domain/relayer.ts'
import type { NetworkSettings } from './entities.ts'

export interface Patience {
  readonly bumpAfterBlocks: number
  readonly cancelBumpAfterBlocks: number
  readonly bumpAfterMs: number
  readonly cancelBumpAfterMs: number
  readonly rebroadcastAfterBlocks: number
}

/** A hand-over that failed is repeated within about a block, wherever blocks are fast or slow. */
const retryMs = { least: 500, most: 5_000 }

export function networkPolicy(network: NetworkSettings, patience: Patience): NetworkPolicy {
  const { chainId, eip1559, requiredConfirmations, averageBlockTimeMs, raisedTip } = network
  const { rebroadcastAfterBlocks, bumpAfterBlocks, cancelBumpAfterBlocks, bumpAfterMs, cancelBumpAfterMs } = patience
  return {
    chainId,
    eip1559,
    requiredConfirmations,
    bumpAfterBlocks,
    cancelBumpAfterBlocks,
    bumpAfterMs,
    cancelBumpAfterMs,
    ...(raisedTip !== undefined && { raisedTip }),
    retryAfterMs: Math.min(retryMs.most, Math.max(retryMs.least, averageBlockTimeMs)),
    rebroadcastAfterMs: rebroadcastAfterBlocks * averageBlockTimeMs,
  }
}
