// Updates a notification by a JSON Merge Patch, RFC 7396 (PATCH).
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { updateNotification as updateNotificationCommand } from '../../commands/notifications/update-notification.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { notificationParameters } from '../request/parameters.ts'
import { parseUrl } from '../request/parse-endpoints.ts'
import { answers, success } from '../response/envelope.ts'
import { closed } from '../response/forms.ts'
import { notificationTypeInBody, parseSigningKey, signingKeyInBody, urlInBody } from './parse-notification.ts'
import { notificationSchema, presentNotification } from './read-notifications.ts'

const bodySchema = closed('NotificationPatch', { examples: [{ url: 'https://hooks.example/another' }] })({
  type: notificationTypeInBody,
  url: Type.Optional(urlInBody),
  signing_key: Type.Optional(
    Type.Union([signingKeyInBody, Type.Null()], { description: 'a key, or null for none', writeOnly: true }),
  ),
})

export function updateNotification(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['NOTIFICATION_NOT_FOUND', 'STORAGE_KEY_MISSING', 'CONFIGURED_BY_FILE'],
    audited: 'in its commit',
    operationId: 'updateNotification',
    summary: 'Change a notification',
    description:
      'A JSON Merge Patch: absent members stay. A `signing_key` of null removes the key; an empty one is refused.',
    params: notificationParameters,
    body: bodySchema,
    response: answers(notificationSchema),
    async answer(request) {
      const { url, signing_key: key } = request.body
      const notification = await updateNotificationCommand(
        management,
        request.params.notification_id,
        {
          ...(url !== undefined && { url: parseUrl('url', url) }),
          ...(key !== undefined && { signingKey: key === null ? null : parseSigningKey(key) }),
        },
        requesterOf(request),
      )
      return success(presentNotification(notification))
    },
  })
}
