// Converts transactions to rows and back. Each phase's facts have columns of their own; only this file maps columns
// to phases.
import type { Selectable } from 'kysely'
import type { Attempt } from '../../../domain/attempt.ts'
import { verdictOn } from '../../../domain/cancel.ts'
import type { Hold } from '../../../domain/hold.ts'
import { isNonEmpty } from '../../../domain/ids.ts'
import { cutRevertText } from '../../../domain/stored-text.ts'
import { type Inclusion, isTerminal, type Lifecycle, statusOf, type Transaction } from '../../../domain/transaction.ts'
import type { Reason, Wait } from '../../../domain/wait-facts.ts'
import type { TransactionTable } from '../../schema.ts'
import { amountsFrom, amountsToText, fromJson, type Json, storableText, toJson } from '../../values.ts'
import { type AttemptRow, attemptsFromRows, broadcastToJson } from './attempt-row.ts'
import { earlierFromRow, earlierToRow, payloadFromRow, payloadToRow } from './payload-row.ts'
import type { progressColumns } from './transaction-columns.ts'

export type TransactionRow = Selectable<TransactionTable>
/** The columns that a step may change; replace.ts writes payloads, and all other columns never change. */
export type ProgressColumns = Pick<TransactionRow, keyof typeof progressColumns>

export function transactionToRow(transaction: Transaction): TransactionRow {
  // The longest part first: a spread behind other members takes three times as long.
  return {
    ...progressToRow(transaction),
    ...payloadToRow(transaction.payload),
    id: transaction.id,
    relayer_id: transaction.relayerId,
    sequence: transaction.sequence,
    version: transaction.version,
    created_at: transaction.createdAt,
    created_by: transaction.createdBy ?? null,
    origin: transaction.origin,
    earlier: earlierToRow(transaction.earlier),
    valid_until: transaction.validUntil ?? null,
  }
}

export function progressToRow(transaction: Transaction): ProgressColumns {
  const { lifecycle, cancellation } = transaction
  const inclusion = 'inclusion' in lifecycle ? lifecycle.inclusion : undefined
  const receipt = inclusion && inclusion.by !== 'external' ? inclusion : undefined
  const wait = waitToRow(transaction.wait)
  const { hold, held_until } = holdToRow(lifecycle)
  const status = statusOf(transaction)
  const open = !isTerminal(transaction)
  const confirmed_at = ('inclusion' in lifecycle ? lifecycle.confirmedAt : undefined) ?? null
  // No spread: with one a row takes three times as long, and each change of a transaction makes one.
  return {
    phase: lifecycle.phase,
    open: open ? 1 : 0,
    status: lifecycle.phase === 'held' ? 'held' : status,
    listed_status: open && confirmed_at === null ? null : status,
    status_reason: storableText(transaction.statusReason),
    wait_condition: wait.wait_condition,
    wait_facts: wait.wait_facts,
    wait_since: wait.wait_since,
    nonce: 'nonce' in lifecycle ? lifecycle.nonce : null,
    broadcasts: 'attempts' in lifecycle ? broadcastToJson(lifecycle.attempts.map(({ broadcast }) => broadcast)) : null,
    sent_at: transaction.sentAt ?? null,
    canceled_at: cancellation?.requestedAt ?? null,
    cancel_origin: cancellation?.origin ?? null,
    cancel_cost_max: cancellation?.costMax?.toString() ?? null,
    verdict: cancellation ? verdictOn(transaction).state : null,
    ended_at:
      lifecycle.phase === 'final' ? lifecycle.finalAt : lifecycle.phase === 'dropped' ? lifecycle.droppedAt : null,
    confirmed_at,
    drop_reason: lifecycle.phase === 'dropped' ? lifecycle.reason : null,
    included_kind: inclusion ? (inclusion.by === 'attempt' ? inclusion.kind : inclusion.by) : null,
    included_hash: inclusion?.hash ?? null,
    included_block: inclusion?.block.number ?? null,
    included_block_hash: inclusion?.block.hash ?? null,
    included_succeeded: receipt?.succeeded === undefined ? null : receipt.succeeded ? 1 : 0,
    included_contradicted: lifecycle.phase === 'mined' && lifecycle.isContradicted ? 1 : null,
    revert_reason: storableText(receipt?.revertReason),
    gas_used: receipt?.gasUsed ?? null,
    effective_gas_price: receipt?.effectiveGasPrice?.toString() ?? null,
    l1_fee: receipt?.l1Fee?.toString() ?? null,
    witnesses: lifecycle.phase === 'final' ? lifecycle.witnesses : null,
    suspected_hash: transaction.suspectedNoOp?.hash ?? null,
    suspected_nonce: transaction.suspectedNoOp?.nonce ?? null,
    give_ups: transaction.giveUps ?? null,
    hold,
    held_until,
    bulk_part: transaction.bulkPart ?? null,
    four_eyes: transaction.fourEyes ? toJson(transaction.fourEyes) : null,
    was_held: transaction.wasHeld ? 1 : null,
    was_passed: transaction.wasPassed ? 1 : null,
  }
}

