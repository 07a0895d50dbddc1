// The size of the write-ahead log: it grows while another program keeps a snapshot of the file open, or checkpoints for the service.
import { stat } from 'node:fs/promises'
import type { StoreMetrics } from '../../ops/metrics.ts'

/** Reports it for a scrape. Without a log its size is 0. */
export function samplingLog(path: string, metrics: Pick<StoreMetrics, 'logBytes'>): () => Promise<void> {
  return async () => {
    const found = await stat(`${path}-wal`).catch(() => undefined)
    metrics.logBytes(found?.size ?? 0)
  }
}
