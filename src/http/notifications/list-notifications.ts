// Lists the notifications, those of the configuration file first (GET).
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { inSight } from '../request/in-sight.ts'
import { operation } from '../request/operation.ts'
import { pageOf, pageQuery, paginationOf, sliceOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { notificationSchema, presentNotification } from './present-notification.ts'

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
