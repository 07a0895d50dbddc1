// What a reader of events sees: all of them with plain ids, or with a key that is bound to relayers, their events alone, and
// nothing that depends on others.
import type { EventSubject, StoredEvent } from '../../domain/event.ts'
import type { Reads } from '../../store/store.ts'
import { eventsSearchedAtOnce } from '../limits.ts'
import { type Principal, permits } from '../request/authenticate.ts'
import { presentEventId } from './present-event.ts'
import type { IdSeal } from './seal-ids.ts'

export interface EventsInView {
  /** Whether the key is for some relayers only. */
  readonly isBound: boolean
  sees(subject: EventSubject): boolean
  idOf(event: Pick<StoredEvent, 'id' | 'occurredAt'>): string
  idOfPosition(position: number): string
  /** The position that a reader has reached, and whether it saw an event on the way. */
  advance(position: number): Promise<{ readonly position: number; readonly hasEvents: boolean }>
}

export function eventsInView(
  reads: Pick<Reads, 'searchEvents' | 'newestEvent'>,
  seal: IdSeal,
  principal: Principal | undefined,
): EventsInView {
  const sees = ({ relayerId }: EventSubject) => principal !== undefined && permits(principal, 'read', relayerId)
  if (principal && !principal.relayers) {
    return {
      isBound: false,
      sees,
      idOf: presentEventId,
      idOfPosition: String,
      async advance(position) {
        const newest = await reads.newestEvent()
        return { position: Math.max(position, newest), hasEvents: newest > position }
      },
    }
  }
  return {
    isBound: true,
    sees,
    idOf: seal.event,
    idOfPosition: seal.position,
    async advance(from) {
      let position = from
      for (;;) {
        // One of them is enough for the reader to look again at all.
        const { events, through } = await reads.searchEvents(position, { rows: eventsSearchedAtOnce, limit: 1 }, sees)
        if (events.length > 0) return { position: await reads.newestEvent(), hasEvents: true }
        if (through <= position) return { position, hasEvents: false }
        position = through
      }
    },
  }
}
