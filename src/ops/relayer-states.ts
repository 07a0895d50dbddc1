// The state of each relayer as of its last observation by this process. Fed by the reports to the metrics; never calls a node.
import type { RelayerId } from '../domain/ids.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { RelayerMetrics } from './metrics.ts'

/**
 * - `ok`: nothing holds it up. `waiting`: a condition does, or its signer does not sign.
 * - `unreachable`: no node of its network answered. `unobserved`: this process has not observed it.
 */
export type RelayerState = 'ok' | 'waiting' | 'paused' | 'unreachable' | 'unobserved'

type Observed = 'ok' | 'waiting' | 'unreachable'

export interface RelayerStates {
  /** Passes each report on. */
  readonly metrics: RelayerMetrics
  /** How many of its transactions may be in flight; undefined unless this process advances the relayer. */
  windowOf(id: RelayerId): number | undefined
  /** An observation that no step made. */
  observed(id: RelayerId, isReachable: boolean): void
  /** `canSign`: nothing else shows that the signer of an idle relayer is out. */
  counts(relayers: readonly Relayer[], canSign: (relayer: Relayer) => boolean): Readonly<Record<RelayerState, number>>
}

export function watchRelayers(metrics: RelayerMetrics): RelayerStates {
  const seen = new Map<RelayerId, Observed>()
  const windows = new Map<RelayerId, number>()
  return {
    metrics: {
      ...metrics,
      looked(relayer, sight) {
        seen.set(relayer.id, sight.conditions.length > 0 ? 'waiting' : 'ok')
        metrics.looked(relayer, sight)
      },
      idle(relayer) {
        // It observes nothing now, but nothing waits any more.
        if (seen.get(relayer.id) === 'waiting') seen.set(relayer.id, 'ok')
        metrics.idle(relayer)
      },
      unreachable(id) {
        seen.set(id, 'unreachable')
        metrics.unreachable(id)
      },
      window(id, size) {
        windows.set(id, size)
        metrics.window(id, size)
      },
      released(id) {
        seen.delete(id)
        windows.delete(id)
        metrics.released(id)
      },
    },
    windowOf: (id) => windows.get(id),
    observed: (id, isReachable) => void seen.set(id, isReachable ? 'ok' : 'unreachable'),
    counts(relayers, canSign) {
      const counts = { ok: 0, waiting: 0, paused: 0, unreachable: 0, unobserved: 0 }
      for (const relayer of relayers) {
        const observed = seen.get(relayer.id) ?? 'unobserved'
        const state = observed === 'ok' && !canSign(relayer) ? 'waiting' : observed
        counts[relayer.paused ? 'paused' : state] += 1
      }
      return counts
    },
  }
}
