// Waits for events: one poll of the outbox serves every waiting reader.
import type { Clock } from '../../ops/clock.ts'
import type { Reads } from '../../store/store.ts'

export interface EventFeed {
  /** Resolves once there may be an event after `id`, or as soon as `signal` aborts; never rejects. */
  eventAfter(id: number, signal: AbortSignal): Promise<void>
}

const lookEveryMs = 100

interface Waiter {
  readonly after: number
  wake(): void
}

/** Costs nothing while no reader waits. */
export function followEvents({ reads, clock }: { reads: Pick<Reads, 'newestEvent'>; clock: Clock }): EventFeed {
  const waiting = new Set<Waiter>()
  let looking = false

  async function look(): Promise<void> {
    if (looking) return
    looking = true
    while (waiting.size > 0) {
      // If the read fails, every reader wakes: its own read fails too, and reports why.
      const newest = await reads.newestEvent().catch(() => Number.POSITIVE_INFINITY)
      for (const waiter of waiting) if (newest > waiter.after) waiter.wake()
      if (waiting.size > 0) await clock.sleep(lookEveryMs)
    }
    looking = false
  }

  return {
    eventAfter(after, signal) {
      return new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const waiter: Waiter = {
          after,
          wake() {
            waiting.delete(waiter)
            signal.removeEventListener('abort', waiter.wake)
            resolve()
          },
        }
        waiting.add(waiter)
        signal.addEventListener('abort', waiter.wake)
        void look()
      })
    },
  }
}
