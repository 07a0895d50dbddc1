// The quota of a key service as a state machine: a token bucket and a limit on concurrent calls. Throttling halves the
// rate, and time without throttling raises it again. A share is kept for cancellations, and half for all but signatures in
// advance.
import type { SigningPriority } from '../signer.ts'

export interface QuotaLimits {
  readonly perSecond: number
  readonly concurrency: number
}

export interface QuotaState {
  /** Signatures a second, now. */
  readonly rate: number
  readonly tokens: number
  /** When the tokens were counted, on a clock that never goes back. */
  readonly atMs: number
  readonly running: number
  /** When the rate was last lowered. */
  readonly loweredAtMs: number
  /** The service wants no call before this time. */
  readonly quietUntilMs: number
}

export const priorities: readonly SigningPriority[] = ['cancel', 'replace', 'payload', 'statement', 'presign']

/** Calls that were under way together are throttled together: they count once. */
const lowerEveryMs = 1_000
/** The whole rate comes back in so many seconds, in equal steps. */
const recoveryS = 20
const quietMaxMs = 30_000

export function fullQuota({ perSecond }: QuotaLimits, atMs: number): QuotaState {
  const rate = perSecond
  return { rate, tokens: burst(perSecond), atMs, running: 0, loweredAtMs: atMs - lowerEveryMs, quietUntilMs: atMs }
}

/** A quarter of a second's calls at once, and two at least. */
function burst(perSecond: number): number {
  return Math.max(2, perSecond / 4)
}

/** Tokens that only a cancellation may take. */
function reserve(perSecond: number): number {
  return Math.max(1, burst(perSecond) / 5)
}

export function refilled(state: QuotaState, { perSecond }: QuotaLimits, nowMs: number): QuotaState {
  const seconds = Math.max(0, nowMs - state.atMs) / 1_000
  const rate = Math.min(perSecond, state.rate + (seconds * perSecond) / recoveryS)
  return { ...state, rate, tokens: Math.min(burst(perSecond), state.tokens + seconds * state.rate), atMs: nowMs }
}

/** The state after a call began; undefined if the call has to wait. `state` is refilled as of now. */
export function begun(state: QuotaState, limits: QuotaLimits, priority: SigningPriority): QuotaState | undefined {
  if (
    state.running >= slotsFor(limits, priority) ||
    state.atMs < state.quietUntilMs ||
    state.tokens < tokensNeeded(limits, priority)
  ) {
    return undefined
  }
  return { ...state, tokens: state.tokens - 1, running: state.running + 1 }
}

function slotsFor({ concurrency }: QuotaLimits, priority: SigningPriority): number {
  if (priority === 'cancel') return concurrency
  return Math.max(1, priority === 'presign' ? Math.floor(concurrency / 2) : concurrency - Math.ceil(concurrency / 5))
}

/** Pre-signing leaves half of the burst to the other signatures. */
function tokensNeeded({ perSecond }: QuotaLimits, priority: SigningPriority): number {
  if (priority === 'cancel') return 1
  return 1 + (priority === 'presign' ? burst(perSecond) / 2 : reserve(perSecond))
}

export function ended(state: QuotaState): QuotaState {
  return { ...state, running: state.running - 1 }
}

export function throttled(
  state: QuotaState,
  { perSecond }: QuotaLimits,
  nowMs: number,
  retryAfterMs: number = 0,
): QuotaState {
  const quietUntilMs = Math.max(state.quietUntilMs, nowMs + Math.min(retryAfterMs, quietMaxMs))
  if (nowMs - state.loweredAtMs < lowerEveryMs) return { ...state, quietUntilMs }
  return { ...state, rate: Math.max(perSecond / 50, state.rate / 2), tokens: 0, loweredAtMs: nowMs, quietUntilMs }
}

/** When a call may begin, if none ends before. Infinity: only the end of another lets it begin. */
export function waitMs(state: QuotaState, limits: QuotaLimits, priority: SigningPriority): number {
  const missing = tokensNeeded(limits, priority) - state.tokens
  const forTokens = missing <= 0 ? 0 : (missing / state.rate) * 1_000
  const wait = Math.max(forTokens, state.quietUntilMs - state.atMs)
  return wait > 0 ? Math.ceil(wait) : Number.POSITIVE_INFINITY
}
