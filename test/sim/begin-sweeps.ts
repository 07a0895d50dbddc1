// Where the simulator's sweeps begin: elsewhere in each run, as the worlds of the last one have nothing new to say about an
// engine that did not change. The seed is printed; SIM_SEED=N begins there again.
import { randomInt } from 'node:crypto'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly firstSeed: number
    /** Of the seeds from the first on: how many an earlier tier runs, and how many this one. */
    readonly sweep: { readonly after: number; readonly seeds: number }
  }
}

const variable = 'SIM_SEED'
/** Leaves room for the longest sweep in the 32 bits of a seed. */
const firstSeedMax = 2 ** 31

export default function setUp(project: TestProject): void {
  // Kept for the other tiers of the run: they are parts of one sweep.
  process.env[variable] ||= String(randomInt(1, firstSeedMax))
  const seed = Number(process.env[variable])
  if (!Number.isSafeInteger(seed) || seed < 1) throw new Error(`${variable}=${process.env[variable]} is no seed`)
  process.stdout.write(`${project.name}: the sweep begins at seed ${seed}; ${variable}=${seed} repeats it\n`)
  project.provide('firstSeed', seed)
}
