// The rules that decisions follow on a network: its own, and those that hold on every network.

import type { NetworkPolicy } from '../domain/relayer.ts'
import type { NetworkSettings } from '../domain/settings.ts'

interface PatienceSettings {
  readonly bumpAfterBlocks: number
  readonly cancelBumpAfterBlocks: number
  readonly bumpAfterMs: number
  readonly cancelBumpAfterMs: number
  readonly rebroadcastAfterBlocks: number
  readonly witnessSilentMs: number
}

export function networkPolicy(network: NetworkSettings, patience: PatienceSettings): NetworkPolicy {
  const { chainId, eip1559, requiredConfirmations, averageBlockTimeMs, profile, secondWitness } = network
  const {
    rebroadcastAfterBlocks,
    bumpAfterBlocks,
    cancelBumpAfterBlocks,
    bumpAfterMs,
    cancelBumpAfterMs,
    witnessSilentMs,
  } = patience
  return {
    chainId,
    eip1559,
    requiredConfirmations,
    finality: profile.finality ?? requiredConfirmations,
    bumpAfterBlocks,
    cancelBumpAfterBlocks,
    bumpAfterMs,
    cancelBumpAfterMs,
    ...(profile.tipFloor !== undefined && { raisedTip: profile.tipFloor }),
    profile,
    rebroadcastAfterBlocks,
    averageBlocktimeMs: averageBlockTimeMs,
    secondWitness,
    witnessSilentMs,
  }
}
