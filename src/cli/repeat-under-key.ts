// A request that its idempotency key makes safe to repeat, so a try whose outcome is unknown is repeated.
import { ApiError, NoAnswer } from '../client/client.ts'
import { systemClock } from '../ops/clock.ts'
import { CommandError, exits } from './exits.ts'

const triesMax = 4

interface Keyed<T> {
  readonly key: string
  readonly request: (idempotencyKey: string) => Promise<T>
  /** Advice while the outcome stays unknown. */
  readonly remedy: string
}

/** Throws a CommandError where nobody can say whether it is stored. */
export async function repeatUnderKey<T>({ key, request, remedy }: Keyed<T>, stop: AbortSignal): Promise<T> {
  for (let left = triesMax; ; left -= 1) {
    try {
      return await request(key)
    } catch (error) {
      const isUnknown =
        error instanceof NoAnswer
          ? !error.isUnsent || left < triesMax
          : error instanceof ApiError && (error.status >= 500 || left < triesMax)
      if (!isUnknown && !stop.aborted) throw error
      if (left > 1 && !stop.aborted) {
        await systemClock.sleep(1_000, stop)
        continue
      }
      const reason = error instanceof Error ? error.message : String(error)
      const message = `undecided: nobody can say whether it is stored (${reason}); ${remedy}`
      throw new CommandError(exits.undecided, message, { cause: error })
    }
  }
}
