// Queues the calls to key services by priority, then in their order. Each quota domain of the process has one queue.
import type { Clock } from '../../ops/clock.ts'
import { KeyServiceError } from '../key-service.ts'
import type { SigningPriority } from '../signer.ts'
import { begun, ended, fullQuota, priorities, type QuotaLimits, refilled, throttled, waitMs } from './quota.ts'

export interface QuotaQueue {
  readonly limits: QuotaLimits
  /** Signatures a second, now. */
  rate(): number
  /**
   * Runs a call as soon as the quota lets it. Rejects as the call does, and before it begins if `untilMs` of the clock's
   * `elapsed` has passed.
   */
  run<T>(priority: SigningPriority, untilMs: number, call: () => Promise<T>): Promise<T>
}

/** One queue for each quota domain. */
export type QuotaQueues = (domain: string, limits: QuotaLimits) => QuotaQueue

interface Waiter {
  readonly untilMs: number
  begin(): void
  giveUp(): void
}

export function openQuotaQueues(clock: Clock): QuotaQueues {
  const queues = new Map<string, QuotaQueue>()
  return (domain, limits) => {
    const known = queues.get(domain) ?? openQuotaQueue(clock, limits)
    queues.set(domain, known)
    return known
  }
}

export function openQuotaQueue(clock: Clock, limits: QuotaLimits): QuotaQueue {
  let state = fullQuota(limits, clock.elapsed())
  const waiting: Readonly<Record<SigningPriority, Waiter[]>> = {
    ...{ cancel: [], replace: [], payload: [], statement: [], presign: [] },
  }
  let sleeping: AbortController | undefined

  function refill(): number {
    const nowMs = clock.elapsed()
    state = refilled(state, limits, nowMs)
    return nowMs
  }

  /** Begins the calls that may begin, and sleeps until the next may. */
  function pump(): void {
    sleeping?.abort()
    sleeping = undefined
    const nowMs = refill()
    let nextMs = Number.POSITIVE_INFINITY
    for (const priority of priorities) {
      const queue = waiting[priority]
      while (queue[0] && queue[0].untilMs <= nowMs) queue.shift()?.giveUp()
      while (queue[0]) {
        const after = begun(state, limits, priority)
        if (!after) {
          nextMs = Math.min(nextMs, waitMs(state, limits, priority), queue[0].untilMs - nowMs)
          break
        }
        state = after
        queue.shift()?.begin()
      }
    }
    if (Number.isFinite(nextMs)) sleep(nextMs)
  }

  function sleep(ms: number): void {
    const own = new AbortController()
    sleeping = own
    void clock.sleep(ms, own.signal).then(() => {
      if (!own.signal.aborted) pump()
    })
  }

  async function perform<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      if (error instanceof KeyServiceError && error.kind === 'throttled') {
        state = throttled(state, limits, refill(), error.retryAfterMs)
      }
      throw error
    } finally {
      state = ended(state)
      pump()
    }
  }

  return {
    limits,
    rate() {
      refill()
      return state.rate
    },
    run: (priority, untilMs, call) =>
      new Promise((resolve, reject) => {
        waiting[priority].push({
          untilMs,
          begin: () => void perform(call).then(resolve, reject),
          giveUp: () =>
            reject(new KeyServiceError('its turn did not come in time', { kind: 'throttled', code: 'QuotaExceeded' })),
        })
        pump()
      }),
  }
}
