// Requeues one dead letter or all of them (POST).
import { Type } from 'typebox'
import { redeliverAll, redeliverOne } from '../../commands/events/redeliver.ts'
import type { ManagementContext } from '../../commands/management.ts'
import { operation } from '../request/operation.ts'
import { deadLetterParameters, deadLettersParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { closed } from '../response/forms.ts'
import { foundDeadLetters } from './list-dead-letters.ts'

const redeliveredSchema = closed('Redelivery', { examples: [{ redelivered: 1 }] })({
  redelivered: Type.Integer({ minimum: 0, description: 'The number of events that are tried again' }),
})

const note = ['they are tried again from now on, for a day; later events of their transactions are not sent again']

export function redeliverAllDeadLetters(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['NOTIFICATION_NOT_FOUND'],
    operationId: 'redeliverDeadLetters',
    summary: 'Try all dead letters of a notification again',
    params: deadLettersParameters,
    response: answers(redeliveredSchema),
    async answer({ params: { notification_id: id } }) {
      await foundDeadLetters(management, id, { page: 1, perPage: 1 })
      return success({ redelivered: await redeliverAll(management, id) }, note)
    },
  })
}

export function redeliverDeadLetter(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['NOTIFICATION_NOT_FOUND', 'DEAD_LETTER_NOT_FOUND'],
    operationId: 'redeliverDeadLetter',
    summary: 'Try a dead letter of a notification again',
    params: deadLetterParameters,
    response: answers(redeliveredSchema),
    async answer({ params: { notification_id: id, event_id: eventId } }) {
      await foundDeadLetters(management, id, { page: 1, perPage: 1 })
      await redeliverOne(management, id, Number(eventId.split('-')[0]))
      return success({ redelivered: 1 }, note)
    },
  })
}
