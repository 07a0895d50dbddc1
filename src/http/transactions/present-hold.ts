// Presents the hold of a transaction: until when, by which rule, by whom and why.
import { type Static, Type } from 'typebox'
import { shownDuration } from '../../domain/duration.ts'
import { type HoldRequest, holdRules } from '../../domain/hold.ts'
import type { InPhase } from '../../domain/transaction.ts'
import { statusReasonOf } from '../../domain/wait.ts'
import { some, such, time } from '../response/forms.ts'
import { presentTime } from '../response/present-time.ts'

export const holdSchema = Type.Object(
  {
    transaction_id: such(some.transactionId),
    rule: Type.Enum([...holdRules], {
      description: 'What decides its end: a member of the send, or a policy of the relayer',
    }),
    since: time('When it began. A replacement begins it anew'),
    until: Type.Optional(time('When it ends by itself; absent: only a release ends it')),
    by: Type.Optional(such(some.apiKeyId, 'The API key that set the payload')),
    requested: Type.Optional(
      Type.Object(
        {
          hold: Type.Optional(Type.Literal(true)),
          hold_for: Type.Optional(such('10m')),
          not_before: Type.Optional(time()),
        },
        { title: 'RequestedHold', additionalProperties: false, description: "The client's own part of it" },
      ),
    ),
    reason: Type.Optional(Type.String({ description: 'Why it waits, in words' })),
  },
  {
    title: 'Hold',
    additionalProperties: false,
    examples: [
      {
        transaction_id: some.transactionId,
        rule: 'min_hold',
        since: some.time,
        until: some.time,
        by: some.apiKeyId,
        reason: `on hold until ${some.time} (min_hold): wait, release it now, or cancel it for free`,
      },
    ],
  },
)

export type HoldBody = Static<typeof holdSchema>

export function presentHold(transaction: InPhase<'held'>): HoldBody {
  const { rule, since, until, by, request } = transaction.lifecycle.hold
  const reason = statusReasonOf(transaction)
  return {
    transaction_id: transaction.id,
    rule,
    since: presentTime(since),
    ...(until !== undefined && { until: presentTime(until) }),
    ...(by !== undefined && { by }),
    ...(request && { requested: presentRequest(request) }),
    ...(reason !== undefined && { reason }),
  }
}

function presentRequest(request: HoldRequest): NonNullable<HoldBody['requested']> {
  switch (request.kind) {
    case 'release':
      return { hold: true }
    case 'for':
      return { hold_for: shownDuration(request.ms) }
    case 'notBefore':
      return { not_before: presentTime(request.at) }
  }
}
