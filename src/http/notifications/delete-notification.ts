// Deletes a notification (DELETE).
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { deleteNotification as deleteNotificationCommand } from '../../commands/notifications/delete-notification.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { notificationParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'

export function deleteNotification(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['NOTIFICATION_NOT_FOUND', 'CONFIGURED_BY_FILE', 'NOTIFICATION_IN_USE'],
    audited: 'in its commit',
    operationId: 'deleteNotification',
    summary: 'Delete a notification',
    description: 'Refused while a relayer names it.',
    params: notificationParameters,
    response: answers(Type.String()),
    async answer(request) {
      const { notification_id: id } = request.params
      await deleteNotificationCommand(management, id, requesterOf(request))
      return success(`notification "${id}" is deleted`)
    },
  })
}
