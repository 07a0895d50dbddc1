// Holds the breaker of a key: it refuses calls while the key service fails, and lets one try through later.
import type { TimestampMs } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { SignerMetrics } from '../../ops/metrics.ts'
import { waitBriefly } from '../../ops/within.ts'
import { KeyServiceError } from '../key-service.ts'
import { admit, type BreakerState, closed, failed, undecided } from './breaker.ts'
import { failureOf } from './key-errors.ts'

export interface KeyGuard {
  /** Runs a call, or throws the KeyServiceError that opened the breaker. `isTrial`: the one try of an open breaker. */
  through<T>(untilMs: number, run: (isTrial: boolean) => Promise<T>): Promise<T>
  /** Throws if the breaker is open by now, except in its trial. */
  recheck(isTrial: boolean): void
  signed(): void
  /** `tookMs`: the time of the call. */
  failed(error: KeyServiceError, tookMs: number): void
  /** The failure at start is enough to open the breaker. */
  startsUnavailable(error: KeyServiceError): void
  isOpen(): boolean
  outage(): { readonly code: string; readonly isPermanent: boolean; readonly retryAt: TimestampMs } | undefined
}

/** For so long after a signature, or after the start, credentials that are refused may be so for a moment. */
const recentMs = 10 * 60_000
/** A caller looks again after so long at most. */
const outageSeenMs = 60_000

export function guardKey(id: string, clock: Clock, log: Logger, metrics: SignerMetrics): KeyGuard {
  let state: BreakerState = closed
  let recentUntilMs = clock.elapsed() + recentMs
  /** Resolves when the trial ends. */
  let trial: Promise<unknown> | undefined
  metrics.available(id, true)

  function note(error: KeyServiceError, tookMs: number): void {
    const isRecent = clock.elapsed() <= recentUntilMs
    const next = failed(state, failureOf(error, isRecent), clock.elapsed(), tookMs)
    if (next.kind === 'open' && state.kind === 'closed') {
      metrics.available(id, false)
      const facts = { signer: id, code: error.code, permanent: next.isPermanent, reason: error.message }
      log.warn(facts, 'the signer does not sign')
    }
    state = next
  }

  function recheck(isTrial: boolean): void {
    if (state.kind !== 'open' || isTrial) return
    const { code, isPermanent } = state
    throw new KeyServiceError('the key service failed before', { kind: isPermanent ? 'permanent' : 'transient', code })
  }

  return {
    recheck,
    async through(untilMs, run) {
      while (state.kind === 'open' && state.isTrying && trial && clock.elapsed() < untilMs) {
        const current = trial
        await waitBriefly(clock, untilMs - clock.elapsed(), () => current)
      }
      const admission = admit(state, clock.elapsed())
      if (!admission.isTrial) {
        recheck(false)
        return run(false)
      }
      state = admission.state
      const trying = run(true)
      trial = trying.catch(() => undefined)
      try {
        return await trying
      } finally {
        state = undecided(state)
      }
    },
    signed() {
      if (state.kind === 'open') {
        metrics.available(id, true)
        log.info({ signer: id }, 'the signer signs again')
      }
      state = closed
      recentUntilMs = clock.elapsed() + recentMs
    },
    failed: note,
    startsUnavailable(error) {
      state = { kind: 'closed', failures: Number.MAX_SAFE_INTEGER }
      note(error, 0)
    },
    isOpen: () => state.kind === 'open',
    outage() {
      if (state.kind === 'closed' || state.isTrying) return undefined
      const { code, isPermanent, untilMs } = state
      const ms = untilMs - clock.elapsed()
      return ms <= 0 ? undefined : { code, isPermanent, retryAt: clock.now() + Math.min(ms, outageSeenMs) }
    },
  }
}
