// Method and path of what tells about the service itself: open to everybody, and not rate limited.
import type { Clock } from '../../ops/clock.ts'
import { type Mounting, mount } from '../request/mount.ts'
import { health } from './health.ts'
import { type Readiness, ready } from './ready.ts'

export function serviceRoutes(at: Mounting, about: { version: string; readiness: Readiness; clock: Clock }): void {
  mount(at, 'GET', '/health', health())
  mount(at, 'GET', '/ready', ready(about))
}
