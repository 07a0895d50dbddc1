// Presents a cancellation: the intent, and the current verdict.
import { type Static, Type } from 'typebox'
import { verdictOn } from '../../domain/cancel.ts'
import type { CancellationIntent, Transaction } from '../../domain/transaction.ts'
import { statusReasonOf } from '../../domain/wait.ts'
import { presentTime } from '../response/present-time.ts'

export const cancellationSchema = Type.Object(
  {
    transaction_id: Type.String(),
    state: Type.Enum(['racing', 'dropped', 'won', 'lost', 'external']),
    final: Type.Boolean({ description: 'This state will not change again' }),
    safe_to_retry: Type.Boolean({ description: 'The original can never execute, so its payload may be sent again' }),
    origin: Type.Enum(['request', 'expiry', 'refusal']),
    requested_at: Type.String({ format: 'date-time' }),
    status_reason: Type.Optional(Type.String()),
    winner: Type.Optional(
      Type.Object({ hash: Type.String(), block_number: Type.Integer(), block_hash: Type.String() }),
    ),
    cost: Type.Optional(
      Type.String({
        pattern: '^[0-9]+$',
        description: 'Wei that the no-op cost in fees; 0 unless it was mined; absent where no node reports its cost',
      }),
    ),
  },
  { additionalProperties: false },
)

export type CancellationBody = Static<typeof cancellationSchema>

export function presentCancellation(transaction: Transaction, intent: CancellationIntent): CancellationBody {
  const { state, final, safeToRetry, winner, cost } = verdictOn(transaction)
  const reason = statusReasonOf(transaction)
  return {
    transaction_id: transaction.id,
    state,
    final,
    safe_to_retry: safeToRetry,
    origin: intent.origin,
    requested_at: presentTime(intent.requestedAt),
    ...(reason !== undefined && { status_reason: reason }),
    ...(winner && {
      winner: { hash: winner.hash, block_number: winner.block.number, block_hash: winner.block.hash },
    }),
    ...(cost !== undefined && { cost: cost.toString() }),
  }
}
