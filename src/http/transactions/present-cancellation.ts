// Presents a cancellation: the intent, and the current verdict.
import { type Static, Type } from 'typebox'
import { cancellationStates, verdictOn } from '../../domain/cancel.ts'
import type { CancellationIntent, Transaction } from '../../domain/transaction.ts'
import { statusReasonOf } from '../../domain/wait.ts'
import { closed, hash, optionalInteger, some, such, time, wei } from '../response/forms.ts'
import { presentTime } from '../response/present-values.ts'

export const cancellationSchema = closed('Verdict', {
  examples: [
    {
      transaction_id: some.transactionId,
      state: 'won',
      final: true,
      safe_to_retry: true,
      origin: 'request',
      requested_at: some.time,
      winner: { hash: some.hash, block_number: 1042, block_hash: some.blockHash },
      witnesses: 2,
      cost: '31500000000000',
    },
  ],
})({
  transaction_id: such(some.transactionId),
  state: Type.Enum([...cancellationStates]),
  final: Type.Boolean({ description: 'This state will not change again' }),
  safe_to_retry: Type.Boolean({ description: 'The original can never execute, so its payload may be sent again' }),
  origin: Type.Enum(['request', 'expiry', 'refusal']),
  requested_at: time(),
  cost_max: Type.Optional(
    wei('Its share of the `max_cost` of a bulk cancellation: no no-op may cost more; absent without a bound'),
  ),
  status_reason: Type.Optional(Type.String()),
  preconfirmed: Type.Optional(
    Type.Literal(true, {
      description: 'Lost by a preconfirmation: the sequencer has ordered the original, and no block shows it yet',
    }),
  ),
  winner: Type.Optional(
    Type.Object({ hash: hash(), block_number: Type.Integer(), block_hash: hash() }, { title: 'Winner' }),
  ),
  witnesses: optionalInteger({
    description: 'How many endpoints showed the winner in its block, once the verdict is final',
  }),
  cost: Type.Optional(
    wei('Wei that the no-op cost in fees; 0 unless it was mined; absent where no node reports its cost'),
  ),
})

type CancellationBody = Static<typeof cancellationSchema>

const { state, final, safe_to_retry, origin, winner } = cancellationSchema.properties

/** What the last event of a canceled transaction says of the cancellation. */
export const outcomeSchema = closed('CancellationOutcome', {
  description: 'In the last event of a canceled transaction: how the cancellation ended',
})({ state, final, safe_to_retry, origin, winner })

export function presentCancellation(transaction: Transaction, intent: CancellationIntent): CancellationBody {
  const { state, final, safeToRetry, preconfirmed, winner, witnesses, cost } = verdictOn(transaction)
  const reason = statusReasonOf(transaction)
  return {
    transaction_id: transaction.id,
    state,
    final,
    safe_to_retry: safeToRetry,
    origin: intent.origin,
    requested_at: presentTime(intent.requestedAt),
    ...(intent.costMax !== undefined && { cost_max: intent.costMax.toString() }),
    ...(reason !== undefined && { status_reason: reason }),
    ...(preconfirmed && { preconfirmed }),
    ...(winner && {
      winner: { hash: winner.hash, block_number: winner.block.number, block_hash: winner.block.hash },
    }),
    ...(witnesses !== undefined && { witnesses }),
    ...(cost !== undefined && { cost: cost.toString() }),
  }
}

export function presentOutcome(transaction: Transaction, intent: CancellationIntent): Static<typeof outcomeSchema> {
  const { state, final, safe_to_retry, origin, winner } = presentCancellation(transaction, intent)
  return { state, final, safe_to_retry, origin, ...(winner && { winner }) }
}
