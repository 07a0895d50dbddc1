// Counts waiting deliveries and dead letters at each scrape.
import type { WebhookMetrics } from '../../ops/metrics.ts'
import type { Reads } from '../../store/store.ts'

export function samplingWebhooks(reads: Pick<Reads, 'queueCounts'>, metrics: WebhookMetrics): () => Promise<void> {
  return async () => metrics.counted(await reads.queueCounts())
}
