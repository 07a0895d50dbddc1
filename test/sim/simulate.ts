// Runs the simulator's commands as people run them, in processes of their own.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Outcome } from '../../sim/run-seed.ts'
import type { Feature } from '../../sim/scenario/features.ts'

export const simulator = fileURLToPath(new URL('../../sim/main.ts', import.meta.url))

interface Run {
  readonly code: number | null
  readonly out: string
}

/** A young generation as large as a seed: what it leaves behind is dead by then. */
const heap = ['--min-semi-space-size=32', '--max-semi-space-size=64']

export function runNode(args: readonly string[]): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...heap, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += String(chunk)
    })
    child.stderr.on('data', (chunk) => {
      out += String(chunk)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out }))
  })
}

/** A JSON outcome a seed, in order: so many from each that is given. */
export async function simulate(
  seed: number | readonly number[],
  seeds: number,
  steps: number,
  features: readonly Feature[] = [],
): Promise<readonly Outcome[]> {
  const args = [simulator, '--seed', String(seed), '--seeds', String(seeds), '--steps', String(steps), '--json']
  const { out } = await runNode([...args, ...(features.length > 0 ? ['--with', features.join()] : [])])
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Outcome)
}

/** What broke, with the end of its history: readable in a test's report. */
export function failuresOf(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes.flatMap(({ seed, steps, failure, tail }) =>
    failure ? [`npm run sim -- --seed ${seed} --steps ${steps}: ${failure.what}\n${tail.join('\n')}`] : [],
  )
}
