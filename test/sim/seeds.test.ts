// Fresh worlds against the production engine: nothing lost, nothing twice, every verdict true.
import { expect, inject, test } from 'vitest'
import { type Mark, markNames, marks, rareMarks } from '../../sim/marks/marks.ts'
import { failuresOf, simulate } from './simulate.ts'

const { after, seeds } = inject('sweep')
const first = inject('firstSeed') + after
const steps = 300
const processes = 2
/** In so many seeds each mark that is not rare came up several times at least. */
const markedSeeds = 2_000
/** Enough for a process to run at its speed: the first dozens of seeds cost it twice as much. */
const seedsEach = Math.min(450, Math.ceil(seeds / processes))

test(`${seeds} seeds of ${steps} steps from ${first} on hold every invariant and end in time`, {
  timeout: 3_600_000,
}, async () => {
  const waiting = Array.from({ length: Math.ceil(seeds / seedsEach) }, (_, index) => index * seedsEach)
  const failures: string[] = []
  const reached = new Set<Mark>()
  let ran = 0
  const work = async () => {
    for (let begun = waiting.shift(); begun !== undefined; begun = waiting.shift()) {
      const outcomes = await simulate(first + begun, Math.min(seedsEach, seeds - begun), steps)
      ran += outcomes.length
      failures.push(...failuresOf(outcomes))
      for (const mark of outcomes.flatMap((outcome) => outcome.marks)) reached.add(mark)
    }
  }
  await Promise.all(Array.from({ length: processes }, work))
  expect(failures).toEqual([])
  expect(ran).toBe(seeds)
  if (seeds < markedSeeds) return
  const missed = markNames.filter((name) => !reached.has(name) && !rareMarks.includes(name))
  expect(missed.map((name) => `${name}: ${marks[name]}`)).toEqual([])
})

test('at least 60 states that matter have to come up in a long sweep', () => {
  expect(markNames.length - rareMarks.length).toBeGreaterThanOrEqual(60)
})
