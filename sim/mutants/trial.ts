// How a mutant is tried, and what shows that it is caught: a seed of the simulator's, or the test that it names.
import { fileURLToPath } from 'node:url'
import { type Feature, leftOutForMutant } from '../scenario/features.ts'
import type { Mutant } from './mutant.ts'
import { pins } from './pins.ts'

const simulator = fileURLToPath(new URL('../main.ts', import.meta.url))
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const config = fileURLToPath(new URL('./vitest.config.ts', import.meta.url))

/** What Node runs. */
export function trialOf(
  { name, with: features = [], caughtBy }: Mutant,
  { from, seeds, steps = '300' }: { from?: string | undefined; seeds: string; steps?: string },
): readonly string[] {
  if (caughtBy !== undefined)
    return [vitest, 'run', '--config', config, '--mode', name, '--reporter', 'tap-flat', caughtBy]
  const first = from ?? String(pins()[name] ?? 1)
  return [simulator, '--mutant', name, '--seed', first, '--seeds', seeds, '--steps', steps, ...worldOf(features)]
}

/** What Node runs to see that the engine as it is holds at a seed: what fails there anyway notices nothing. */
export function soundTrialOf({ with: features = [] }: Mutant, seed: number, steps: string): readonly string[] {
  return [simulator, '--seed', String(seed), '--steps', steps, ...worldOf(features)]
}

function worldOf(features: readonly Feature[]): readonly string[] {
  const leftOut = leftOutForMutant(features)
  return [
    ...(features.length > 0 ? ['--with', features.join()] : []),
    ...(leftOut.length > 0 ? ['--without', leftOut.join()] : []),
    '--brief',
  ]
}

/** The failure in a line; undefined without one that the mutant expects. A trial that could not be made catches nothing. */
export function noticedBy(
  { caughtBy, expects }: Mutant,
  { code, out }: { code: number | null; out: string },
): string | undefined {
  if (code !== 1) return undefined
  if (caughtBy === undefined) return out.startsWith('seed ') && out.includes(expects) ? out.trim() : undefined
  // A file that fails as a whole was not run, and names no test.
  return out
    .split('\n')
    .find((line) => line.startsWith('not ok') && line.includes(`${caughtBy} > `) && line.includes(expects))
}

/** The seed in the simulator's line about a failure; NaN without one. */
export function seedOf(line: string): number {
  return Number(/^seed (\d+): /.exec(line)?.[1])
}
