// Having dead letters tried again: one, or all that there are.
import { RescindError } from '../../domain/errors.ts'
import type { CommandContext } from '../context.ts'

/** In one unit: it holds the store up no longer than some requests do. */
const redeliveredAtOnce = 500

/** Puts it back among what waits. Throws DEAD_LETTER_NOT_FOUND. */
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

/** Puts all of them back that are there now. Answers how many. */
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
