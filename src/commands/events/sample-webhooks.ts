// What waits for webhooks and what was given up: counted when somebody scrapes.
import type { WebhookMetrics } from '../../ops/metrics.ts'
import type { Reads } from '../../store/store.ts'

export function samplingWebhooks(reads: Pick<Reads, 'queueCounts'>, metrics: WebhookMetrics): () => Promise<void> {
  return async () => metrics.counted(await reads.queueCounts())
}
