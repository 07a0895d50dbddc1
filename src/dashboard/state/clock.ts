// The browser's time and timers.
import { signal } from '@preact/signals'

/** The time that ages are shown as of. It stands still while the page is paused. */
export const shownNow = signal(Date.now())

export function now(): number {
  return Date.now()
}

/** Calls `run` again and again until the returned function is called; not while the page is hidden. */
export function every(ms: number, run: () => void): () => void {
  const timer = setInterval(() => document.hidden || run(), ms)
  return () => clearInterval(timer)
}

/** Calls `run` once, unless the returned function is called before. */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
