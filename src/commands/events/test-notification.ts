// The test of a notification: sends it an event, as the outbox sends all others.
import { allowed, type Requester } from '../../domain/audit.ts'
import type { TestEvent } from '../../domain/event.ts'
import type { ManagementContext } from '../management.ts'

/** Call it for a notification that is configured. */
export async function testNotification(
  { store, clock }: Pick<ManagementContext, 'store' | 'clock'>,
  notificationId: string,
  requester: Requester,
): Promise<TestEvent> {
  const occurredAt = clock.now()
  const id = await store.commit((session) => {
    session.recordAudit(allowed(requester, occurredAt, { subjectId: notificationId }))
    return session.publishTest(notificationId, occurredAt)
  })
  return { id, occurredAt, notificationId }
}
