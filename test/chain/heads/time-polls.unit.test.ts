// Polls keep step with the blocks: few are in vain, and none comes long after its block.
import { expect, test } from 'vitest'
import { timingPolls } from '../../../src/chain/heads/time-polls.ts'

interface Followed {
  /** How long after each block the poll began that found it. */
  readonly lateMs: readonly number[]
  readonly polls: number
}

/** Polls a chain that makes a block every `blocktimeMs`, the first one at `firstMs`. No time passes between a poll and its answer. */
function follow(blocktimeMs: number, firstMs: number, blocks: number, isUrgent = true): Followed {
  let now = 0
  let [known, polls] = [0, 0]
  const lateMs: number[] = []
  const timing = timingPolls({ ms: () => blocktimeMs, isKnown: () => true }, { elapsed: () => now })
  while (known < blocks) {
    const height = Math.floor((now - firstMs) / blocktimeMs) + 1
    timing.begin()
    polls += 1
    timing.end(height > known ? 'new' : 'known', isUrgent)
    if (height > known) lateMs.push(now - firstMs - (height - 1) * blocktimeMs)
    known = Math.max(known, height)
    now += timing.pauseMs()
  }
  return { lateMs, polls }
}

test.each([
  [200, 1],
  [200, 199],
  [2_000, 1],
  [2_000, 1_000],
  [2_000, 1_999],
])('blocks of %i ms whose first comes after %i ms are found within a third of their time', (blocktimeMs, firstMs) => {
  const { lateMs, polls } = follow(blocktimeMs, firstMs, 100)
  expect(Math.max(...lateMs.slice(15))).toBeLessThanOrEqual(blocktimeMs / 3)
  expect(lateMs.length).toBeGreaterThanOrEqual(98)
  expect(polls).toBeLessThanOrEqual(125)
})

test('blocks of 12 s are found within a second or so, with four or five polls each', () => {
  const { lateMs, polls } = follow(12_000, 7_000, 100)
  expect(Math.max(...lateMs.slice(20))).toBeLessThanOrEqual(1_000)
  expect(polls).toBeLessThanOrEqual(400)
})

test('while no decision waits for facts, hardly a poll is in vain', () => {
  expect(follow(2_000, 1_000, 100, false).polls).toBeLessThanOrEqual(102)
})

test('a block that is late is polled for after a quarter of the interval, four times', () => {
  let now = 0
  const timing = timingPolls({ ms: () => 2_000, isKnown: () => true }, { elapsed: () => now })
  const pauses: number[] = []
  for (let poll = 0; poll < 8; poll += 1) {
    timing.begin()
    timing.end(poll === 0 ? 'new' : 'known', false)
    pauses.push(timing.pauseMs())
    now += timing.pauseMs()
  }
  expect(pauses).toEqual([2_000, 500, 500, 500, 500, 2_000, 2_000, 2_000])
})

test('the next poll begins an interval after the last one began, however long its answer took', () => {
  let now = 0
  const timing = timingPolls({ ms: () => 2_000, isKnown: () => true }, { elapsed: () => now })
  timing.begin()
  now = 500
  timing.end('new', false)
  expect(timing.pauseMs()).toBe(1_500)
  now = 2_000
  timing.begin()
  now = 5_000
  timing.end('new', false)
  expect(timing.pauseMs()).toBe(0)
})
