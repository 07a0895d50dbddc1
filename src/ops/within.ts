// A wait with an end: what is waited for, the clock, and whoever gives up before, whichever is first.
import type { Clock } from './clock.ts'

/** The time was over first, or `ended` aborted. */
export const late = Symbol('late')

type Work<T> = (over: AbortSignal) => Promise<T>

/**
 * What `work` resolves to, or `late` after `ms`. The signal that `work` gets aborts as soon as nobody waits for it any more,
 * also where it is through; an error of `work` that comes after that is nobody's.
 */
export function within<T>(clock: Clock, ms: number, work: Work<T>, ended?: AbortSignal): Promise<T | typeof late> {
  return first(work, (over) => clock.sleep(ms, over).then((): typeof late => late), ended)
}

/** The same for whoever goes on alike, late or not. */
export async function waitBriefly(clock: Clock, ms: number, work: Work<unknown>, ended?: AbortSignal): Promise<void> {
  await first(work, (over) => clock.sleep(ms, over), ended)
}

function first<T, U>(work: Work<T>, sleep: Work<U>, ended: AbortSignal | undefined): Promise<T | U> {
  const waited = new AbortController()
  const over = ended ? AbortSignal.any([ended, waited.signal]) : waited.signal
  const raced = Promise.race([work(over), sleep(over)])
  // With a reason, since the default is an error that takes its stack along.
  const end = () => waited.abort('nobody waits any more')
  raced.then(end, end)
  return raced
}
