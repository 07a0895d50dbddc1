// Acknowledges a condition of a relayer (PUT), and withdraws that (DELETE).
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import {
  acknowledgeCondition as acknowledgeConditionCommand,
  withdrawAcknowledgment as withdrawAcknowledgmentCommand,
} from '../../commands/relayers/acknowledge-condition.ts'
import { heldConditions } from '../../domain/condition.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { noteInBody, relayerParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { closed } from '../response/forms.ts'
import { heldSchema, presentHeld } from './get-overview.ts'

const parameters = Type.Object({
  ...relayerParameters.properties,
  condition: Type.Enum([...heldConditions], {
    description: 'a condition of a relayer, such as balance_short',
    examples: ['balance_short'],
  }),
})

const bodySchema = closed('AcknowledgmentRequest', { examples: [{ note: 'topped up tonight' }] })({
  note: Type.Optional(noteInBody),
})

export function acknowledgeCondition(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['RELAYER_NOT_FOUND', 'CONDITION_NOT_FOUND'],
    audited: 'in its commit',
    operationId: 'acknowledgeCondition',
    summary: 'Acknowledge a condition of a relayer',
    description:
      'Shown beside the condition, with the key and the time, until the condition is over. Before its event, it prevents that; metrics and alerts go on. Another one replaces it. An acknowledged `foreign_use` is over: it can not be withdrawn.',
    params: parameters,
    body: bodySchema,
    response: answers(heldSchema),
    async answer(request) {
      const { relayer_id: relayerId, condition } = request.params
      const requester = requesterOf(request)
      const subject = { relayerId, condition }
      return success(presentHeld(await acknowledgeConditionCommand(management, subject, request.body.note, requester)))
    },
  })
}

export function withdrawAcknowledgment(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['RELAYER_NOT_FOUND', 'CONDITION_NOT_FOUND'],
    audited: 'in its commit',
    operationId: 'withdrawAcknowledgment',
    summary: 'Withdraw the acknowledgment of a condition',
    params: parameters,
    response: answers(heldSchema),
    async answer(request) {
      const { relayer_id: relayerId, condition } = request.params
      const requester = requesterOf(request)
      return success(presentHeld(await withdrawAcknowledgmentCommand(management, { relayerId, condition }, requester)))
    },
  })
}
