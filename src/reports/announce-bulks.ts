// By each replica that advances relayers: announces the progress and the end of bulk cancellations, from what their rows say. So an end
// that a crash cut off is announced by the next process. The lock of the object decides which replica announces it.
import type { BulkId } from '../domain/ids.ts'
import type { Clock } from '../ops/clock.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import type { Store } from '../store/store.ts'

/** Objects that one look reads. With more of them open, the looks take turns. */
const lookedAtOnce = 500

interface Announcing {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

export function announceBulks({ store, clock, logger }: Announcing): AsyncDisposable {
  let after: BulkId | undefined

  async function round(signal: AbortSignal): Promise<void> {
    const { changed, last } = await store.reads.bulksToAnnounce(after, lookedAtOnce)
    after = last
    for (const id of changed) {
      if (signal.aborted) return
      await store.commit((session) => session.announceBulk(id, clock.now()))
    }
  }

  const lines = {
    began: 'the events of bulk cancellations could not be written; trying again',
    over: 'the events of bulk cancellations can be written again',
  }
  return inRounds({ clock, logger, everyMs: 1_000, lines, round })
}
