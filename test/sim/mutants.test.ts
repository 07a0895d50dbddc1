// The simulator bites: it notices every way in which the engine is broken on purpose.
import { describe, expect, test } from 'vitest'
import { mutants } from '../../sim/mutants/mutants.ts'
import { runNode, simulator } from './simulate.ts'

const seedsMax = 1_000

test('there are mutants enough, each with a name of its own', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBeGreaterThanOrEqual(12)
})

describe.concurrent('a mutant is caught', { timeout: 600_000 }, () => {
  test.each(mutants)('$name: $breaks', async ({ name, seed = 1 }) => {
    const range = ['--seed', String(seed), '--seeds', String(seedsMax)]
    const { code, out } = await runNode([simulator, '--mutant', name, ...range, '--brief'])
    expect(out).toMatch(/^seed \d+: /)
    expect(code).toBe(1)
  })
})

test('a mutant that does not exist is not caught', async () => {
  const { out } = await runNode([simulator, '--mutant', 'none', '--seeds', '1', '--brief'])
  expect(out).toMatch(/no mutant "none"/)
})
