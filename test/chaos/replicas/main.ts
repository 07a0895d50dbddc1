// npm run chaos: three replicas on one PostgreSQL through a storm of faults, and the judgement.
import { randomInt } from 'node:crypto'
import { toolArguments } from '../../../tooling/tool-arguments.ts'
import { storm } from './storm.ts'

const usage = `npm run chaos -- [--minutes 1] [--seed N]

A seed gives the same dice again; real processes keep no time, so not quite the same storm.
`
const values = toolArguments(usage, { minutes: { type: 'string', default: '1' }, seed: { type: 'string' } })
const minutes = Number(values.minutes)
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed)
const print = (text: string) => process.stdout.write(`${text}\n`)
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  process.stderr.write(`minutes are above 0, and a seed is a whole number\n${usage}`)
  process.exit(2)
}
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => process.exit(130))

print(`seed ${seed}, ${minutes} min`)
const { wrong, ...figures } = await storm({ seed, stormMs: minutes * 60_000, report: print })
print(JSON.stringify(figures, null, 2))
for (const fault of wrong) print(`WRONG: ${fault}`)
print(wrong.length === 0 ? 'all is as it must be' : `${wrong.length} things are not as they must be; --seed ${seed}`)
process.exitCode = wrong.length === 0 ? 0 : 1
