// Counts, at each scrape, what no step reports: transactions by relayer and status, waiting deliveries and dead letters. It costs
// nothing without a scrape.
import type { RelayerMetrics, WebhookMetrics } from '../ops/metrics.ts'
import type { Reads } from '../store/store.ts'

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

/** Counts waiting deliveries and dead letters at each scrape. */
export function samplingWebhooks(reads: Pick<Reads, 'queueCounts'>, metrics: WebhookMetrics): () => Promise<void> {
  return async () => metrics.counted(await reads.queueCounts())
}
