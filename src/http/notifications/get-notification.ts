// Reads one notification (GET).
import type { ManagementContext } from '../../commands/management.ts'
import { inSight } from '../request/in-sight.ts'
import { operation } from '../request/operation.ts'
import { notificationParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { found } from '../response/found.ts'
import { notificationSchema, presentNotification } from './present-notification.ts'

export function getNotification({ registry, store }: ManagementContext) {
  return operation({
    scope: 'read',
    refusals: ['NOTIFICATION_NOT_FOUND'],
    schema: {
      operationId: 'getNotification',
      summary: 'Get a notification',
      tags: ['notifications'],
      params: notificationParameters,
      response: answers(notificationSchema),
    },
    async answer({ params, principal }) {
      await registry.refresh()
      const seen = await inSight(store.reads, principal, (relayer) => relayer.notificationId)
      const notification = registry.notifications().find(({ id }) => id === params.notification_id && seen(id))
      return success(
        presentNotification(
          found(notification, 'NOTIFICATION_NOT_FOUND', `Notification with ID ${params.notification_id} not found`),
        ),
      )
    },
  })
}
