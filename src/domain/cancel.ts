// Cancellation: what a DELETE does to a transaction, and how the verdict follows from the chain's facts.
import { type Attempt, isNoOp, isSequenced } from './attempt.ts'
import type { Hash } from './ids.ts'
import { refusalOfCancel } from './refusals.ts'
import {
  type BlockRef,
  type CancellationIntent,
  feesPaid,
  isContradictedNow,
  isTerminal,
  neverReachedANode,
  spenderKind,
  type Transaction,
  withoutInclusion,
} from './transaction.ts'
import type { TimestampMs, Wei } from './units.ts'
import { withoutWait } from './wait.ts'

/**
 * Records the intent. If no node ever had the transaction, it ends here; otherwise a race for its nonce starts. A
 * second cancellation changes nothing and returns the same object, unless the bounds of cost differ: a request sets its own bound, and
 * without `costMax` it lifts the earlier one.
 *
 * Throws the refusals of a cancel (refusals.ts): nothing is left to cancel.
 */
export function cancel(
  transaction: Transaction,
  now: TimestampMs,
  origin: CancellationIntent['origin'] = 'request',
  costMax?: Wei,
): Transaction {
  const refusal = refusalOfCancel(transaction)
  if (refusal) throw refusal
  const { cancellation: earlier } = transaction
  if (earlier && earlier.origin !== 'refusal') {
    return origin === 'request' ? rebounded(transaction, earlier, costMax) : transaction
  }

  // Without a nonce it costs nothing.
  const bound = 'nonce' in transaction.lifecycle ? costMax : undefined
  const canceled: Transaction = {
    ...withoutWait(isContradictedNow(transaction) ? withoutInclusion(transaction) : transaction),
    cancellation: { origin, requestedAt: now, ...(bound !== undefined && { costMax: bound }) },
    statusReason: cancelReasons[origin],
  }
  return neverReachedANode(transaction) ? dropCanceled(canceled, now) : canceled
}

/** The transaction with another bound of its cancellation, and without a wait for the earlier one. Signed attempts stay as they are. */
function rebounded(transaction: Transaction, earlier: CancellationIntent, costMax: Wei | undefined): Transaction {
  if (isTerminal(transaction) || earlier.costMax === costMax) return transaction
  const { costMax: _, ...intent } = earlier
  const going = transaction.wait?.condition === 'cost_bound' ? withoutWait(transaction) : transaction
  return { ...going, cancellation: { ...intent, ...(costMax !== undefined && { costMax }) } }
}

/** The end of a canceled transaction that no node ever had: free, and final. */
export function dropCanceled(transaction: Transaction, now: TimestampMs): Transaction {
  const reason = dropReasons[transaction.cancellation?.origin ?? 'request']
  return { ...withoutWait(transaction), lifecycle: { phase: 'dropped', reason, droppedAt: now } }
}

const dropReasons = { request: 'canceled', expiry: 'expired', refusal: 'refused' } as const

export const cancelReasons: Record<CancellationIntent['origin'], string> = {
  request: 'canceled on request',
  expiry: 'valid_until has passed',
  refusal: 'no node takes it as it is',
}

/**
 * - `racing`: our no-op and the original compete for the nonce.
 * - `dropped`: no node has it, and none ever will: it never reached one, or a sequencer rejected every broadcast for certain.
 * - `won`: our no-op took the nonce.
 * - `lost`: the original, or a replacement of it, was mined.
 * - `external`: the nonce went to a transaction that is not ours.
 */
export const cancellationStates = ['racing', 'dropped', 'won', 'lost', 'external'] as const
export type CancellationState = (typeof cancellationStates)[number]

export interface Verdict {
  readonly state: CancellationState
  /** The outcome is final on the chain, with its witnesses (witness.ts), or never on it: this state will not change again. */
  readonly final: boolean
  /** True only when the original can never execute, so its payload may be sent anew. */
  readonly safeToRetry: boolean
  /** Lost by a preconfirmation: the sequencer answered with the receipt of the original, and no block shows it yet. */
  readonly preconfirmed?: true
  readonly winner?: { readonly hash: Hash; readonly block: BlockRef }
  /** How many endpoints showed the winner in its block. Absent before it is final. */
  readonly witnesses?: number
  /** The fees of the no-op; 0 unless it was mined. Absent where no node reported all of them. */
  readonly cost?: Wei
}

const racing: Verdict = { state: 'racing', final: false, safeToRetry: false, cost: 0n }

/** Whether the original is preconfirmed, and no no-op competes with it: then no block has shown the original for long. */
function isPreconfirmed(attempts: readonly Attempt[]): boolean {
  return attempts.some(isSequenced) && !attempts.some(isNoOp)
}

/** The verdict on a canceled transaction. It is read from the lifecycle, so the two can't contradict each other. */
export function verdictOn(transaction: Transaction): Verdict {
  const { lifecycle } = transaction
  switch (lifecycle.phase) {
    case 'dropped':
      return { state: 'dropped', final: true, safeToRetry: true, cost: 0n }
    case 'inFlight':
      return isPreconfirmed(lifecycle.attempts)
        ? { state: 'lost', final: false, safeToRetry: false, preconfirmed: true, cost: 0n }
        : racing
    case 'held':
    case 'queued':
      return racing
    case 'mined':
    case 'final': {
      const { inclusion } = lifecycle
      const final = lifecycle.phase === 'final'
      const witnesses = lifecycle.phase === 'final' ? lifecycle.witnesses : undefined
      const state = ({ payload: 'lost', noOp: 'won', foreign: 'external' } as const)[spenderKind(inclusion)]
      const cost = inclusion.by === 'attempt' && inclusion.kind === 'cancel' ? feesPaid(inclusion) : 0n
      return {
        state,
        final,
        safeToRetry: final && state !== 'lost',
        winner: { hash: inclusion.hash, block: inclusion.block },
        ...(witnesses !== undefined && { witnesses }),
        ...(cost !== undefined && { cost }),
      }
    }
  }
}
