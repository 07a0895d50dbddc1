// Reads notifications: one, and the list, those of the configuration file first (GET). Presents a notification by the host of its URL, and whether it has a key.
import { type Static, Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import type { FailingQueue } from '../../domain/delivery.ts'
import type { NotificationSettings } from '../../domain/settings.ts'
import { inSight } from '../request/in-sight.ts'
import { operation } from '../request/operation.ts'
import { notificationParameters } from '../request/parameters.ts'
import { pageOf, pageQuery, paginationOf, sliceOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, such, time } from '../response/forms.ts'
import { found } from '../response/found.ts'
import { presentTime, presentUrl } from '../response/present-values.ts'

export const notificationSchema = closed('Notification')({
  id: such('alerts'),
  type: Type.Literal('webhook'),
  url: Type.String({ description: 'with user, path and query masked', examples: ['https://hooks.example/***'] }),
  has_signing_key: Type.Boolean(),
  failing: Type.Optional(
    Type.Object(
      { since: time('Of the first failure since the last delivery'), error: Type.String() },
      { title: 'FailingNotification', description: 'Its last request failed. Absent from the answer to a change' },
    ),
  ),
})

export function presentNotification(
  { id, url, signingKey }: NotificationSettings,
  failing: readonly FailingQueue[] = [],
): Static<typeof notificationSchema> {
  const own = failing.find(({ notificationId }) => notificationId === id)
  return {
    ...{ id, type: 'webhook', url: presentUrl(url), has_signing_key: signingKey !== undefined },
    ...(own && { failing: { since: presentTime(own.since), error: own.error } }),
  }
}

export function getNotification({ registry, store }: ManagementContext) {
  return operation({
    scope: 'read',
    refusals: ['NOTIFICATION_NOT_FOUND'],
    operationId: 'getNotification',
    summary: 'Get a notification',
    params: notificationParameters,
    response: answers(notificationSchema),
    async answer({ params, principal }) {
      await registry.refresh()
      const seen = await inSight(store.reads, principal, (relayer) => relayer.notificationId)
      const notification = registry.notifications().find(({ id }) => id === params.notification_id && seen(id))
      return success(
        presentNotification(
          found(notification, 'NOTIFICATION_NOT_FOUND', `Notification with ID ${params.notification_id} not found`),
          await store.reads.failingQueues(),
        ),
      )
    },
  })
}

export function listNotifications({ registry, store }: ManagementContext) {
  return operation({
    scope: 'read',
    operationId: 'listNotifications',
    summary: 'List notifications',
    querystring: pageQuery,
    response: answers(Type.Array(notificationSchema)),
    async answer({ query, principal }) {
      await registry.refresh()
      const seen = await inSight(store.reads, principal, (relayer) => relayer.notificationId)
      const [page, all] = [pageOf(query), registry.notifications().filter(({ id }) => seen(id))]
      const failing = await store.reads.failingQueues()
      const items = sliceOf(page, all).map((each) => presentNotification(each, failing))
      return success(items, [], paginationOf(page, all.length))
    },
  })
}
