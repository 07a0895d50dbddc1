// The circuit breaker of a key, as a state machine. A permanent error opens it at once, transient ones after a few in a
// row. Later one try shows whether the key signs again.
import { pinCodes } from '../failure-table.ts'

export type BreakerState =
  | { readonly kind: 'closed'; readonly failures: number }
  | {
      readonly kind: 'open'
      readonly code: string
      readonly isPermanent: boolean
      /** When a try is admitted; infinite for a PIN that must not be tried again. */
      readonly untilMs: number
      /** How often it opened without a success since. */
      readonly times: number
      /** A try is under way. */
      readonly isTrying: boolean
    }

export interface BreakerFailure {
  readonly code: string
  readonly isPermanent: boolean
  /** With the pauses of a transient failure. */
  readonly isTriedSoon: boolean
}

export const closed: BreakerState = { kind: 'closed', failures: 0 }

const failuresMax = 5
const transientMs = 1_000
const permanentMs = 15_000
/** One try in so long costs a service nothing, and cancellations resume soon after its recovery. */
const transientLongestMs = 2_000
/** A try that hangs has used up its pause: it may have begun just before the recovery. */
const leastMs = 500
const permanentLongestMs = 60_000

/** `isTrial`: the call is the one try of an open breaker. Otherwise only a closed one admits it. */
export function admit(state: BreakerState, nowMs: number): { readonly isTrial: boolean; readonly state: BreakerState } {
  const isTrial = state.kind === 'open' && !state.isTrying && nowMs >= state.untilMs
  return { isTrial, state: isTrial ? { ...state, isTrying: true } : state }
}

/** `tookMs`: the time of the call. A pause before a try that comes soon begins with it. */
export function failed(
  state: BreakerState,
  { code, isPermanent, isTriedSoon }: BreakerFailure,
  nowMs: number,
  tookMs = 0,
): BreakerState {
  const failures = state.kind === 'closed' ? state.failures + 1 : failuresMax
  if (!isPermanent && failures < failuresMax) return { kind: 'closed', failures }
  const times = state.kind === 'open' ? state.times + 1 : 1
  const [firstMs, longestMs] = isTriedSoon ? [transientMs, transientLongestMs] : [permanentMs, permanentLongestMs]
  const fullMs = Math.min(longestMs, firstMs * 2 ** Math.min(times - 1, 10))
  const restMs = isTriedSoon ? Math.max(leastMs, fullMs - tookMs) : fullMs
  const pauseMs = pinCodes.includes(code) ? Number.POSITIVE_INFINITY : restMs
  // Calls that began before it opened prolong nothing.
  if (state.kind === 'open' && !state.isTrying && state.untilMs > nowMs) {
    return isPermanent && !state.isPermanent ? { ...state, code, isPermanent, untilMs: nowMs + pauseMs } : state
  }
  return { kind: 'open', code, isPermanent, untilMs: nowMs + pauseMs, times, isTrying: false }
}

/** The trial ended without a result, such as by throttling or by its deadline: the next call tries. */
export function undecided(state: BreakerState): BreakerState {
  return state.kind === 'open' ? { ...state, isTrying: false } : state
}
