// Thousands of seeded worlds against the production engine: nothing lost, nothing twice, every verdict true.
import { expect, test } from 'vitest'
import { failuresOf, simulate } from './simulate.ts'

const seeds = 3_000
const steps = 300
const processes = 2
/** Enough for a process to run at its speed: the first dozens of seeds cost it twice as much. */
const seedsEach = 500

test(`${seeds} seeds of ${steps} steps hold every invariant and end in time`, { timeout: 1_200_000 }, async () => {
  const waiting = Array.from({ length: seeds / seedsEach }, (_, index) => 1 + index * seedsEach)
  const failures: string[] = []
  let ran = 0
  const work = async () => {
    for (let first = waiting.shift(); first !== undefined; first = waiting.shift()) {
      const outcomes = await simulate(first, seedsEach, steps)
      ran += outcomes.length
      failures.push(...failuresOf(outcomes))
    }
  }
  await Promise.all(Array.from({ length: processes }, work))
  expect(failures).toEqual([])
  expect(ran).toBe(seeds)
})
