// Re-reads the database after a message that nothing proves: at once, and then at most once in an interval however many come.
import type { Clock } from '../../ops/clock.ts'

/** The interval at which replicas look without any message. */
const rereadEveryMs = 500

interface Reread {
  /** There may be something new. */
  request(): void
}

/** `read` runs until `ended` aborts. */
export function openReread(clock: Pick<Clock, 'sleep'>, read: () => void, ended: AbortSignal): Reread {
  let isRequested = false
  let isResting = false

  async function run(): Promise<void> {
    isResting = true
    while (isRequested && !ended.aborted) {
      isRequested = false
      read()
      await clock.sleep(rereadEveryMs, ended)
    }
    isResting = false
  }

  return {
    request() {
      isRequested = true
      if (!isResting) void run()
    },
  }
}
