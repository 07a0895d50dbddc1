// Lays the decisions of another commit beside ours: each step of the simulator decides by both, on the same facts, and a plan that differs
// fails the run, whatever the engine does with it. Seeds that pass, and tests that do, miss many a difference of plans.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toolArguments } from '../../tooling/tool-arguments.ts'
import { type Feature, featureNames } from '../scenario/features.ts'
import { compared, differences } from './compare.ts'
import { layBeside } from './lay-beside.ts'

const usage = `npm run same-plans -- --since COMMIT [--seed 1] [--seeds 25] [--steps 300] [--with NAMES]... [--without NAMES]

  --since     the commit that has the other decisions: its whole src/domain is loaded beside ours
  --with      features of the world (sim/scenario/features.ts), with commas between: every seed has them. Given several times, the seeds
              run once with each
  --without   features that no seed has
`
const values = toolArguments(usage, {
  since: { type: 'string' },
  seed: { type: 'string', default: '1' },
  seeds: { type: 'string', default: '25' },
  steps: { type: 'string', default: '300' },
  with: { type: 'string', multiple: true, default: [''] },
  without: { type: 'string', default: '' },
})
const [first, count, steps] = [Number(values.seed), Number(values.seeds), Number(values.steps)]
const named = [...values.with, values.without].flatMap((each) => each.split(',')).filter((each) => each !== '')
const unknown = named.filter((name) => !(featureNames as readonly string[]).includes(name))
if (values.since === undefined || ![first, count, steps].every(Number.isSafeInteger) || unknown.length > 0) {
  process.stderr.write(`${unknown.length > 0 ? `no feature ${unknown}\n` : ''}${usage}`)
  process.exit(2)
}
const say = (text: string) => process.stdout.write(`${text}\n`)

const folder = mkdtempSync(join(tmpdir(), 'same-plans-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const archive = execFileSync('git', ['archive', values.since, 'src/domain'], { maxBuffer: 2 ** 28 })
execFileSync('tar', ['-x', '-C', folder], { input: archive })
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
const loaded = layBeside(folder)
const { runSeed } = await import('../run-seed.ts')
const { drawnUsually } = await import('../scenario/features.ts')
const { openDisk } = await import('../process/database.ts')
loaded()

using disk = openDisk()
let failed = 0
for (const features of values.with) {
  const has = (names: string, odds: number) =>
    Object.fromEntries(names.split(',').flatMap((name) => (name === '' ? [] : [[name as Feature, odds]])))
  const drawn = { ...drawnUsually, ...has(features, 1), ...has(values.without, 0) }
  const before = { ...compared }
  let differing = 0
  for (let seed = first; seed < first + count; seed += 1) {
    const outcome = await runSeed(disk, { seed, steps, drawn })
    const [difference] = differences.splice(0)
    if (!difference && !outcome.failure) continue
    differing += 1
    say(`seed ${seed}${features && ` --with ${features}`}: ${difference ?? `the seed fails: ${outcome.failure?.what}`}`)
  }
  failed += differing
  const counts = Object.entries(compared).map(([name, all]) => `${all - (before[name] ?? 0)} of ${name}`)
  say(`${features || 'as drawn'}: ${differing} of ${count} seeds differ; compared ${counts.join(', ')}`)
}
process.exitCode = failed > 0 ? 1 : 0
