// Where a stream of events begins: after the event that the reader names, or now.
import { RescindError } from '../../domain/errors.ts'
import { type StoredEvent, subjectsOf } from '../../domain/event.ts'
import type { Reads } from '../../store/store.ts'
import { invalid } from '../request/validate.ts'
import { presentEventId } from './present-event.ts'
import type { EventPlace, IdSeal } from './seal-ids.ts'
import type { EventsInView } from './view-events.ts'

type Outbox = Pick<Reads, 'event' | 'newestEvent' | 'newestGivenEvent' | 'eventsPrunedThrough' | 'isLostEvent'>

/** A returning reader sends Last-Event-ID, which takes precedence over `after`, a part of its URL that never changes. */
export async function resumeAt(
  reads: Outbox,
  seal: IdSeal,
  view: EventsInView,
  header: string | string[] | undefined,
  after: string | undefined,
): Promise<number> {
  const from = typeof header === 'string' && header !== '' ? header : after
  const newest = await reads.newestEvent()
  if (from === undefined) return newest
  const place = seal.open(from) ?? plainPlace(from)
  if (!place) throw invalid('Last-Event-ID', from, 'the id of an event; send one as it came, or none')
  // Where a reader comes from another replica, that one may have been ahead.
  const isGiven = place.id <= newest || place.id <= (await reads.newestGivenEvent())
  const pruned = await reads.eventsPrunedThrough()
  const event = place.occurredAt === undefined && !view.isBound ? undefined : await reads.event(place.id)
  const fault = view.isBound
    ? faultForBound(place, event, pruned, isGiven, view)
    : faultOf(from, place, event, pruned, { newest, isGiven })
  if (fault === undefined && (await reads.isLostEvent(place.id))) {
    throw new RescindError('EVENTS_GONE', view.isBound ? unknown : lost(place.id, newest))
  }
  if (fault !== undefined) throw new RescindError('EVENTS_GONE', fault)
  return place.id
}

function plainPlace(text: string): EventPlace | undefined {
  const [, id, time] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(text) ?? []
  if (id === undefined) return undefined
  return { id: Number(id), ...(time !== undefined && { occurredAt: Number(time) }), isSealed: false }
}

/** A restored older copy repeats ids, so an earlier reader must not believe that it missed no event. */
function faultOf(
  from: string,
  { id, occurredAt }: EventPlace,
  event: StoredEvent | undefined,
  pruned: number,
  { newest, isGiven }: { readonly newest: number; readonly isGiven: boolean },
): string | undefined {
  const fix = `read the transactions themselves, then follow from after=${newest}`
  if (id < pruned) return `the events from ${id + 1} to ${pruned} were pruned; ${fix}`
  if (!isGiven) return `there is no event ${id} yet: the newest is ${newest}; ${fix}`
  const isOther = event && occurredAt !== undefined && presentEventId(event) !== presentEventId({ id, occurredAt })
  return isOther ? `event ${id} is another one than ${from}; ${fix}` : undefined
}

const lost = (id: number, newest: number) =>
  `a failover of the database lost event ${id}; read the transactions themselves, then follow from after=${newest}`

const unknown =
  'there is no such event of the relayers of this key, or later ones were pruned; follow without an id, then read the transactions themselves'

/**
 * A bound key names events that it has seen, or the beginning. All else is refused alike: whether a number is an event of
 * others, and which is the newest, would show what they do.
 */
function faultForBound(
  { id, occurredAt, isSealed }: EventPlace,
  event: StoredEvent | undefined,
  pruned: number,
  isGiven: boolean,
  { sees }: EventsInView,
): string | undefined {
  if (id < pruned || !isGiven) return unknown
  if (isSealed && occurredAt === undefined) return undefined
  if (!isSealed && id === 0) return undefined
  if (!event) return isSealed && id === pruned ? undefined : unknown
  const isSame = occurredAt === undefined || occurredAt === event.occurredAt
  return isSame && subjectsOf(event).some(sees) ? undefined : unknown
}
