// The delivery of an event to a notification: the results of a try, and the time of the next one.
import type { EventSubjectId, StoredEvent } from './event.ts'
import type { TimestampMs } from './units.ts'

/** A delivery that is due. */
export interface Due {
  readonly eventId: number
  readonly subjectId: EventSubjectId
  /** Failed tries so far. */
  readonly tries: number
  /** A day after the commit of the event, or after its redelivery. */
  readonly givesUpAt: TimestampMs
}

export type Tried =
  | { readonly due: Due; readonly result: 'delivered' }
  | { readonly due: Due; readonly result: 'failed'; readonly error: string; readonly dueAt: TimestampMs }
  | { readonly due: Due; readonly result: 'dead'; readonly error: string }

/** A delivery that was given up. People can look at it, and have it tried again. */
export interface DeadLetter {
  readonly event: StoredEvent
  readonly tries: number
  /** Absent if its day was over before the first try. */
  readonly firstTriedAt?: TimestampMs
  readonly gaveUpAt: TimestampMs
  readonly lastError: string
}

/** The counts of one portion that gives up events of a notification whose day is over. */
export interface GivenUp {
  readonly givenUp: number
  /** The oldest dead letters that were deleted, because there were too many. */
  readonly dropped: number
}

/** The deliveries of a notification that are not done. */
export interface QueueCount {
  readonly notificationId: string
  readonly waiting: number
  /** When the oldest event that waits was committed, or redelivered. Absent: none waits. */
  readonly oldestAt?: TimestampMs
  /** The dead letters, counted up to a bound. */
  readonly deadLetters: number
}

/** A notification whose last request failed, whether its event waits or was given up. */
export interface FailingQueue {
  readonly notificationId: string
  /** The first failure since the last delivery. */
  readonly since: TimestampMs
  /** Of the last request. */
  readonly error: string
}

const firstRetryMs = 250
/** The longest pause of a delivery. A later due time comes from a clock that was ahead, so the delivery is due. */
export const retryMaxMs = 3_600_000
/**
 * How long a delivery is tried, counted from the commit of the event, so that a receiver that is down holds no event up for longer.
 */
export const deliveredForMs = 86_400_000

/**
 * The time of the next try after a failure at `now`; undefined if that is after the day of the event. The pause doubles from a quarter
 * of a second to an hour. Up to half of it is taken off at random, so that joint failures do not return together.
 * `draw` is from [0, 1).
 */
export function nextTry(
  { tries, givesUpAt }: Due,
  now: TimestampMs,
  draw: number,
  retryAfterMs: number,
): TimestampMs | undefined {
  const grown = Math.min(retryMaxMs, firstRetryMs * 2 ** Math.min(tries, 30))
  const requested = Math.min(retryMaxMs, retryAfterMs)
  const at = now + Math.max(requested, Math.round(grown * (1 - draw / 2)))
  return at > givesUpAt ? undefined : at
}
