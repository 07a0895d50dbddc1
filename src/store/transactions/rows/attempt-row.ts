// Converts attempts to rows and back.
import type { Selectable } from 'kysely'
import { type Attempt, type BroadcastState, bytesOf } from '../../../domain/attempt.ts'
import type { Fees } from '../../../domain/fees.ts'
import type { AttemptTable, TransactionTable } from '../../schema.ts'
import { fromJson, type Json, storableText, toJson } from '../../values.ts'

export type AttemptRow = Selectable<AttemptTable>
export type NewAttempt = Omit<AttemptRow, 'broadcast'>
type TransactionBroadcasts = Pick<Selectable<TransactionTable>, 'broadcasts'>

/** The attempts of a transaction's nonce. */
export function attemptsFromRows(
  rows: readonly AttemptRow[],
  { broadcasts }: TransactionBroadcasts,
): readonly Attempt[] {
  const states = broadcasts === null ? [] : fromJson(broadcasts)
  return rows.map((row) => attemptFromRow(row, states[row.position]))
}

/** `broadcast`: as the transaction's row has it. */
export function attemptFromRow(row: AttemptRow, broadcast?: BroadcastState): Attempt {
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
    broadcast: broadcast ?? (row.broadcast === null ? { state: 'sending' } : fromJson(row.broadcast)),
    ...(row.recovered === 1 && { recovered: true }),
    ...(row.presigned === 1 && { presigned: true }),
  }
}

export function attemptToRow(attempt: Attempt, position: number): NewAttempt {
  const { fees } = attempt
  return {
    transaction_id: attempt.transactionId,
    nonce: attempt.nonce,
    position,
    hash: attempt.hash,
    kind: attempt.kind,
    revision: attempt.revision ?? 0,
    gas_limit: attempt.gasLimit,
    ...feesToRow(fees),
    raw: bytesOf(attempt),
    ...attempt.signature,
    recorded_at: attempt.recordedAt,
    recorded_at_block: attempt.recordedAtBlock,
    recovered: attempt.recovered ? 1 : 0,
    presigned: attempt.presigned ? 1 : 0,
  }
}

/** Without U+0000, which a node's words may hold. */
export function broadcastToJson<T extends BroadcastState | readonly BroadcastState[]>(broadcast: T): Json<T> {
  const json = toJson(broadcast)
  if (!json.includes('\\u0000')) return json
  return toJson(broadcast, (_, value) => (typeof value === 'string' ? storableText(value) : value))
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
