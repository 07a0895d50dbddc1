// Reports, at each scrape, how many old versions of rows an open snapshot keeps.
import type { StoreMetrics } from '../ops/metrics.ts'
import type { Reads } from './store.ts'

export function samplingDeadRows(
  { deadRows }: Pick<Reads, 'deadRows'>,
  metrics: Pick<StoreMetrics, 'deadRows'>,
): () => Promise<void> {
  return async () => {
    // A scrape while the database is down still has the other figures.
    const found = await deadRows?.().catch(() => [])
    for (const { table, rows } of found ?? []) metrics.deadRows(table, rows)
  }
}
