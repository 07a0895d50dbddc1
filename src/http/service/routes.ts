// Mounts the operations on the service itself: open to everyone, without rate limits.
import type { Clock } from '../../ops/clock.ts'
import { type Mounting, mount } from '../request/mount.ts'
import { health } from './health.ts'
import { type Readiness, ready } from './ready.ts'

export function serviceRoutes(at: Mounting, about: { version: string; readiness: Readiness; clock: Clock }): void {
  mount(at, 'GET', '/health', health())
  mount(at, 'GET', '/ready', ready(about))
}