/** `attempts` are the attempts of the row's nonce, in order. */
export function transactionFromRow(row: TransactionRow, attempts: readonly AttemptRow[]): Transaction {
  const wait = waitFromRow(row)
  return {
    id: row.id,
    relayerId: row.relayer_id,
    sequence: row.sequence,
    createdAt: row.created_at,
    ...(row.created_by !== null && { createdBy: row.created_by }),
    payload: payloadFromRow(row),
    ...(row.earlier !== null && { earlier: earlierFromRow(row.earlier) }),
    origin: row.origin,
    ...(row.valid_until !== null && { validUntil: row.valid_until }),
    lifecycle: lifecycleFromRow(row, attemptsFromRows(attempts, row)),
    ...(row.canceled_at !== null && {
      cancellation: {
        origin: required(row, 'cancel_origin'),
        requestedAt: row.canceled_at,
        ...(row.cancel_cost_max !== null && { costMax: BigInt(row.cancel_cost_max) }),
      },
    }),
    ...(row.status_reason !== null && { statusReason: row.status_reason }),
    ...(wait && { wait }),
    ...(row.suspected_hash !== null && {
      suspectedNoOp: { hash: row.suspected_hash, nonce: required(row, 'suspected_nonce') },
    }),
    ...(row.four_eyes !== null && { fourEyes: fromJson(row.four_eyes) }),
    ...(row.was_held === 1 && { wasHeld: true }),
    ...(row.was_passed === 1 && { wasPassed: true }),
    ...(row.sent_at !== null && { sentAt: row.sent_at }),
    ...(row.bulk_part !== null && { bulkPart: row.bulk_part }),
    ...(row.give_ups !== null && { giveUps: row.give_ups }),
    version: row.version,
  }
}

function lifecycleFromRow(row: TransactionRow, attempts: readonly Attempt[]): Lifecycle {
  if (row.phase === 'queued') return { phase: 'queued' }
  if (row.phase === 'held') return { phase: 'held', hold: fromJson(required(row, 'hold')) }
  if (row.phase === 'dropped') {
    return {
      phase: 'dropped',
      reason: required(row, 'drop_reason'),
      droppedAt: required(row, 'ended_at'),
    }
  }
  if (!isNonEmpty(attempts)) throw new Error(`transaction ${row.id} is ${row.phase} without an attempt`)
  const bound = { nonce: required(row, 'nonce'), attempts }
  if (row.phase === 'inFlight') return { phase: 'inFlight', ...bound }
  const confirmed = row.confirmed_at === null ? {} : { confirmedAt: row.confirmed_at }
  const included = { ...bound, inclusion: inclusionFromRow(row), ...confirmed }
  if (row.phase === 'mined') {
    return { phase: 'mined', ...included, ...(row.included_contradicted === 1 && { isContradicted: true }) }
  }
  if (row.phase === 'final') {
    return { phase: 'final', ...included, finalAt: required(row, 'ended_at'), witnesses: required(row, 'witnesses') }
  }
  throw new Error(`transaction ${row.id}: phase "${row.phase}" is not one that the service writes`)
}

function inclusionFromRow(row: TransactionRow): Inclusion {
  const hash = required(row, 'included_hash')
  const block = { number: required(row, 'included_block'), hash: required(row, 'included_block_hash') }
  const kind = required(row, 'included_kind')
  if (kind === 'external') return { by: 'external', hash, block }
  return {
    ...(kind === 'unrecorded' ? { by: kind } : { by: 'attempt', kind }),
    hash,
    block,
    ...(row.included_succeeded !== null && { succeeded: row.included_succeeded === 1 }),
    ...(row.gas_used !== null && { gasUsed: row.gas_used }),
    ...(row.effective_gas_price !== null && { effectiveGasPrice: BigInt(row.effective_gas_price) }),
    ...(row.l1_fee !== null && { l1Fee: BigInt(row.l1_fee) }),
    ...(row.revert_reason !== null && { revertReason: cutRevertText(row.revert_reason) }),
  }
}

function required<K extends keyof TransactionRow>(row: TransactionRow, column: K): NonNullable<TransactionRow[K]> {
  const value = row[column]
  if (value === null || value === undefined) throw new Error(`transaction ${row.id} is ${row.phase} without ${column}`)
  return value
}

interface HoldColumns {
  readonly hold: Json<Hold> | null
  readonly held_until: number | null
}

/** A hold that time never ends is in the index of holds too, last: a step sees there whether any is left. */
const never = Number.MAX_SAFE_INTEGER

function holdToRow(lifecycle: Lifecycle): HoldColumns {
  if (lifecycle.phase !== 'held') return { hold: null, held_until: null }
  return { hold: toJson(lifecycle.hold), held_until: lifecycle.hold.until ?? never }
}

// Converts waits to columns and back. The facts are JSON, in which an amount of wei is {"wei":"…"}.
export const waitColumns = ['wait_condition', 'wait_facts', 'wait_since'] as const

export type WaitRow = Pick<Selectable<TransactionTable>, (typeof waitColumns)[number]>

export function waitToRow(wait: Wait | undefined): WaitRow {
  return {
    wait_condition: wait?.condition ?? null,
    wait_facts: wait ? amountsToText({ condition: wait.condition, facts: wait.facts }) : null,
    wait_since: wait?.since ?? null,
  }
}

export function waitFromRow({ wait_facts: reason, wait_since: since }: WaitRow): Wait | undefined {
  return reason === null || since === null ? undefined : { ...amountsFrom<Reason>(reason), since }
}
