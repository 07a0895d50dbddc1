// Gives up the events that a receiver did not take within their day, then prunes old events that no delivery needs: regularly,
// and in bounded portions.

import type { Clock } from '../ops/clock.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import type { WebhookMetrics } from '../ops/metrics.ts'
import type { EventRetention } from '../store/retention-port.ts'
import type { Store } from '../store/store.ts'

const pruneEveryMs = 60_000
/** A pause between portions, so that requests come through. */
const breathMs = 20
/**
 * The time after a start in which no event is given up: its day may have ended while the service was down, and its receiver may
 * be well.
 */
const givesUpAfterMs = 600_000

interface Pruning {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Pick<WebhookMetrics, 'givenUp'>
  readonly retention: EventRetention
}

/** Disposing lets the portion under way finish. */
export function pruneEvents(pruning: Pruning): AsyncDisposable {
  const { store, clock, logger, retention } = pruning
  const startedAt = clock.elapsed()

  async function round(signal: AbortSignal): Promise<void> {
    if (clock.elapsed() - startedAt >= givesUpAfterMs) await giveUpRound(pruning, signal)
    let pruned = 0
    for (let portion = 1; portion > 0 && !signal.aborted; pruned += portion) {
      portion = await store.commit((session) => session.pruneEvents(retention, clock.now()))
      if (portion > 0) await clock.sleep(breathMs, signal)
    }
    if (pruned > 0) logger.info({ pruned }, 'old events are pruned')
  }

  const lines = { began: 'events could not be pruned; trying again', over: 'events can be pruned again' }
  return inRounds({ clock, logger, everyMs: pruneEveryMs, lines, round })
}

/** The queues take turns, a portion each, so that a long one delays no other. */
async function giveUpRound(pruning: Pruning, signal: AbortSignal): Promise<void> {
  const { store, clock, logger, metrics, retention } = pruning
  const sums = new Map<string, { givenUp: number; dropped: number }>()
  let queues = await store.reads.overdueQueues(retention, clock.now())
  while (queues.length > 0 && !signal.aborted) {
    let changes = 0
    for (const notification of queues) {
      const portion = await store.commit((session) => session.giveUpOverdue(notification, retention, clock.now()))
      const sum = sums.get(notification) ?? { givenUp: 0, dropped: 0 }
      sum.givenUp += portion.givenUp
      sum.dropped += portion.dropped
      sums.set(notification, sum)
      metrics.givenUp(notification, portion)
      changes += portion.givenUp + portion.dropped
      await clock.sleep(breathMs, signal)
      if (signal.aborted) break
    }
    // Another replica may have been faster.
    queues = changes > 0 ? await store.reads.overdueQueues(retention, clock.now()) : []
  }
  for (const [notification, { givenUp, dropped }] of sums) {
    const facts = { notification, given_up: givenUp, dropped }
    if (givenUp > 0) logger.warn(facts, 'events of a receiver were given up: it did not take them within a day')
    else if (dropped > 0) logger.warn(facts, 'the oldest dead letters of a receiver were deleted: it had too many')
  }
}
