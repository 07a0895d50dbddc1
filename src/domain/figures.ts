// The figures that are kept of a relayer's transactions, for each five minutes. They follow from the rows: a change of a
// transaction adds the figures of its new state and takes away those of its old one.
import { confirmedAtOf, feesPaid, type Inclusion, spenderKind, statusOf, type Transaction } from './transaction.ts'
import type { TimestampMs, Wei } from './units.ts'

export const periodMs = 300_000
export const figuresKeptMs = 8 * 86_400_000

/** The time to confirmation is counted by the lowest of these bounds that it does not exceed. */
export const delayBoundsSeconds = [1, 2, 5, 15, 30, 60, 120, 300, 900, 3600] as const

export const delayFigures = [
  ...(['delay_1', 'delay_2', 'delay_5', 'delay_15', 'delay_30', 'delay_60'] as const),
  ...(['delay_120', 'delay_300', 'delay_900', 'delay_3600', 'delay_longer'] as const),
] as const

/**
 * - `sent`: transactions by the time of their last signing with a new nonce.
 * - `confirmed`, `failed`: by their confirmation; those that failed without one by their end.
 * - `canceled`, `expired`: by the time of the cancellation, while it has not lost.
 * - `delay_ms`: the sum of the times from the request to the confirmation.
 * - `spent`: nonces that the account spent and paid for, with those of no-ops and gap fillers; `gas`, and the fees as
 *   `gwei` * 1e9 + `wei`, are theirs. `unpriced`: those of them whose gas or fees no node reported.
 */
export const figureNames = [
  ...(['sent', 'confirmed', 'failed', 'canceled', 'expired', 'delay_ms'] as const),
  ...delayFigures,
  ...(['spent', 'no_ops', 'unpriced', 'gas', 'gwei', 'wei'] as const),
] as const

export type Figure = (typeof figureNames)[number]
export type Figures = Readonly<Record<Figure, number>>

/** An absent figure does not change. `times`: -1 where they are taken away. */
export interface FigureChange {
  /** The beginning of the five minutes. */
  readonly at: TimestampMs
  readonly figures: Readonly<Partial<Record<Figure, number>>>
  readonly times?: 1 | -1
}

/** The figures of the relayers of one network over a step, which is as long as one or more periods. */
export interface FigureSums {
  readonly at: TimestampMs
  /** Absent for relayers that were deleted. */
  readonly network?: string
  readonly figures: Figures
}

/** Counts of the calls to a network's nodes. */
export interface CallCount {
  readonly at: TimestampMs
  readonly calls: number
  /** Calls without a value: the node answered with an error, or not at all. */
  readonly failed: number
}

/** The range of sums: from `from`, before `to`, in steps that begin at multiples of `stepMs`. */
export interface FigureRange {
  readonly from: TimestampMs
  readonly to: TimestampMs
  readonly stepMs: number
}

export function periodOf(at: TimestampMs): TimestampMs {
  return at - (at % periodMs)
}

/** Sums of two integers are exact in both databases; amounts of wei fit no integer column. */
const weiPerGwei = 1_000_000_000n
/** The highest fees that count. More is an error of a node: sums would leave the range of exact integers. */
const gweiMax = 2n ** 43n
const gasMax = 2 ** 40

export function feesOf({ gwei, wei }: Pick<Figures, 'gwei' | 'wei'>): Wei {
  return BigInt(gwei) * weiPerGwei + BigInt(wei)
}

/** What a change of a transaction at `now` adds and takes away, which is the same for most figures. */
export function figureChanges(before: Transaction, after: Transaction, now: TimestampMs): readonly FigureChange[] {
  const taken = figuresOf(before).map((change) => ({ ...change, times: -1 as const }))
  // The nonce is spent for good although the row forgets it: the payload waits for another one.
  const kept = before.lifecycle.phase === 'mined' && after.lifecycle.phase === 'queued' ? before.lifecycle : undefined
  const spending = kept ? spendingOf({ inclusion: kept.inclusion, at: kept.confirmedAt ?? now }) : []
  return [...figuresOf(after), ...taken, ...spending]
}

interface SpentNonce {
  readonly inclusion: Inclusion
  readonly at: TimestampMs
}

/** The figures of a transaction as it is. */
export function figuresOf(transaction: Transaction): readonly FigureChange[] {
  const spent = spentNonceOf(transaction)
  const ofNonce = spent ? spendingOf(spent) : []
  // The service's own no-ops are no transactions of a client: only their gas counts.
  if (transaction.origin === 'gap') return ofNonce
  const { sentAt } = transaction
  const sending = sentAt === undefined ? [] : [{ at: periodOf(sentAt), figures: { sent: 1 } }]
  return [...sending, ...endingOf(transaction), ...ofNonce]
}

function endingOf(transaction: Transaction): readonly FigureChange[] {
  const status = statusOf(transaction)
  if (status === 'canceled' || status === 'expired') {
    const at = transaction.cancellation?.requestedAt
    return at === undefined ? [] : [{ at: periodOf(at), figures: { [status]: 1 } }]
  }
  if (status !== 'confirmed' && status !== 'failed') return []
  const confirmedAt = confirmedAtOf(transaction)
  if (confirmedAt !== undefined) {
    const delayMs = Math.max(0, confirmedAt - transaction.createdAt)
    return [{ at: periodOf(confirmedAt), figures: { [status]: 1, delay_ms: delayMs, [delayFigureOf(delayMs)]: 1 } }]
  }
  const at = failedAtOf(transaction)
  return at === undefined ? [] : [{ at: periodOf(at), figures: { [status]: 1 } }]
}

/** The time at which a transaction failed whose payload no block executed. */
function failedAtOf({ lifecycle }: Transaction): TimestampMs | undefined {
  if (lifecycle.phase === 'dropped') return lifecycle.droppedAt
  if (lifecycle.phase === 'final') return lifecycle.confirmedAt ?? lifecycle.finalAt
  return lifecycle.phase === 'mined' ? lifecycle.confirmedAt : undefined
}

function delayFigureOf(delayMs: number): Figure {
  const index = delayBoundsSeconds.findIndex((bound) => delayMs <= bound * 1_000)
  return delayFigures[index] ?? 'delay_longer'
}

function spentNonceOf({ lifecycle }: Transaction): SpentNonce | undefined {
  if (!('inclusion' in lifecycle)) return undefined
  const at = lifecycle.confirmedAt ?? (lifecycle.phase === 'final' ? lifecycle.finalAt : undefined)
  return at === undefined ? undefined : { inclusion: lifecycle.inclusion, at }
}

function spendingOf({ inclusion, at }: SpentNonce): readonly FigureChange[] {
  if (inclusion.by === 'external') return []
  const { gasUsed } = inclusion
  const fees = feesPaid(inclusion)
  const isPriced = gasUsed !== undefined && gasUsed <= gasMax && fees !== undefined && fees / weiPerGwei <= gweiMax
  const amounts = isPriced
    ? { gas: gasUsed, gwei: Number(fees / weiPerGwei), wei: Number(fees % weiPerGwei) }
    : { unpriced: 1 }
  const noOps = spenderKind(inclusion) === 'noOp' ? { no_ops: 1 } : {}
  return [{ at: periodOf(at), figures: { spent: 1, ...noOps, ...amounts } }]
}

/** Adds to the sum of a period. */
export function addFigures(
  sum: Partial<Record<Figure, number>>,
  { figures, times = 1 }: Pick<FigureChange, 'figures' | 'times'>,
): void {
  for (const name of figureNames) {
    const change = figures[name]
    if (change !== undefined) sum[name] = (sum[name] ?? 0) + change * times
  }
}
