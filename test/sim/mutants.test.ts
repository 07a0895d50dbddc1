// The simulator bites: it notices every way in which the engine is broken on purpose, at the seed that is pinned for it.
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { mutants } from '../../sim/mutants/mutants.ts'
import { pins } from '../../sim/mutants/pins.ts'
import { search } from '../../sim/mutants/search.ts'
import type { Tried } from '../../sim/mutants/together.ts'
import { runNode, simulator } from './simulate.ts'

/** From the pinned seed on, where that does not notice it any more: a change of the engine moves what its worlds meet. */
const { SIM_MUTANT_SEEDS: seeds = '150' } = process.env
const processes = 2
/** Some tests wait for a minute before they notice, and compute nothing meanwhile. */
const testProcesses = 4
const atSeeds = fileURLToPath(new URL('../../sim/mutants/together.ts', import.meta.url))
const byTests = fileURLToPath(new URL('../../sim/mutants/tests-together.ts', import.meta.url))
const names = mutants.map(({ name }) => name)
const pinned = names.filter((name) => pins()[name] !== undefined)
const tested = mutants.flatMap(({ name, caughtBy }) => (caughtBy !== undefined && !pinned.includes(name) ? [name] : []))

/** A test is run once on the engine as it is, so its mutants belong together. */
const tests = [...new Set(mutants.map(({ caughtBy }) => caughtBy))]
const testOf = new Map(mutants.map(({ name, caughtBy }) => [name, tests.indexOf(caughtBy)]))

/** By name, the findings on mutants that share a process. One that ends its process leaves those behind it untried. */
async function tryTogether(): Promise<ReadonlyMap<string, string>> {
  const atSeed = (share: number) => pinned.filter((_, index) => index % processes === share)
  const byTest = (share: number) => tested.filter((name) => (testOf.get(name) ?? 0) % testProcesses === share)
  const shares = (count: number) => Array.from({ length: count }, (_, share) => share)
  const runs = [
    ...shares(processes).map((share) => runNode(['--disable-warning=ExperimentalWarning', atSeeds, ...atSeed(share)])),
    ...shares(testProcesses).map((share) => runNode([byTests, ...byTest(share)])),
  ]
  const outs = (await Promise.all(runs)).map(({ out }) => out)
  const lines = outs.flatMap((out) => out.split('\n').filter((line) => line.startsWith('{"name":')))
  const tried = lines.map((line) => JSON.parse(line) as Tried)
  return new Map(tried.flatMap(({ name, noticed }) => (noticed === undefined ? [] : [[name, noticed]])))
}

test('there are mutants enough, each with a name of its own', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  expect(mutants.length).toBeGreaterThanOrEqual(60)
})

test('each has a pinned seed or a test that notices it, and there are no other pins', () => {
  expect(Object.keys(pins()).toSorted()).toEqual(pinned.toSorted())
  const unnoticed = mutants.filter(({ name, caughtBy }) => caughtBy === undefined && !pinned.includes(name))
  expect(unnoticed).toEqual([])
})

describe.concurrent('a mutant is caught', { timeout: 2_700_000 }, () => {
  const trying = tryTogether()
  test.each(mutants)('$name: $breaks', async (mutant) => {
    if ((await trying).has(mutant.name)) return
    // A later seed will do, but the search for it takes as long as twenty mutants whose pins hold.
    const { noticed, out } = await search(mutant, { seeds: Number(seeds) })
    expect(noticed, out).toBeDefined()
    const { name } = mutant
    process.stderr.write(`${name}: the pin is stale; npm run sim:mutants -- --only ${name} --pin moves it\n`)
  })
})

test('a mutant that does not exist is not caught', async () => {
  const { out } = await runNode([simulator, '--mutant', 'none', '--seeds', '1', '--brief'])
  expect(out).toMatch(/no mutant "none"/)
})
