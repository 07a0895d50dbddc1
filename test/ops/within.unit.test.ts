// A wait ends with its result, with the time, or with an abort, and leaves no waiter behind.
import { expect, test } from 'vitest'
import type { Clock } from '../../src/ops/clock.ts'
import { late, waitBriefly, within } from '../../src/ops/within.ts'

/** Sleeps end by hand, or by their signal. */
function stage() {
  const sleeping = new Set<number>()
  let wake = () => {}
  const clock: Clock = {
    now: () => 0,
    elapsed: () => 0,
    afterThis: setImmediate,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        sleeping.add(ms)
        wake = () => {
          sleeping.delete(ms)
          resolve()
        }
        if (signal?.aborted) wake()
        signal?.addEventListener('abort', () => wake())
      }),
  }
  return { clock, sleeping, pass: () => wake() }
}

const never = () => new Promise<string>(() => {})

test('a result in time is returned, and nothing sleeps on', async () => {
  const { clock, sleeping } = stage()
  let over: AbortSignal | undefined
  const work = async (signal: AbortSignal) => {
    over = signal
    expect(signal.aborted).toBe(false)
    return 'done'
  }
  expect(await within(clock, 10, work)).toBe('done')
  expect(over?.aborted).toBe(true)
  expect([...sleeping]).toEqual([])
})

test('an error in time is an error', async () => {
  const { clock, sleeping } = stage()
  await expect(within(clock, 10, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect([...sleeping]).toEqual([])
})

test('after the time it is late: the work is aborted, and its error is dropped', async () => {
  const { clock, pass } = stage()
  const cut = (over: AbortSignal) =>
    new Promise<string>((_, reject) => over.addEventListener('abort', () => reject(new Error('cut off'))))
  const answered = within(clock, 10, cut)
  pass()
  expect(await answered).toBe(late)
})

test.each([true, false])('who gives up ends it: before it began %s', async (before) => {
  const { clock, sleeping } = stage()
  const ended = new AbortController()
  if (before) ended.abort()
  const answered = within(clock, 10, never, ended.signal)
  if (!before) ended.abort()
  expect(await answered).toBe(late)
  expect([...sleeping]).toEqual([])
})

test('a caller that goes on in both cases waits no longer, and gets an error in time', async () => {
  const { clock, sleeping, pass } = stage()
  const waited = waitBriefly(clock, 10, never)
  pass()
  await waited
  await waitBriefly(clock, 10, async () => 'done')
  await expect(waitBriefly(clock, 10, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect([...sleeping]).toEqual([])
})
