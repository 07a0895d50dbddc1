// The simulator bites: it notices every way in which the engine is broken on purpose.
import { describe, expect, test } from 'vitest'
import { mutants } from '../../sim/mutants/mutants.ts'
import { noticedBy, trialOf } from '../../sim/mutants/trial.ts'
import { runNode, simulator } from './simulate.ts'

const seedsMax = 1_000

test('there are mutants enough, each with a name of its own', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  expect(mutants.length).toBeGreaterThanOrEqual(60)
})

describe.concurrent('a mutant is caught', { timeout: 600_000 }, () => {
  test.each(mutants)('$name: $breaks', async (mutant) => {
    const outcome = await runNode(trialOf(mutant, { seeds: String(seedsMax) }))
    expect(noticedBy(mutant, outcome), outcome.out).toBeDefined()
  })
})

test('a mutant that does not exist is not caught', async () => {
  const { out } = await runNode([simulator, '--mutant', 'none', '--seeds', '1', '--brief'])
  expect(out).toMatch(/no mutant "none"/)
})
