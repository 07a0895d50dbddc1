// The simulator's command: runs seeds, prints what a failing one did, and the command that replays it.
import { toolArguments } from '../tooling/tool-arguments.ts'
import type { Outcome } from './run-seed.ts'

const usage = `npm run sim -- [--seed 1] [--seeds 1] [--steps 300] [--verbose | --json | --brief] [--with NAMES] [--without NAMES] [--mutant NAME]

Runs worlds of so many steps each, from seed on, or from each of several with commas between. A seed gives the same world
whenever it is run.

  --verbose   every line of their histories
  --json      an outcome a line
  --brief     the first failure, in one line, and no more
  --with      features of the world (sim/scenario/features.ts), with commas between: every seed has them
  --without   features that no seed has. All other draws of a seed stay as they are
  --mutant    the engine, broken as in sim/mutants/mutants.ts
`
const values = toolArguments(usage, {
  seed: { type: 'string', default: '1' },
  seeds: { type: 'string', default: '1' },
  steps: { type: 'string', default: '300' },
  verbose: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  brief: { type: 'boolean', default: false },
  with: { type: 'string' },
  without: { type: 'string' },
  mutant: { type: 'string' },
})
const firsts = values.seed.split(',').map(Number)
const [count, steps] = [Number(values.seeds), Number(values.steps)]
if (![...firsts, count, steps].every(Number.isSafeInteger)) {
  process.stderr.write(`--seed, --seeds and --steps are whole numbers\n${usage}`)
  process.exit(2)
}
const say = (text: string) => process.stdout.write(`${text}\n`)
// The engine is loaded only now: a mutant takes its place.
const loaded =
  values.mutant === undefined ? undefined : (await import('./mutants/substitute.ts')).substitute(values.mutant)
const { runSeed } = await import('./run-seed.ts')
const { drawnUsually, featureNames, features } = await import('./scenario/features.ts')
const { markNames, marks } = await import('./marks/marks.ts')
const { openDisk } = await import('./process/database.ts')
loaded?.()
const forced = values.with?.split(',') ?? []
const leftOut = values.without?.split(',') ?? []
const unknown = [...forced, ...leftOut].filter((name) => !(featureNames as readonly string[]).includes(name))
if (unknown.length > 0) {
  const list = featureNames.map((name) => `  ${name}: ${features[name].about}\n`)
  process.stderr.write(`no feature ${unknown}; there are\n${list.join('')}${usage}`)
  process.exit(2)
}
const given = (names: readonly string[], odds: number) => Object.fromEntries(names.map((name) => [name, odds]))
const drawn = { ...drawnUsually, ...given(forced, 1), ...given(leftOut, 0) }
using disk = openDisk()
const reached = new Map<string, number>()
const totals = { events: 0, transactions: 0, failed: 0, longest: 0, tightest: 0 }
const began = process.hrtime.bigint()
for (const seed of firsts.flatMap((first) => Array.from({ length: count }, (_, index) => first + index))) {
  const outcome = await runSeed(disk, { seed, steps, drawn, ...(values.verbose && { print: say }) })
  totals.events += outcome.events
  totals.transactions += outcome.transactions
  totals.longest = Math.max(totals.longest, outcome.blocksToEnd)
  totals.tightest = Math.max(totals.tightest, outcome.bound === 0 ? 0 : outcome.blocksToEnd / outcome.bound)
  if (outcome.failure) totals.failed += 1
  for (const mark of outcome.marks) reached.set(mark, (reached.get(mark) ?? 0) + 1)
  if (values.json) say(JSON.stringify(outcome))
  else if (outcome.failure && values.brief) say(`seed ${seed}: ${outcome.failure.what.split('\n')[0]?.slice(0, 240)}`)
  else if (outcome.failure) reportFailure(outcome)
  if (values.brief && outcome.failure) break
}
const seconds = Number(process.hrtime.bigint() - began) / 1e9
if (!values.json && !(values.brief && totals.failed > 0)) {
  const { events, transactions, failed, longest, tightest } = totals
  say(
    `${firsts.length * count} seeds of ${steps} steps: ${failed} failed; ${transactions} transactions, ${events} events in ${seconds.toFixed(1)} s ` +
      `(${Math.round((firsts.length * count * steps) / seconds)} steps/s); the last end came ${longest} blocks after the faults, at most ${Math.round(tightest * 100)} % of the bound`,
  )
  if (firsts.length * count > 1) reportMarks()
}
process.exitCode = totals.failed > 0 ? 1 : 0

/** Which of the states that matter (sim/marks/marks.ts) these seeds have met. */
function reportMarks(): void {
  const missed = markNames.filter((name) => !reached.has(name))
  say(
    `${markNames.length - missed.length} of ${markNames.length} marks were reached${missed.length > 0 ? '; never:' : ''}`,
  )
  for (const name of missed) say(`  ${name}: ${marks[name]}`)
}

function reportFailure({ seed, failure, tail }: Outcome): void {
  if (!failure) return
  say(`\nseed ${seed} failed ${failure.step === 'afterwards' ? 'after the last step' : `in step ${failure.step + 1}`}:`)
  if (!values.verbose) for (const line of tail) say(`  ${line}`)
  say(`  ${failure.what}`)
  const options = [values.with && ` --with ${values.with}`, values.without && ` --without ${values.without}`]
  say(
    `  replay: npm run sim -- --seed ${seed} --steps ${steps}${options.map((each) => each ?? '').join('')} --verbose\n`,
  )
}
