// Method and path of the stream of events.
import { type EventStreams, streamEvents } from '../stream-events.ts'
import { type Mounting, mount } from './mount.ts'

export function eventRoutes(at: Mounting, streams: EventStreams): void {
  mount(at, 'GET', '/events', streamEvents(streams))
}
