// Breaks the engine in every way we know, one at a time, and shows the seed that notices. A survivor is our defect.
import { spawn } from 'node:child_process'
import { toolArguments } from '../../test/support/tool-arguments.ts'
import { mutants } from './mutants.ts'

const usage = `npm run sim:mutants -- [--only NAME] [--seed N] [--seeds 300] [--steps 300] [--workers 2]

Runs each mutant of sim/mutants/mutants.ts from its own seed on, or from --seed, until one notices.
`
const values = toolArguments(usage, {
  seeds: { type: 'string', default: '300' },
  steps: { type: 'string', default: '300' },
  seed: { type: 'string' },
  only: { type: 'string' },
  workers: { type: 'string', default: '2' },
})
const simulator = new URL('../main.ts', import.meta.url).pathname
const say = (text: string) => process.stdout.write(`${text}\n`)
const waiting = mutants.filter(({ name }) => values.only === undefined || values.only === name)
let survivors = 0

async function work(): Promise<void> {
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const { seeds, steps } = values
    const seed = values.seed ?? String(mutant.seed ?? 1)
    const { code, out } = await run([
      simulator,
      '--mutant',
      mutant.name,
      '--seed',
      seed,
      '--seeds',
      seeds,
      '--steps',
      steps,
      '--brief',
    ])
    const caught = code === 1 && out.startsWith('seed ')
    if (!caught) survivors += 1
    say(
      `${caught ? 'caught  ' : 'SURVIVED'} ${mutant.name}: ${mutant.breaks}\n         ${out.trim().split('\n').join('\n         ')}`,
    )
  }
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

await Promise.all(Array.from({ length: Number(values.workers) }, work))
say(survivors === 0 ? 'every mutant is caught' : `${survivors} survived`)
process.exitCode = survivors === 0 ? 0 : 1
