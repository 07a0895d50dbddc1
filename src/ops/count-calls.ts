// Counts the calls to the nodes of each network, beside the metrics, until the counts are stored.
import type { ChainMetrics } from './metrics.ts'

interface Calls {
  readonly calls: number
  /** Calls without a value: the node answered with an error, or not at all. */
  readonly failed: number
}

export interface CallCounts {
  /** These metrics, and the count beside them. */
  counting(network: string, metrics: ChainMetrics): ChainMetrics
  /** The counts that are not stored yet. The caller stores them, or gives them back. */
  take(): ReadonlyMap<string, Calls>
  giveBack(counts: ReadonlyMap<string, Calls>): void
}

export function countCalls(): CallCounts {
  let counts = new Map<string, Calls>()

  function add(network: string, { calls, failed }: Calls): void {
    const known = counts.get(network)
    counts.set(network, { calls: calls + (known?.calls ?? 0), failed: failed + (known?.failed ?? 0) })
  }

  return {
    counting: (network, metrics) => ({
      ...metrics,
      called(method, endpoint, answer, ms) {
        add(network, { calls: 1, failed: answer === 'value' ? 0 : 1 })
        metrics.called(method, endpoint, answer, ms)
      },
    }),
    take() {
      const taken = counts
      counts = new Map()
      return taken
    },
    giveBack(returned) {
      for (const [network, each] of returned) add(network, each)
    },
  }
}
