// Breaks the engine by one mutant at a time, and shows the seed that notices it. A mutant that survives is a defect of the simulator.
import { toolArguments } from '../../tooling/tool-arguments.ts'
import { mutants } from './mutants.ts'
import { pin } from './pins.ts'
import { search } from './search.ts'
import { seedOf } from './trial.ts'

const usage = `npm run sim:mutants -- [--only NAME] [--seed N] [--seeds 150] [--steps 300] [--workers 2] [--pin]

Runs each mutant of sim/mutants/mutants.ts from its pinned seed on, or from --seed, until one notices; or the test that it names.

  --pin       keeps the seeds that noticed, in sim/mutants/pins.json
`
const values = toolArguments(usage, {
  seeds: { type: 'string', default: '150' },
  steps: { type: 'string', default: '300' },
  seed: { type: 'string' },
  only: { type: 'string' },
  workers: { type: 'string', default: '2' },
  pin: { type: 'boolean', default: false },
})
/** The last lines of a trial. */
const reportedMax = 2_000
const say = (text: string) => process.stdout.write(`${text}\n`)
const waiting = mutants.filter(({ name }) => values.only === undefined || values.only === name)
let survivors = 0

async function work(): Promise<void> {
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const { noticed, out } = await search(mutant, {
      from: values.seed,
      seeds: Number(values.seeds),
      steps: values.steps,
    })
    if (noticed === undefined) survivors += 1
    else if (values.pin && mutant.caughtBy === undefined) pin({ [mutant.name]: seedOf(noticed) })
    const reported = (noticed ?? out).trim().slice(0, reportedMax).split('\n')
    say(
      `${noticed === undefined ? 'SURVIVED' : 'caught  '} ${mutant.name}: ${mutant.breaks}\n         ${reported.join('\n         ')}`,
    )
  }
}

await Promise.all(Array.from({ length: Number(values.workers) }, work))
say(survivors === 0 ? 'every mutant is caught' : `${survivors} survived`)
process.exitCode = survivors === 0 ? 0 : 1
