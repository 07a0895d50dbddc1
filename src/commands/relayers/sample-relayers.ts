// Samples, at each scrape, the transactions of each relayer by status, which no step reports. It costs nothing without a scrape.
import type { RelayerMetrics } from '../../ops/metrics.ts'
import type { Reads } from '../../store/store.ts'

const pageSize = 500

/** Resolves once the counts are reported. */
export function samplingRelayers(reads: Reads, metrics: Pick<RelayerMetrics, 'counted'>): () => Promise<void> {
  return async () => {
    for (let page = 1; ; page += 1) {
      const { items, total } = await reads.relayers({ page, perPage: pageSize })
      for (const relayer of items) metrics.counted(relayer, await reads.counts(relayer.id))
      if (page * pageSize >= total) return
    }
  }
}
