// The simulator bites: it notices every way in which the engine is broken on purpose, at the seed that is pinned for it.
import { describe, expect, test } from 'vitest'
import { mutants } from '../../sim/mutants/mutants.ts'
import { pins } from '../../sim/mutants/pins.ts'
import { noticedBy, trialOf } from '../../sim/mutants/trial.ts'
import { runNode, simulator } from './simulate.ts'

/** From the pinned seed on. More than one where a change of the engine may have moved what its worlds meet. */
const { SIM_MUTANT_SEEDS: seeds = '1' } = process.env

test('there are mutants enough, each with a name of its own', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  expect(mutants.length).toBeGreaterThanOrEqual(60)
})

test('each has a pinned seed or a test that notices it, and there are no other pins', () => {
  const searched = mutants.filter(({ caughtBy }) => caughtBy === undefined)
  expect(Object.keys(pins()).toSorted()).toEqual(searched.map(({ name }) => name).toSorted())
})

describe.concurrent('a mutant is caught', { timeout: 600_000 }, () => {
  test.each(mutants)('$name: $breaks', async (mutant) => {
    const outcome = await runNode(trialOf(mutant, { seeds }))
    const advice = `npm run sim:mutants -- --pin --only ${mutant.name} looks for a seed that notices it`
    expect(noticedBy(mutant, outcome), `${outcome.out}\n${advice}`).toBeDefined()
  })
})

test('a mutant that does not exist is not caught', async () => {
  const { out } = await runNode([simulator, '--mutant', 'none', '--seeds', '1', '--brief'])
  expect(out).toMatch(/no mutant "none"/)
})
