// Lists a notification's dead letters, oldest first (GET).
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import type { DeadLetter } from '../../domain/delivery.ts'
import type { Page, PageItem, PageRequest } from '../../store/list-port.ts'
import { operation } from '../request/operation.ts'
import { deadLettersParameters } from '../request/parameters.ts'
import { pageOf, pageQuery, paginationOf } from '../request/parse-page.ts'
import { answers } from '../response/envelope.ts'
import { closed, such, time } from '../response/forms.ts'
import { found } from '../response/found.ts'
import { presentTime } from '../response/present-values.ts'
import { sendList } from '../response/sliced-list.ts'
import { eventSchema, presentEvent } from './present-event.ts'

const deadLetterSchema = closed('DeadLetter')({
  event: eventSchema,
  tries: Type.Integer({ minimum: 0 }),
  first_tried_at: Type.Optional(time('Absent if the day of the event was over before its first try')),
  gave_up_at: time(),
  last_error: such('the receiver answered 503'),
})

export function listDeadLetters(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['NOTIFICATION_NOT_FOUND'],
    operationId: 'listDeadLetters',
    summary: 'List the dead letters of a notification',
    params: deadLettersParameters,
    querystring: pageQuery,
    response: answers(Type.Array(deadLetterSchema)),
    async answer({ params, query }, reply) {
      const page = pageOf(query)
      const { items, total } = await foundDeadLetters(management, params.notification_id, page)
      return sendList(reply, items, presentDeadLetter, paginationOf(page, total))
    },
  })
}

/** Throws NOTIFICATION_NOT_FOUND for a notification that is not configured and never had a queue. */
export async function foundDeadLetters(
  { store, registry }: ManagementContext,
  id: string,
  page: PageRequest,
): Promise<Page<PageItem<DeadLetter>>> {
  const isConfigured = registry.notifications().some((notification) => notification.id === id)
  const letters = (await store.reads.deadLetterItems(id, page)) ?? (isConfigured ? { items: [], total: 0 } : undefined)
  return found(letters, 'NOTIFICATION_NOT_FOUND', `Notification with ID ${id} not found`)
}

function presentDeadLetter({ event, tries, firstTriedAt, gaveUpAt, lastError }: DeadLetter) {
  return {
    event: presentEvent(event),
    tries,
    ...(firstTriedAt !== undefined && { first_tried_at: presentTime(firstTriedAt) }),
    gave_up_at: presentTime(gaveUpAt),
    last_error: lastError,
  }
}
