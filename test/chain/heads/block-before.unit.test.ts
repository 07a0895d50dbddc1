// The block before a time, on chains of every pace, whatever pace they are said to have, and how many headers that takes.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blockBefore, type Timed } from '../../../src/chain/heads/block-before.ts'

const nearEnoughMs = 60_000

interface Chain {
  readonly head: Timed
  /** Reads so far. */
  readonly reads: readonly number[]
  before(time: number, blocktimeMs: number): Promise<number | undefined>
}

function chainOf(seconds: readonly number[], isReadable: (number: number) => boolean = () => true): Chain {
  const reads: number[] = []
  const block = (number: number): Timed => ({ number, timestampMs: (seconds[number] ?? Number.NaN) * 1_000 })
  const head = block(seconds.length - 1)
  return {
    head,
    reads,
    before: (time, blocktimeMs) =>
      blockBefore(head, time, blocktimeMs, async (number) => {
        reads.push(number)
        return isReadable(number) ? block(number) : undefined
      }),
  }
}

/** One block each `ms`, with timestamps in whole seconds. */
function steady(blocks: number, ms: number): readonly number[] {
  return Array.from({ length: blocks }, (_, number) => Math.floor((number * ms) / 1_000))
}

test('never too late, and no minute too early, however uneven the blocks and however wrong the pace', async () => {
  const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(3), fc.nat(20), fc.nat(90_000)), {
    minLength: 1,
    maxLength: 300,
  })
  await fc.assert(
    fc.asyncProperty(
      gaps,
      fc.double({ min: -0.1, max: 1.1, noNaN: true }),
      fc.integer({ min: 1, max: 3_600_000 }),
      async (all, share, ms) => {
        let second = 0
        const seconds = all.map((gap) => {
          second += gap
          return second
        })
        const [first = 0, last = 0] = [seconds[0], seconds.at(-1)]
        const time = Math.round(1_000 * (first + share * (last - first)))
        const chain = chainOf(seconds)
        const found = (await chain.before(time, ms)) ?? Number.NaN
        // All that came at that time or later lies above.
        for (const [number, second] of seconds.entries())
          if (second * 1_000 >= time) expect(number).toBeGreaterThan(found)
        // What lies between is of the last minute before.
        for (let number = found + 1; number < seconds.length; number += 1) {
          const timestampMs = (seconds[number] ?? 0) * 1_000
          expect(timestampMs >= time || time - timestampMs <= nearEnoughMs).toBe(true)
        }
        expect(chain.reads.length).toBeLessThanOrEqual(2 + 3 * Math.ceil(Math.log2(seconds.length + 1)))
      },
    ),
    { numRuns: 500 },
  )
})

test.each([
  ['the block time is measured', 12_000, 12_000, 1],
  ['it is said to be a fiftieth', 12_000, 240, 4],
  ['it is said to be fifty times as long', 12_000, 600_000, 4],
  ['four blocks a second, and the block time is measured', 250, 250, 1],
  ['four blocks a second, and it is said to be twelve seconds', 250, 12_000, 4],
])('few headers are read: %s', async (_, realMs, saidMs, readsMax) => {
  const chain = chainOf(steady(200_000, realMs))
  const time = chain.head.timestampMs - 3_700_000
  const found = (await chain.before(time, saidMs)) ?? Number.NaN
  const timestampMs = found * realMs
  expect(timestampMs).toBeLessThan(time)
  expect(timestampMs).toBeGreaterThan(time - nearEnoughMs - 1_000)
  expect(chain.reads.length).toBeLessThanOrEqual(readsMax)
})

test('blocks of the same second are all above, or all below', async () => {
  const seconds = [...Array(50).fill(1_000), ...Array(50).fill(2_000), ...Array(50).fill(3_000)]
  expect(await chainOf(seconds).before(2_000_000, 12_000)).toBe(49)
  expect(await chainOf(seconds).before(2_000_001, 12_000)).toBeGreaterThanOrEqual(50)
})

test('a chain that began later: from before its first block on', async () => {
  expect(await chainOf(steady(100, 12_000)).before(0, 12_000)).toBe(-1)
  expect(await chainOf([5]).before(5_000, 12_000)).toBe(-1)
})

test('a head from before the time: nothing came since', async () => {
  const chain = chainOf(steady(100, 12_000))
  expect(await chain.before(chain.head.timestampMs + 1, 12_000)).toBe(99)
  expect(chain.reads).toEqual([])
})

test('a header that cannot be read, at any step: no answer yet', async () => {
  // Fast at first, slow of late: no guess is right at once.
  const early = steady(10_000, 250)
  const seconds = [...early, ...steady(500, 12_000).map((second) => (early.at(-1) ?? 0) + second)]
  const whole = chainOf(seconds)
  const time = 1_000_000
  await whole.before(time, 12_000)
  expect(whole.reads.length).toBeGreaterThan(2)
  for (const missing of whole.reads) {
    const chain = chainOf(seconds, (number) => number !== missing)
    expect(await chain.before(time, 12_000)).toBeUndefined()
  }
})
