// Samples, at each scrape, the figures that no step of a relayer reports: its transactions by status, and its balance
// while it is idle. They cost nothing without a scrape.
import type { Chain } from '../../chain/chain.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { RelayerMetrics } from '../../ops/metrics.ts'
import type { Reads } from '../../store/store.ts'

export interface Sampling {
  readonly reads: Reads
  /** Throws for a network that is not configured. */
  readonly chainOf: (relayer: Relayer) => Chain
  /** Whether this process advances the relayer: of several replicas, only the owner reads its balance. */
  readonly owns: (relayer: RelayerId) => boolean
  readonly clock: Clock
  readonly metrics: RelayerMetrics
}

/** A balance costs a call, which simultaneous reads share. Each is read at most once in five minutes. */
const balanceKeptMs = 300_000
const pageSize = 500

/** Resolves once the counts are reported. A balance arrives later, and is reported at the next scrape. */
export function samplingRelayers({ reads, chainOf, owns, clock, metrics }: Sampling): () => Promise<void> {
  const readAt = new Map<RelayerId, TimestampMs>()

  async function readBalance(relayer: Relayer): Promise<void> {
    metrics.balance(relayer.id, await chainOf(relayer).balance(relayer.address))
  }

  return async () => {
    const now = clock.elapsed()
    const isDue = ({ id }: Relayer) => owns(id) && now - (readAt.get(id) ?? Number.NEGATIVE_INFINITY) >= balanceKeptMs
    for (let page = 1; ; page += 1) {
      const { items, total } = await reads.relayers({ page, perPage: pageSize })
      for (const relayer of items) metrics.counted(relayer, await reads.counts(relayer.id))
      for (const relayer of items.filter(isDue)) {
        readAt.set(relayer.id, now)
        // Without an answer the last balance stands. Other metrics report that no node answers.
        void readBalance(relayer).catch(() => undefined)
      }
      if (page * pageSize >= total) return
    }
  }
}
