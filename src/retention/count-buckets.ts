// Counts the transactions that earlier versions wrote and counted in no bucket, one bucket at a time (docs/architecture.md,
// "Storage").
import type { RelayerId } from '../domain/ids.ts'
import type { Clock } from '../ops/clock.ts'
import type { Logger } from '../ops/logger.ts'
import type { Store } from '../store/store.ts'
import { hourlyMs, inRounds, withBreath } from './in-rounds.ts'

export interface CountBuckets {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** Whether this process counts for the relayer. */
  readonly isOurs: (relayer: RelayerId) => boolean
  readonly everyMs?: number
}

/** A crash leaves the relayer uncounted: the next round begins again. */
export function countBuckets({ store, clock, logger, isOurs, everyMs = hourlyMs }: CountBuckets): AsyncDisposable {
  async function round(signal: AbortSignal): Promise<void> {
    for (const uncounted of await store.reads.uncountedRelayers()) {
      const { relayerId, buckets } = uncounted
      if (!isOurs(relayerId)) continue
      for (let bucket = 0; bucket < buckets; bucket += 1) {
        if (signal.aborted) return
        await withBreath(clock, signal, () => store.commit((session) => session.countBucket(relayerId, bucket)))
      }
      const isCounted = await store.commit((session) => session.completeBuckets(uncounted))
      if (isCounted) logger.info({ relayer_id: relayerId, buckets }, 'the transactions of a relayer are counted')
    }
  }

  const lines = {
    began: 'transactions could not be counted; trying again',
    over: 'transactions can be counted again',
  }
  return inRounds({ clock, logger, everyMs, lines, round })
}
