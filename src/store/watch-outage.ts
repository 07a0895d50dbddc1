// Logs an outage of the database once, at its start and at its end, however many requests and relayers meet it.
import { RescindError } from '../domain/errors.ts'
import { loggingOutage } from '../ops/log-outage.ts'
import type { Logger } from '../ops/logger.ts'
import type { Store } from './store.ts'

export function watchOutage(store: Store, logger: Logger): Store {
  const outage = loggingOutage(logger, {
    began: 'the database does not work: requests get 503, and relayers stand still',
    over: 'the database works again',
  })
  async function watched<T>(working: Promise<T>): Promise<T> {
    try {
      const result = await working
      outage.worked()
      return result
    } catch (error) {
      if (isOutage(error)) outage.failed(error)
      throw error
    }
  }
  return {
    ...store,
    commit: (...unit) => watched(store.commit(...unit)),
    check: () => watched(store.check()),
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof RescindError && (error.code === 'DATABASE_UNAVAILABLE' || error.code === 'OUTCOME_UNKNOWN')
}
