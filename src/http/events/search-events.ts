// Searches a long outbox for the events of a stream whose filter matches few of them. The streams of a process take turns, a
// bounded page each, so that such filters cost other requests little, however long the outbox and however many the streams are.
import type { EventSubject } from '../../domain/event.ts'
import type { Clock } from '../../ops/clock.ts'
import type { SparseWindow } from '../../store/list-port.ts'
import type { Reads } from '../../store/store.ts'
import { eventsAtOnce, eventsSearchBreathMs, eventsSearchedAtOnce } from '../limits.ts'

/** Reads a page after `position`, when the turn of this stream comes. */
export type Search = (
  position: number,
  wanted: (subject: EventSubject) => boolean,
  ended: AbortSignal,
) => Promise<SparseWindow>

export interface SearchSource {
  readonly reads: Pick<Reads, 'searchEvents'>
  readonly clock: Pick<Clock, 'sleep'>
}

export function openSearch({ reads, clock }: SearchSource): Search {
  const bounds = { rows: eventsSearchedAtOnce, limit: eventsAtOnce }
  let turns: Promise<unknown> = Promise.resolve()
  return (position, wanted, ended) => {
    const turn = turns.then(async (): Promise<SparseWindow> => {
      if (ended.aborted) return { events: [], through: position, mayBeFar: false }
      return reads.searchEvents(position, bounds, wanted)
    })
    // A short page costs less than a pause would.
    turns = turn.then(
      ({ mayBeFar }) => (mayBeFar ? clock.sleep(eventsSearchBreathMs) : undefined),
      () => undefined,
    )
    return turn
  }
}
