// The delivery of an event to a notification: what may come of a try, and when the next one is due.
import type { TransactionEvent } from './event.ts'
import type { TransactionId } from './ids.ts'
import type { TimestampMs } from './units.ts'

/** A delivery that is to be tried now. */
export interface Due {
  readonly eventId: number
  readonly transactionId: TransactionId
  /** Tries so far, none of which succeeded. */
  readonly tries: number
  readonly firstTriedAt?: TimestampMs
}

export type Tried =
  | { readonly due: Due; readonly result: 'delivered' }
  | { readonly due: Due; readonly result: 'failed'; readonly error: string; readonly dueAt: TimestampMs }
  | { readonly due: Due; readonly result: 'dead'; readonly error: string }

/** What was given up, for people to look at and to have tried again. */
export interface DeadLetter {
  readonly event: TransactionEvent
  readonly tries: number
  readonly firstTriedAt: TimestampMs
  readonly gaveUpAt: TimestampMs
  readonly lastError: string
}

/** What a notification has not got. */
export interface QueueCount {
  readonly notificationId: string
  readonly waiting: number
  /** Up to a bound. */
  readonly deadLetters: number
}

const firstRetryMs = 250
/** No delivery waits for longer: one that seems to was timed by a clock that was ahead, and is due. */
export const retryMaxMs = 3_600_000
/** From the first try on. */
const triedForMs = 86_400_000

/**
 * When to try again after a failure at `now`; undefined when a day of tries is over. The time doubles from a quarter of a
 * second to an hour, less up to half of it, so that what failed together does not come back together. `draw` is from
 * [0, 1).
 */
export function nextTry(
  { tries, firstTriedAt }: Due,
  now: TimestampMs,
  draw: number,
  retryAfterMs: number,
): TimestampMs | undefined {
  const grown = Math.min(retryMaxMs, firstRetryMs * 2 ** Math.min(tries, 30))
  const requested = Math.min(retryMaxMs, retryAfterMs)
  const at = now + Math.max(requested, Math.round(grown * (1 - draw / 2)))
  return at - (firstTriedAt ?? now) > triedForMs ? undefined : at
}
