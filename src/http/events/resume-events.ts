// Where a stream of events begins: after the event that the reader names, or now.
import { RescindError } from '../../domain/errors.ts'
import type { Reads } from '../../store/store.ts'
import { invalid } from '../request/validate.ts'
import { presentEventId } from './present-event.ts'

/** A returning reader sends Last-Event-ID, which takes precedence over `after`, a part of its URL that never changes. */
export async function resumeAt(
  reads: Pick<Reads, 'event' | 'newestEvent' | 'eventsPrunedThrough'>,
  header: string | string[] | undefined,
  after: string | undefined,
): Promise<number> {
  const from = typeof header === 'string' && header !== '' ? header : after
  const newest = await reads.newestEvent()
  if (from === undefined) return newest
  const found = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(from)
  if (!found) throw invalid('Last-Event-ID', from, 'the id of an event; send one as it came, or none')
  const id = Number(found[1])
  const pruned = await reads.eventsPrunedThrough()
  const fix = `read the transactions themselves, then follow from after=${newest}`
  if (id < pruned) throw gone(`the events from ${id + 1} to ${pruned} were pruned; ${fix}`)
  if (id > newest) throw gone(`there is no event ${id} yet: the newest is ${newest}; ${fix}`)
  const event = found[2] === undefined ? undefined : await reads.event(id)
  if (event && presentEventId(event) !== from) throw gone(`event ${id} is another one than ${from}; ${fix}`)
  return id
}

/** A restored older copy repeats ids, so an earlier reader must not believe that it missed no event. */
function gone(message: string): RescindError {
  return new RescindError('EVENTS_GONE', message)
}
