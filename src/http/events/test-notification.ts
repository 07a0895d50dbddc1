// Sends a notification a test event (POST).
import { testNotification as testNotificationCommand } from '../../commands/events/test-notification.ts'
import type { ManagementContext } from '../../commands/management.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { notificationParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, some, such } from '../response/forms.ts'
import { found } from '../response/found.ts'
import { presentEventId } from './present-event.ts'

const sentSchema = closed('NotificationTest', { examples: [{ event_id: some.eventId }] })({
  event_id: such(some.eventId, 'The `webhook-id` of the request'),
})

export function testNotification(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['NOTIFICATION_NOT_FOUND'],
    audited: 'in its commit',
    operationId: 'testNotification',
    summary: 'Send a notification a test event',
    description: 'As all events: signed, and tried again for a day. A failure shows in `failing` of the notification.',
    params: notificationParameters,
    response: answers(sentSchema),
    async answer(request) {
      const { registry } = management
      const { notification_id: id } = request.params
      await registry.refresh()
      const isKnown = registry.notifications().some((each) => each.id === id)
      found(isKnown ? id : undefined, 'NOTIFICATION_NOT_FOUND', `Notification with ID ${id} not found`)
      const event = await testNotificationCommand(management, id, requesterOf(request))
      return success({ event_id: presentEventId(event) })
    },
  })
}
