// Presents an attempt without its bytes, which anyone could broadcast.
import { type Static, Type } from 'typebox'
import { type Attempt, invalidReasonOf, wasAlwaysRejected } from '../../domain/attempt.ts'
import { closed, hash, optionalString, time, wei } from '../response/forms.ts'
import { presentTime } from '../response/present-values.ts'
import { presentFees } from './present-transaction.ts'

export const attemptSchema = closed('Attempt')({
  hash: hash(),
  kind: Type.Enum(['execute', 'replace', 'cancel']),
  nonce: Type.Integer({ minimum: 0 }),
  gas_limit: Type.Integer({ minimum: 0 }),
  gas_price: Type.Optional(wei()),
  max_fee_per_gas: Type.Optional(wei()),
  max_priority_fee_per_gas: Type.Optional(wei()),
  state: Type.Enum(['sending', 'handed', 'refused', 'held', 'withdrawn'], {
    description:
      'sending: on its way since it was recorded; handed: a node received it; refused: every node that received it called it invalid; held: no node ever received it; withdrawn: was held, and will never be sent',
  }),
  outcome: Type.Optional(
    Type.Object(
      {
        kind: Type.Enum(['accepted', 'alreadyKnown', 'rejected', 'unknown']),
        code: Type.Optional(Type.String()),
        message: Type.Optional(Type.String()),
        at: time(),
      },
      { title: 'BroadcastOutcome' },
    ),
  ),
  always_rejected: Type.Optional(
    Type.Boolean({
      description: 'true: every broadcast of it ended in a certain rejection, so no pool should hold it',
    }),
  ),
  reason: optionalString({ description: 'Why it is held or was refused' }),
  recorded_at: time(),
  presigned: Type.Optional(
    Type.Literal(true, {
      description: 'A no-op that was signed before the cancellation, and used because the signer did not sign',
    }),
  ),
})

type AttemptBody = Static<typeof attemptSchema>

export function presentAttempt(attempt: Attempt): AttemptBody {
  return {
    hash: attempt.hash,
    kind: attempt.kind,
    nonce: attempt.nonce,
    gas_limit: attempt.gasLimit,
    ...presentFees(attempt.fees),
    state: isInvalid(attempt) ? 'refused' : attempt.broadcast.state,
    ...outcomeOf(attempt),
    ...(wasAlwaysRejected(attempt) && { always_rejected: true }),
    recorded_at: presentTime(attempt.recordedAt),
    ...(attempt.presigned && { presigned: true }),
  }
}

/** Every node that received it refused it each time, and called it invalid the last time. */
function isInvalid(attempt: Attempt): boolean {
  return wasAlwaysRejected(attempt) && invalidReasonOf(attempt) !== undefined
}

function outcomeOf(attempt: Attempt): Pick<AttemptBody, 'outcome' | 'reason'> {
  const { broadcast } = attempt
  if (broadcast.state === 'held') return { reason: broadcast.reason }
  const reason = isInvalid(attempt) ? invalidReasonOf(attempt) : undefined
  if (reason !== undefined) return { reason }
  if (broadcast.state !== 'handed') return {}
  return { outcome: { ...broadcast.outcome, at: presentTime(broadcast.at) } }
}
