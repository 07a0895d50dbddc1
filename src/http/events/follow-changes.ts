// Follows the position of the newest event, without the events: for a reader that reads its view again after a change.
import type { EventFeed } from '../../commands/events/follow-events.ts'
import type { Clock } from '../../ops/clock.ts'
import { late, within } from '../../ops/within.ts'
import type { Reads } from '../../store/store.ts'
import { changesEveryMs, heartbeatMs } from '../limits.ts'

export interface ChangeSource {
  readonly reads: Pick<Reads, 'newestEvent'>
  readonly feed: EventFeed
  readonly clock: Clock
}

/** Yields a position past `start`, and undefined when a reader should be shown that the stream is alive. It never ends before `ended`. */
export async function* followChanges(
  { reads, feed, clock }: ChangeSource,
  start: number,
  heard: () => Promise<boolean>,
  ended: AbortSignal,
): AsyncGenerator<number | undefined> {
  let position = start
  while (!ended.aborted && (await heard())) {
    const more = await within(clock, heartbeatMs, (over) => feed.eventAfter(position, over), ended)
    if (ended.aborted) return
    if (more === late) {
      yield undefined
      continue
    }
    const newest = await reads.newestEvent()
    if (newest <= position) continue
    position = newest
    yield position
    // A burst of events costs its reader one line, and the service no reading of them.
    await clock.sleep(changesEveryMs, ended)
  }
}
