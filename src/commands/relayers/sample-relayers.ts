// What no step of a relayer tells: how many transactions it holds by status, and its balance while it is idle. Asked when
// somebody scrapes, and so at nobody's cost while nobody does.
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
  /** Whether this process advances it: of several on the database one asks for its balance. */
  readonly owns: (relayer: RelayerId) => boolean
  readonly clock: Clock
  readonly metrics: RelayerMetrics
}

/** A balance costs a call, which those asked for at one moment share: each is asked for once in five minutes at most. */
const balanceKeptMs = 300_000
const pageSize = 500

/** Resolves once the counts are told. Balances come later, and are told at the next scrape. */
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
        // Without an answer the last balance stands: that no node answers is told by other metrics.
        void readBalance(relayer).catch(() => undefined)
      }
      if (page * pageSize >= total) return
    }
  }
}
