// Permits a relayer more gap fillers than the limit of an hour, once an operator has compared nonces (POST).
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { permitGapFillers as permitGapFillersCommand } from '../../commands/relayers/permit-gap-fillers.ts'
import { permitMsDefault, permitMsMax, permittedFillsMax } from '../../domain/gap-record.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, optionalInteger } from '../response/forms.ts'
import { presentTime } from '../response/present-values.ts'

const bodySchema = closed('GapFillerPermitRequest', { examples: [{ count: 300, valid_for_seconds: 3_600 }] })({
  count: Type.Integer({
    minimum: 1,
    maximum: permittedFillsMax,
    description: `a whole number from 1 to ${permittedFillsMax}`,
  }),
  valid_for_seconds: optionalInteger({
    minimum: 1,
    maximum: permitMsMax / 1_000,
    description: `a whole number of seconds from 1 to ${permitMsMax / 1_000}`,
  }),
})

const permitSchema = closed('GapFillerPermit', {
  examples: [{ count: 300, granted_at: '2026-01-02T03:04:05.678Z', valid_until: '2026-01-02T04:04:05.678Z' }],
})({
  count: Type.Integer({ minimum: 1 }),
  granted_at: Type.String({ format: 'date-time' }),
  valid_until: Type.String({ format: 'date-time' }),
})

export function permitGapFillers(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['RELAYER_NOT_FOUND'],
    audited: 'in its commit',
    operationId: 'permitGapFillers',
    summary: 'Permit more gap fillers',
    description:
      'For a relayer with the condition `gap_fillers_limited`. Permits it to fill `count` nonces that its record never assigned, beyond the limit of an hour, within `valid_for_seconds` (default 3,600). Each of them costs a no-op. Another permit replaces it.',
    params: relayerParameters,
    body: bodySchema,
    response: answers(permitSchema),
    async answer(request) {
      const { params, body } = request
      const forMs = body.valid_for_seconds === undefined ? permitMsDefault : body.valid_for_seconds * 1_000
      const permit = await permitGapFillersCommand(
        management,
        params.relayer_id,
        { fills: body.count, forMs },
        requesterOf(request),
      )
      return success({
        count: permit.fills,
        granted_at: presentTime(permit.grantedAt),
        valid_until: presentTime(permit.expiresAt),
      })
    },
  })
}
