// Runs a mutant from one seed on until the simulator notices it, or the test that it names.
import { spawn } from 'node:child_process'
import type { Mutant } from './mutant.ts'
import { pins } from './pins.ts'
import { noticedBy, seedOf, soundTrialOf, trialOf } from './trial.ts'

export interface Search {
  /** Absent: the pinned one. */
  readonly from?: string | undefined
  readonly seeds: number
  readonly steps?: string
}

export interface Found {
  /** In a line; undefined when nothing noticed it. */
  readonly noticed: string | undefined
  /** All that the last trial said. */
  readonly out: string
}

/** Goes on where a seed fails without the mutant, too, and where another check notices it than the one that it expects. */
export async function search(mutant: Mutant, { from, seeds, steps = '300' }: Search): Promise<Found> {
  const { code, out } = await run(trialOf(mutant, { from, seeds: String(seeds), steps }))
  const noticed = noticedBy(mutant, { code, out })
  if (mutant.caughtBy !== undefined) return { noticed, out }
  const seed = seedOf(out)
  if (Number.isNaN(seed)) return { noticed, out }
  const sound = noticed === undefined ? undefined : await run(soundTrialOf(mutant, seed, steps))
  if (sound?.code === 0) return { noticed, out }
  const left = seeds - (seed + 1 - Number(from ?? pins()[mutant.name] ?? 1))
  if (left > 0) return search(mutant, { from: String(seed + 1), seeds: left, steps })
  const why = sound === undefined ? out : `the engine fails without the mutant, too: ${sound.out}`
  return { noticed: undefined, out: why }
}

function run(args: readonly string[]): Promise<{ code: number | null; out: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += String(chunk)))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out }))
  })
}
