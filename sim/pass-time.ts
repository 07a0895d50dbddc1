// Lets time pass in a run: one event, or all events until a time.
import { dropUnseen } from './restore.ts'
import type { World } from './world.ts'

export async function until(world: World, timeMs: number): Promise<void> {
  const { timeline, history } = world
  while ((timeline.nextAt() ?? Number.POSITIVE_INFINITY) <= timeMs && !history.failure()) await oneEvent(world)
  timeline.pass(timeMs)
}

export async function oneEvent(world: World): Promise<void> {
  await world.timeline.next()
  dropUnseen(world)
  world.look()
}
