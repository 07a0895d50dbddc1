// Counts the transactions that earlier versions wrote and counted in no bucket, one bucket at a time (docs/architecture.md,
// "Storage").
import type { RelayerId } from '../domain/ids.ts'
import type { Clock } from '../ops/clock.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import type { UncountedRelayer } from '../store/retention-port.ts'
import type { Store } from '../store/store.ts'
import { hourlyMs, withBreath } from './with-breath.ts'

interface CountBuckets {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** Whether this process counts for the relayer. */
  readonly isOurs: (relayer: RelayerId) => boolean
  readonly everyMs?: number
}

/** A crash leaves the relayer uncounted: the next round begins again. */
export function countBuckets({ store, clock, logger, isOurs, everyMs = hourlyMs }: CountBuckets): AsyncDisposable {
  async function count(uncounted: UncountedRelayer, signal: AbortSignal): Promise<void> {
    const { relayerId, buckets } = uncounted
    for (let bucket = 0; bucket < buckets; bucket += 1) {
      if (signal.aborted) return
      await withBreath(clock, signal, () => store.commit((session) => session.countBucket(relayerId, bucket)))
    }
    const isCounted = await store.commit((session) => session.completeBuckets(uncounted))
    if (isCounted) logger.info({ relayer_id: relayerId, buckets }, 'the transactions of a relayer are counted')
  }

  async function round(signal: AbortSignal): Promise<void> {
    const failures: unknown[] = []
    for (const uncounted of await store.reads.uncountedRelayers()) {
      if (!isOurs(uncounted.relayerId)) continue
      // A relayer that is locked for long must not keep the others from being counted.
      await count(uncounted, signal).catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }

  const lines = {
    began: 'transactions could not be counted; trying again',
    over: 'transactions can be counted again',
  }
  return inRounds({ clock, logger, everyMs, lines, round })
}
