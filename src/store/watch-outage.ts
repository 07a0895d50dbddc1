// Logs an outage of the database once, at its start and at its end, however many requests and relayers meet it. Where a part of the
// database fails (damaged data, a right of one table), other writes succeed beside it: that is one outage, too.
import { RescindError } from '../domain/errors.ts'
import type { Clock } from '../ops/clock.ts'
import { loggingOutage } from '../ops/log-outage.ts'
import type { Logger } from '../ops/logger.ts'
import type { ProcessStates } from '../ops/process-states.ts'
import type { Reads, Store } from './store.ts'

/** An outage that comes back within this time ends when nothing has failed for as long. */
const quietMs = 60_000

interface Around {
  readonly logger: Logger
  readonly states: Pick<ProcessStates, 'set'>
  readonly clock: Pick<Clock, 'elapsed'>
}

export function watchOutage(store: Store, { logger, states, clock }: Around): Store {
  const outage = loggingOutage(logger, {
    began: 'the database does not work: requests get 503, and relayers stand still',
    over: 'the database works again',
  })
  let isOut = false
  let isProbing = false
  /** The number of outages that are over: a failure of what began in an earlier one is no new outage. */
  let over = 0

  let failedAt = Number.NEGATIVE_INFINITY
  let isRecurring = false

  function failed(error: Error): void {
    const now = clock.elapsed()
    if (!isOut) isRecurring = now - failedAt < quietMs
    failedAt = now
    isOut = true
    states.set('database_out', true, error.message)
    outage.failed(error)
  }

  function ended(): void {
    if (isRecurring && clock.elapsed() - failedAt < quietMs) return
    if (isOut) over += 1
    isOut = false
    states.set('database_out', false)
    outage.worked()
  }

  async function watched<T>(work: () => Promise<T>): Promise<T> {
    const before = over
    try {
      return await work()
    } catch (error) {
      if (isOutage(error) && before === over) failed(error)
      throw error
    }
  }

  /** A unit that wrote nothing succeeds on a full disk, too. Only a write shows that the outage is over. */
  async function probe(): Promise<void> {
    if (!isOut || isProbing) return
    isProbing = true
    try {
      await store.check()
      ended()
    } catch {
      // The outage goes on, and its first line stands.
    } finally {
      isProbing = false
    }
  }

  return {
    ...store,
    reads: watchedReads(store.reads, watched),
    async commit(...unit) {
      const result = await watched(() => store.commit(...unit))
      void probe()
      return result
    },
    async check() {
      await watched(() => store.check())
      ended()
    },
  }
}

/** What is damaged may be met by reads alone. */
function watchedReads(reads: Reads, watched: <T>(work: () => Promise<T>) => Promise<T>): Reads {
  const all = Object.entries(reads).map(([name, read]) => [
    name,
    (...parameters: unknown[]) => watched(() => (read as (...of: unknown[]) => Promise<unknown>)(...parameters)),
  ])
  // Each name keeps the signature of its function.
  return Object.fromEntries(all) as Reads
}

function isOutage(error: unknown): error is RescindError {
  return error instanceof RescindError && (error.code === 'DATABASE_UNAVAILABLE' || error.code === 'OUTCOME_UNKNOWN')
}
