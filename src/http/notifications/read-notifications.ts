// Reads notifications: one, and the list, those of the configuration file first (GET). Presents a notification by the host of its URL, and whether it has a key.
import { type Static, Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import type { NotificationSettings } from '../../domain/settings.ts'
import { inSight } from '../request/in-sight.ts'
import { operation } from '../request/operation.ts'
import { notificationParameters } from '../request/parameters.ts'
import { pageOf, pageQuery, paginationOf, sliceOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { such } from '../response/forms.ts'
import { found } from '../response/found.ts'
import { presentUrl } from '../response/present-values.ts'

export const notificationSchema = Type.Object(
  {
    id: such('alerts'),
    type: Type.Literal('webhook'),
    url: Type.String({ description: 'with user, path and query masked', examples: ['https://hooks.example/***'] }),
    has_signing_key: Type.Boolean(),
  },
  { title: 'Notification', additionalProperties: false },
)

export function presentNotification({ id, url, signingKey }: NotificationSettings): Static<typeof notificationSchema> {
  return { id, type: 'webhook', url: presentUrl(url), has_signing_key: signingKey !== undefined }
}

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

export function listNotifications({ registry, store }: ManagementContext) {
  return operation({
    scope: 'read',
    schema: {
      operationId: 'listNotifications',
      summary: 'List notifications',
      tags: ['notifications'],
      querystring: pageQuery,
      response: answers(Type.Array(notificationSchema)),
    },
    async answer({ query, principal }) {
      await registry.refresh()
      const seen = await inSight(store.reads, principal, (relayer) => relayer.notificationId)
      const [page, all] = [pageOf(query), registry.notifications().filter(({ id }) => seen(id))]
      return success(sliceOf(page, all).map(presentNotification), [], paginationOf(page, all.length))
    },
  })
}
