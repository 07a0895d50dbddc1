// The test of a notification: an event of no relayer, which takes the way of all events to the notification alone.
import type { RelayerId } from '../../domain/ids.ts'
import type { TimestampMs } from '../../domain/units.ts'
import { insertion } from '../insert-rows.ts'
import { type Executor, first } from '../statement.ts'
import { openQueue } from './delivery-queues.ts'

const publish = insertion(
  'outbox',
  ['relayer_id', 'transaction_id', 'kind', 'status', 'terminal', 'occurred_at', 'notification_id'],
  ['id'],
)

/** Returns the id of the event. */
export async function publishTest(executor: Executor, notificationId: string, now: TimestampMs): Promise<number> {
  // No relayer may have named it yet.
  await openQueue(executor, notificationId)
  const published = await first(executor, publish, {
    ...{ relayer_id: '' as RelayerId, transaction_id: `notification ${notificationId}`, kind: 'notification_test' },
    ...{ status: 'pending', terminal: 1, occurred_at: now, notification_id: notificationId },
  })
  if (!published) throw new Error('the event was not stored')
  return published.id
}
