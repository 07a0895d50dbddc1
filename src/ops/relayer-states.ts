// The state of each relayer as of its last observation by this process. It listens to the engine's reports, and never calls a node.
import type { RelayerId } from '../domain/ids.ts'
import type { RelayerState } from '../domain/owner-report.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { RelayerObserver } from '../domain/relayer-observer.ts'

/** `barred`: another service of the database has its account. It counts as waiting. */
type Observed = 'ok' | 'waiting' | 'unreachable' | 'barred'

export interface RelayerStates {
  /** Where the engine reports. */
  readonly observer: Partial<RelayerObserver>
  /** How many of its transactions may be in flight; undefined unless this process advances the relayer. */
  windowOf(id: RelayerId): number | undefined
  /** An observation that no step made. */
  observed(id: RelayerId, isReachable: boolean): void
  /** `canSign`: nothing else shows that the signer of an idle relayer is out. */
  counts(relayers: readonly Relayer[], canSign: (relayer: Relayer) => boolean): Readonly<Record<RelayerState, number>>
}

export function watchRelayers(): RelayerStates {
  const seen = new Map<RelayerId, Observed>()
  const windows = new Map<RelayerId, number>()
  return {
    observer: {
      observed: ({ id }, { conditions }) => void seen.set(id, conditions.length > 0 ? 'waiting' : 'ok'),
      idle({ id }) {
        // It observes nothing now, but nothing waits any more.
        if (seen.get(id) === 'waiting') seen.set(id, 'ok')
      },
      surveyed({ id }, { findings }) {
        const isUnreachable = findings.some(({ condition }) => condition === 'node_unreachable')
        seen.set(id, isUnreachable ? 'unreachable' : findings.length > 0 ? 'waiting' : 'ok')
      },
      unreachable: (id) => void seen.set(id, 'unreachable'),
      window: (id, size) => void windows.set(id, size),
      released(id) {
        seen.delete(id)
        windows.delete(id)
      },
      accountInUse({ id }, isInUse) {
        if (isInUse) seen.set(id, 'barred')
        else if (seen.get(id) === 'barred') seen.delete(id)
      },
    },
    windowOf: (id) => windows.get(id),
    observed: (id, isReachable) => void seen.set(id, isReachable ? 'ok' : 'unreachable'),
    counts(relayers, canSign) {
      const counts = { ok: 0, waiting: 0, paused: 0, unreachable: 0, unobserved: 0 }
      for (const relayer of relayers) {
        const observed = seen.get(relayer.id) ?? 'unobserved'
        const waits = observed === 'barred' || (observed === 'ok' && !canSign(relayer))
        const state = waits ? 'waiting' : observed
        counts[relayer.paused || relayer.networkPaused ? 'paused' : state] += 1
      }
      return counts
    },
  }
}
