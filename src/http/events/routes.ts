// Mounts the operations on events: the stream and the dead letters.
import type { ManagementContext } from '../../commands/management.ts'
import { type Mounting, mount } from '../request/mount.ts'
import { listDeadLetters } from './list-dead-letters.ts'
import { redeliverAllDeadLetters, redeliverDeadLetter } from './redeliver.ts'
import { type EventStreams, streamEvents } from './stream-events.ts'

export function eventRoutes(at: Mounting, management: ManagementContext, streams: EventStreams): void {
  const letters = '/notifications/:notification_id/dead-letters'
  mount(at, 'GET', '/events', streamEvents(streams))
  mount(at, 'GET', letters, listDeadLetters(management))
  mount(at, 'POST', `${letters}/redeliver`, redeliverAllDeadLetters(management))
  mount(at, 'POST', `${letters}/:event_id/redeliver`, redeliverDeadLetter(management))
}
