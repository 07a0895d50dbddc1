// Counts, at each scrape, what no step reports: transactions by relayer and status, how long their
// balances last, waiting deliveries and dead letters. It costs nothing without a scrape.
import type { Funds, FundsWarning } from '../domain/runway.ts'
import type { FundsSample, RelayerMetrics, WebhookMetrics } from '../ops/metrics.ts'
import type { Reads } from '../store/store.ts'

const pageSize = 500

/** Resolves once the counts are reported. */
export function samplingRelayers(
  reads: Reads,
  metrics: Pick<RelayerMetrics, 'counted' | 'funded'>,
): () => Promise<void> {
  return async () => {
    for (let page = 1; ; page += 1) {
      const { items, total } = await reads.relayers({ page, perPage: pageSize })
      for (const relayer of items) {
        metrics.counted(relayer, await reads.counts(relayer.id))
        const report = await reads.ownerReport(relayer.id)
        if (report?.funds) metrics.funded(relayer, sampleOf(report.funds))
      }
      if (page * pageSize >= total) return
    }
  }
}

function sampleOf({ runway, warnings }: Funds): FundsSample {
  const stands = (warning: FundsWarning) => warnings.some((each) => each.warning === warning)
  return {
    ...(runway && { runwayMs: runway.ms }),
    warnings: { runway_short: stands('runway_short'), balance_low: stands('balance_low') },
  }
}

/** Counts waiting deliveries and dead letters at each scrape. */
export function samplingWebhooks(reads: Pick<Reads, 'queueCounts'>, metrics: WebhookMetrics): () => Promise<void> {
  return async () => metrics.counted(await reads.queueCounts())
}
