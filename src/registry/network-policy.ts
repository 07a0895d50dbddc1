// The rules that decisions follow on a network: its own, and those that hold on every network.

import type { NetworkPolicy } from '../domain/relayer.ts'
import type { NetworkSettings } from '../domain/settings.ts'

interface PatienceSettings {
  readonly bumpAfterBlocks: number
  readonly cancelBumpAfterBlocks: number
  readonly bumpAfterMs: number
  readonly cancelBumpAfterMs: number
  readonly rebroadcastAfterBlocks: number
  readonly rebroadcastAfterMs: number
  readonly witnessSilentMs: number
}

export function networkPolicy(network: NetworkSettings, patience: PatienceSettings): NetworkPolicy {
  const { chainId, eip1559, requiredConfirmations, averageBlockTimeMs, profile, secondWitness } = network
  return {
    chainId,
    eip1559,
    requiredConfirmations,
    finality: profile.finality ?? requiredConfirmations,
    bumpAfter: { blocks: patience.bumpAfterBlocks, ms: patience.bumpAfterMs },
    cancelBumpAfter: { blocks: patience.cancelBumpAfterBlocks, ms: patience.cancelBumpAfterMs },
    ...(profile.tipFloor !== undefined && { raisedTip: profile.tipFloor }),
    profile,
    rebroadcastAfter: { blocks: patience.rebroadcastAfterBlocks, ms: patience.rebroadcastAfterMs },
    averageBlocktimeMs: averageBlockTimeMs,
    secondWitness,
    witnessSilentMs: patience.witnessSilentMs,
  }
}
