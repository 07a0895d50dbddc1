// A wait with a limit: the work, the clock or the caller's signal, whichever ends first.
import type { Clock } from './clock.ts'

/** The time was over first, or `ended` aborted. */
export const late = Symbol('late')

type Work<T> = (over: AbortSignal) => Promise<T>

/**
 * Resolves to the result of `work`, or to `late` after `ms`. The signal that `work` gets aborts as soon as the wait is
 * over, also after `work` itself has ended. A later error of `work` is ignored.
 */
export function within<T>(clock: Clock, ms: number, work: Work<T>, ended?: AbortSignal): Promise<T | typeof late> {
  return first(work, (over) => clock.sleep(ms, over).then((): typeof late => late), ended)
}

/** Waits as `within`, for a caller that continues alike, late or not. */
export async function waitBriefly(clock: Clock, ms: number, work: Work<unknown>, ended?: AbortSignal): Promise<void> {
  await first(work, (over) => clock.sleep(ms, over), ended)
}

function first<T, U>(work: Work<T>, sleep: Work<U>, ended: AbortSignal | undefined): Promise<T | U> {
  // Not by AbortSignal.any, which costs 5 µs more: every step waits.
  const over = new AbortController()
  const end = () => {
    ended?.removeEventListener('abort', end)
    // With a reason, since the default is an error that collects a stack.
    over.abort(ended?.aborted ? ended.reason : 'nobody waits any more')
  }
  if (ended?.aborted) end()
  else ended?.addEventListener('abort', end)
  const raced = Promise.race([work(over.signal), sleep(over.signal)])
  raced.then(end, end)
  return raced
}
