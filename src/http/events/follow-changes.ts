// Follows the position of the newest event that a reader sees, without the events: for a reader that reads its view again
// after a change.
import type { EventFeed } from '../../commands/events/follow-events.ts'
import type { Clock } from '../../ops/clock.ts'
import { within } from '../../ops/within.ts'
import { changesEveryMs, heartbeatMs } from '../limits.ts'
import type { EventsInView } from './view-events.ts'

export interface ChangeSource {
  readonly feed: EventFeed
  readonly clock: Clock
}

/** Yields a position past `start`, and undefined when a reader should be shown that the stream is alive. It never ends before `ended`. */
export async function* followChanges(
  { feed, clock }: ChangeSource,
  { advance }: Pick<EventsInView, 'advance'>,
  start: number,
  heard: () => Promise<boolean>,
  ended: AbortSignal,
): AsyncGenerator<number | undefined> {
  let position = start
  let aliveAt = clock.elapsed() + heartbeatMs
  while (!ended.aborted && (await heard())) {
    await within(clock, Math.max(0, aliveAt - clock.elapsed()), (over) => feed.eventAfter(position, over), ended)
    if (ended.aborted) return
    const next = await advance(position)
    position = next.position
    if (next.hasEvents) yield position
    // Its time depends on the reader's own lines, never on events that the reader does not see.
    else if (clock.elapsed() >= aliveAt) yield undefined
    else continue
    aliveAt = clock.elapsed() + heartbeatMs
    // A burst of events costs its reader one line, and the service no reading of them.
    if (next.hasEvents) await clock.sleep(changesEveryMs, ended)
  }
}
