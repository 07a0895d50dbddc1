// GET of one notification.
import type { ManagementContext } from '../commands/management.ts'
import { answers, success } from './envelope.ts'
import { found } from './found.ts'
import { operation } from './operation.ts'
import { notificationParameters } from './parameters.ts'
import { notificationSchema, presentNotification } from './present-notification.ts'

export function getNotification({ estate }: ManagementContext) {
  return operation({
    scope: 'read',
    schema: {
      operationId: 'getNotification',
      summary: 'Get a notification',
      tags: ['notifications'],
      params: notificationParameters,
      response: answers(notificationSchema, 400, 404),
    },
    async answer({ params }) {
      await estate.refresh()
      const notification = estate.notifications().find(({ id }) => id === params.notification_id)
      return success(
        presentNotification(
          found(notification, 'NOTIFICATION_NOT_FOUND', `Notification with ID ${params.notification_id} not found`),
        ),
      )
    },
  })
}
