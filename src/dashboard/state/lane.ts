// The nonce lane as data: the attempts of each row, and the blocks that it shows.
import type { TraceView } from '../../client/dashboard-types.ts'
import { inGwei } from '../../domain/shown-amount.ts'

export interface LaneMark {
  readonly block: number
  readonly kind: 'execute' | 'replace' | 'cancel' | 'foreign'
  /** Wei for each unit of gas, at most. Absent for a foreign transaction. */
  readonly fee?: bigint
  readonly isIncluded: boolean
  /** No pool should have it. */
  readonly isOut: boolean
}

export interface LaneRow {
  readonly trace: TraceView
  readonly nonce: number
  readonly marks: readonly LaneMark[]
  readonly begin: number
  readonly end: number
  readonly isOpen: boolean
}

interface Lane {
  readonly rows: readonly LaneRow[]
  /** Earlier blocks have no place of their own. */
  readonly first: number
  readonly last: number
  readonly hasEarlier: boolean
}

export function laneOf(traces: readonly TraceView[]): Lane {
  const blocks = traces.flatMap((trace) => [
    ...trace.attempts.map((attempt) => attempt.recorded_at_block),
    ...(trace.inclusion ? [trace.inclusion.block_number] : []),
  ])
  const last = Math.max(0, ...blocks)
  const open = traces.filter(({ inclusion }) => !inclusion).flatMap(({ attempts }) => attempts.slice(0, 1))
  const begun = Math.min(last, ...open.map((attempt) => attempt.recorded_at_block))
  // The current race has the room: earlier blocks are cut off at the left.
  const first = Math.max(Math.min(last, ...blocks), Math.min(begun, last) - 12, 0)
  return {
    rows: traces.map((trace) => rowOf(trace, Math.max(last, first + 4))),
    first,
    last: Math.max(last, first + 4) + 1,
    hasEarlier: blocks.some((block) => block < first),
  }
}

function rowOf(trace: TraceView, last: number): LaneRow {
  const { inclusion, attempts } = trace
  const marks = attempts.map(
    (attempt): LaneMark => ({
      block: attempt.recorded_at_block,
      kind: attempt.kind,
      fee: BigInt(attempt.max_fee_per_gas ?? attempt.gas_price ?? 0),
      isIncluded: false,
      isOut:
        attempt.state === 'held' ||
        attempt.state === 'refused' ||
        attempt.state === 'withdrawn' ||
        attempt.always_rejected === true,
    }),
  )
  const winner = marks[attempts.findIndex(({ hash }) => hash === inclusion?.hash)]
  const mined: LaneMark[] = inclusion
    ? [{ block: inclusion.block_number, kind: winner?.kind ?? 'foreign', isIncluded: true, isOut: false }]
    : []
  const begin = Math.min(last, ...[...marks, ...mined].map(({ block }) => block))
  return {
    trace,
    nonce: trace.transaction.nonce ?? 0,
    marks: [...marks, ...mined],
    begin,
    // The wire of an open nonce goes on to the edge.
    end: inclusion?.block_number ?? last + 1,
    isOpen: !inclusion,
  }
}

const kindWords = {
  execute: 'the payload',
  replace: 'a replacement',
  cancel: 'a no-op',
  foreign: 'a foreign transaction',
} as const

/** The lane's row in words, for those who don't see it. */
export function rowInWords({ marks, trace }: LaneRow): string {
  const signed = marks
    .filter(({ isIncluded }) => !isIncluded)
    .map(({ kind, fee, block }) => `${kindWords[kind]} at block ${block} for up to ${inGwei(fee ?? 0n)}`)
  const { inclusion } = trace
  const end = inclusion
    ? `Block ${inclusion.block_number} holds ${inclusion.spender === 'no_op' ? 'a no-op' : inclusion.spender === 'foreign' ? 'a foreign transaction' : 'the payload'}.`
    : 'In no block.'
  return `Signed: ${signed.join('; ') || 'nothing'}. ${end}`
}

/** For a unit of gas: what the block took, else what the latest attempt offers at most. */
export function feeOf({ marks, trace: { inclusion } }: LaneRow): readonly [how: string, wei: bigint] | undefined {
  if (inclusion?.effective_gas_price !== undefined) return ['paid', BigInt(inclusion.effective_gas_price)]
  if (inclusion) return undefined
  const fee = marks.findLast((mark) => mark.fee !== undefined)?.fee
  return fee === undefined ? undefined : ['at most', fee]
}
