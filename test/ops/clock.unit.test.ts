import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'

const hourMs = 3_600_000

test('a sleep ends with its signal, and leaves nothing on a signal that lives longer', async () => {
  const stop = new AbortController()
  await systemClock.sleep(1, stop.signal)
  expect(getEventListeners(stop.signal, 'abort')).toEqual([])
  const asleep = systemClock.sleep(hourMs, stop.signal)
  stop.abort()
  await asleep
  await systemClock.sleep(hourMs, stop.signal)
})
