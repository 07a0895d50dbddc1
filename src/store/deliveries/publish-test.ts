// The test of a notification: an event of no relayer, which takes the way of all events to the notification alone.
import type { EventSubjectId } from '../../domain/event.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { type Executor, first, statement } from '../statement.ts'
import { openQueue } from './delivery-queues.ts'

const publish = statement<{ subject: EventSubjectId; notificationId: string; now: number }, { id: number }>((db, p) =>
  db
    .insertInto('outbox')
    .values({
      ...{ relayer_id: '' as RelayerId, transaction_id: p.subject, kind: 'notification_test', status: 'pending' },
      ...{ terminal: 1, occurred_at: p.now, notification_id: p.notificationId },
    })
    .returning('id'),
)

/** Returns the id of the event. */
export async function publishTest(executor: Executor, notificationId: string, now: TimestampMs): Promise<number> {
  // No relayer may have named it yet.
  await openQueue(executor, notificationId)
  const subject = `notification ${notificationId}` as const
  const published = await first(executor, publish, { subject, notificationId, now })
  if (!published) throw new Error('the event was not stored')
  return published.id
}
