// How often a flood of messages makes a replica read.
import { expect, test } from 'vitest'
import { nextTurn } from '../../src/ops/clock.ts'
import { openReread } from '../../src/store/postgres/reread.ts'
import { manualClock } from '../support/manual-clock.ts'

test('it reads at once, then once in half a second for all that came, and not again for nothing', async () => {
  const clock = manualClock()
  const ended = new AbortController()
  let reads = 0
  const read = () => {
    reads += 1
  }
  const reread = openReread(clock, read, ended.signal)
  for (let each = 0; each < 10_000; each += 1) reread.request()
  expect(reads).toBe(1)
  for (let round = 2; round <= 4; round += 1) {
    clock.advance(499)
    await nextTurn()
    expect(reads).toBe(round - 1)
    clock.advance(1)
    await nextTurn()
    expect(reads).toBe(round)
    for (let each = 0; each < 10_000; each += 1) reread.request()
  }
  clock.advance(500)
  await nextTurn()
  clock.advance(500)
  await nextTurn()
  expect([reads, clock.sleeping]).toEqual([5, []])
  reread.request()
  expect(reads).toBe(6)
  reread.request()
  ended.abort()
  await nextTurn()
  expect(reads).toBe(6)
})
