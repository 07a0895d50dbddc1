// Creates a notification (POST).
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { createNotification as createNotificationCommand } from '../../commands/notifications/create-notification.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { newId } from '../request/parameters.ts'
import { parseUrl } from '../request/parse-endpoints.ts'
import { answers, success } from '../response/envelope.ts'
import { closed } from '../response/forms.ts'
import { notificationTypeInBody, parseSigningKey, signingKeyInBody, urlInBody } from './parse-notification.ts'
import { notificationSchema, presentNotification } from './read-notifications.ts'

const bodySchema = closed('NotificationRequest', {
  examples: [{ id: 'hook', type: 'webhook', url: 'https://hooks.example/rescind' }],
})({ id: newId, type: notificationTypeInBody, url: urlInBody, signing_key: Type.Optional(signingKeyInBody) })

export function createNotification(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['STORAGE_KEY_MISSING', 'ALREADY_EXISTS'],
    audited: 'in its commit',
    operationId: 'createNotification',
    summary: 'Create a notification',
    description: 'URL and signing key are encrypted before they are stored (AES-256-GCM, `STORAGE_ENCRYPTION_KEY`).',
    body: bodySchema,
    response: answers(notificationSchema),
    async answer(request) {
      const { id, url, signing_key: key } = request.body
      const notification = await createNotificationCommand(
        management,
        {
          ...(id !== undefined && { id }),
          type: 'webhook',
          url: parseUrl('url', url),
          ...(key !== undefined && { signingKey: parseSigningKey(key) }),
        },
        requesterOf(request),
      )
      return success(presentNotification(notification))
    },
  })
}
