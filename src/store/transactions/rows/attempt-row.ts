// Converts attempts to rows and back.
import type { Selectable } from 'kysely'
import { type Attempt, type BroadcastState, bytesOf, type RejectionCode } from '../../../domain/attempt.ts'
import type { Fees } from '../../../domain/fees.ts'
import type { AttemptTable } from '../../schema.ts'
import { storableText } from '../../values.ts'

export type AttemptRow = Selectable<AttemptTable>

export function attemptFromRow(row: AttemptRow): Attempt {
  return {
    hash: row.hash,
    transactionId: row.transaction_id,
    nonce: row.nonce,
    kind: row.kind,
    ...(row.revision > 0 && { revision: row.revision }),
    fees: feesFromRow(row),
    gasLimit: row.gas_limit,
    ...(row.raw !== '' && { raw: row.raw }),
    signature: { r: row.r, s: row.s, v: row.v },
    recordedAt: row.recorded_at,
    recordedAtBlock: row.recorded_at_block,
    broadcast: broadcastFromRow(row),
    ...(row.recovered === 1 && { recovered: true }),
    ...(row.presigned === 1 && { presigned: true }),
  }
}

/** The database assigns `position`. */
export function attemptToRow(attempt: Attempt): Omit<AttemptRow, 'position'> {
  const { fees } = attempt
  return {
    transaction_id: attempt.transactionId,
    nonce: attempt.nonce,
    hash: attempt.hash,
    kind: attempt.kind,
    revision: attempt.revision ?? 0,
    gas_limit: attempt.gasLimit,
    ...feesToRow(fees),
    raw: bytesOf(attempt),
    ...attempt.signature,
    recorded_at: attempt.recordedAt,
    recorded_at_block: attempt.recordedAtBlock,
    ...broadcastToRow(attempt.broadcast),
    recovered: attempt.recovered ? 1 : 0,
    presigned: attempt.presigned ? 1 : 0,
  }
}

export type BroadcastColumns = Pick<
  AttemptRow,
  'state' | 'handed_at' | 'outcome' | 'outcome_code' | 'outcome_message' | 'rejections' | 'taken_at' | 'refused_since'
>

export function broadcastToRow(broadcast: BroadcastState): BroadcastColumns {
  const none = {
    ...{ handed_at: null, outcome: null, outcome_code: null, outcome_message: null, rejections: null },
    ...{ taken_at: null, refused_since: null },
  }
  switch (broadcast.state) {
    case 'sending':
    case 'withdrawn':
      return { state: broadcast.state, ...none }
    case 'held':
      return { state: 'held', ...none, outcome_message: storableText(broadcast.reason) }
    case 'handed': {
      const { outcome } = broadcast
      return {
        state: 'handed',
        handed_at: broadcast.at,
        outcome: outcome.kind,
        outcome_code: 'code' in outcome ? (outcome.code ?? null) : null,
        rejections: broadcast.rejections ?? null,
        outcome_message: storableText('message' in outcome ? outcome.message : undefined),
        taken_at: broadcast.takenAt ?? null,
        refused_since: broadcast.refusedSince ?? null,
      }
    }
  }
}

function broadcastFromRow(row: AttemptRow): BroadcastState {
  const message = row.outcome_message ?? ''
  switch (row.state) {
    case 'sending':
    case 'withdrawn':
      return { state: row.state }
    case 'held':
      return { state: 'held', reason: message }
    case 'handed': {
      const at = row.handed_at ?? row.recorded_at
      const memory = {
        ...(row.rejections !== null && { rejections: row.rejections }),
        ...memoryFromRow(row),
      }
      switch (row.outcome) {
        case 'accepted':
          return {
            ...{ state: 'handed', at },
            outcome: { kind: 'accepted', ...(row.outcome_code === 'ordered' && { code: row.outcome_code }) },
          }
        case 'alreadyKnown':
          return { state: 'handed', at, outcome: { kind: row.outcome } }
        case 'rejected':
          return {
            state: 'handed',
            at,
            // A rejection is never stored without its code.
            outcome: { kind: 'rejected', code: row.outcome_code as RejectionCode, message },
            ...memory,
          }
        case 'unknown':
          return {
            state: 'handed',
            at,
            outcome: {
              kind: 'unknown',
              ...(row.outcome_code === 'unrecognized' && { code: row.outcome_code }),
              message,
            },
            ...memory,
          }
      }
    }
  }
  throw new Error(
    `attempt ${row.hash}: state "${row.state}" with outcome "${row.outcome}" is not one that the service writes`,
  )
}

function memoryFromRow({ taken_at: takenAt, refused_since: since }: AttemptRow) {
  return {
    ...(takenAt !== null && { takenAt }),
    ...(since !== null && { refusedSince: since }),
  }
}

type FeeColumns = Pick<AttemptRow, 'gas_price' | 'max_fee_per_gas' | 'max_priority_fee_per_gas'>

export function feesToRow(fees: Fees): FeeColumns {
  return {
    gas_price: fees.kind === 'legacy' ? String(fees.gasPrice) : null,
    max_fee_per_gas: fees.kind === 'eip1559' ? String(fees.maxFeePerGas) : null,
    max_priority_fee_per_gas: fees.kind === 'eip1559' ? String(fees.maxPriorityFeePerGas) : null,
  }
}

export function feesFromRow(row: FeeColumns & Pick<AttemptRow, 'hash'>): Fees {
  if (row.gas_price !== null) return { kind: 'legacy', gasPrice: BigInt(row.gas_price) }
  if (row.max_fee_per_gas !== null && row.max_priority_fee_per_gas !== null) {
    const [cap, tip] = [BigInt(row.max_fee_per_gas), BigInt(row.max_priority_fee_per_gas)]
    return { kind: 'eip1559', maxFeePerGas: cap, maxPriorityFeePerGas: tip }
  }
  throw new Error(`attempt ${row.hash} has no fees`)
}
