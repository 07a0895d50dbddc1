// Queues dead letters for another try: one of them, or all.
import { RescindError } from '../../domain/errors.ts'
import type { CommandContext } from '../context.ts'

/** Limits a unit, so that it delays the store no longer than some requests do. */
const redeliveredAtOnce = 500

/** Returns the dead letter to the queue. Throws DEAD_LETTER_NOT_FOUND. */
export async function redeliverOne(
  { store, clock }: Pick<CommandContext, 'store' | 'clock'>,
  notificationId: string,
  eventId: number,
): Promise<void> {
  const only = { from: eventId, to: eventId }
  const count = await store.commit((session) => session.redeliver(notificationId, only, 1, clock.now()))
  if (count === 0)
    throw new RescindError('DEAD_LETTER_NOT_FOUND', `event ${eventId} is no dead letter of this notification`)
}

/** Returns all present dead letters to the queue. Returns their number. */
export async function redeliverAll(
  { store, clock }: Pick<CommandContext, 'store' | 'clock'>,
  notificationId: string,
): Promise<number> {
  const all = { from: 0, to: await store.reads.newestEvent() }
  let redelivered = 0
  for (let count = redeliveredAtOnce; count === redeliveredAtOnce; redelivered += count) {
    count = await store.commit((session) => session.redeliver(notificationId, all, redeliveredAtOnce, clock.now()))
  }
  return redelivered
}
