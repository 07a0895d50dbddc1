// npm run bench: prints measurements beside the aims of the design, and judges nothing.
import { mkdtemp, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../tooling/postgres.ts'
import { toolArguments } from '../tooling/tool-arguments.ts'
import { measureBalance } from './balance.ts'
import { asRun, type BenchOptions } from './bench-service.ts'
import { measureBulkCancel } from './bulk-cancel.ts'
import { measureBulkObject } from './bulk-object.ts'
import { measureBurst } from './burst.ts'
import { measureCalls } from './calls.ts'
import { measureConsole } from './console.ts'
import { measureCustody } from './custody.ts'
import { measureDashboard } from './dashboard.ts'
import { measureDoor } from './door.ts'
import { measureCounts, measureEndToEnd } from './e2e.ts'
import { measureFairness } from './fairness.ts'
import { measureFarDatabase } from './far-database.ts'
import { type Figure, lineOf } from './figure.ts'
import { measureFinished } from './finished.ts'
import { measureHostile } from './hostile.ts'
import { measureHsm } from './hsm.ts'
import { latencyRows, measureLatency } from './latency.ts'
import { measureOneDelete } from './one-delete.ts'
import { measureOpenSnapshot } from './open-snapshot.ts'
import { printRooms } from './print-rooms.ts'
import { listProfiles } from './profiles.ts'
import { measureRelayers } from './relayers.ts'
import { measureRetention } from './retention.ts'
import { measureSendsAndCancels } from './sends-and-cancels.ts'
import { measureSigners } from './signers.ts'
import { measureUnread } from './unread.ts'
import { measureWaiting } from './waiting.ts'
import { measureWakeUp } from './wake.ts'

const topics = [
  'post',
  'delete',
  'bulk',
  'objects',
  'fairness',
  'calls',
  'burst',
  'e2e',
  'counts',
  'relayers',
  'one',
  'latency',
  'waiting',
  'unread',
  'door',
  'signers',
  'custody',
  'hsm',
  'dashboard',
  'console',
  'wake',
  'balance',
  'retention',
  'finished',
  'hostile',
  'snapshot',
  'far',
  'profiles',
] as const
type Topic = (typeof topics)[number]
/** Only where they are named: one takes an hour, one a quarter of it, and one prints 700 lines. */
const unasked: readonly Topic[] = ['finished', 'latency', 'profiles']

const usage = `npm run bench -- [--only ${topics}] [--row ROWS] [--database sqlite|postgres] [--json FILE] [--profile]

  --only      some of these, with commas
  --rows      finished transactions of the part \`finished\`, which runs only if it is named; 10,000,000 take 13 GB of disk
  --row       some rows of the part \`latency\`, with commas: round trip and block time in milliseconds, such as 200/2000, or receiver
  --json      writes the figures to a file as well
  --profile   writes profiles of the service's processes, says where, and prints which rooms of src their time goes to
`
const values = toolArguments(usage, {
  only: { type: 'string' },
  database: { type: 'string', default: 'sqlite' },
  rows: { type: 'string', default: '10000000' },
  row: { type: 'string' },
  json: { type: 'string' },
  profile: { type: 'boolean', default: false },
})
const requested = values.only?.split(',') ?? topics.filter((topic) => !unasked.includes(topic))
const unknown = requested.filter((topic) => !(topics as readonly string[]).includes(topic))
if (unknown.length > 0) {
  print(`--only ${unknown.join(',')}: unknown; choose from ${topics.join(',')}`)
  process.exit(1)
}
if (!['sqlite', 'postgres'].includes(values.database)) {
  print(`--database ${values.database}: unknown; choose sqlite or postgres`)
  process.exit(1)
}
const rows = Number(values.rows)
if (!Number.isInteger(rows) || rows < 100_000) {
  print(`--rows ${values.rows}: give a whole number of 100,000 or more`)
  process.exit(1)
}
const ofLatency = values.row?.split(',') ?? latencyRows
if (!ofLatency.every((row) => latencyRows.includes(row))) {
  print(`--row ${values.row}: unknown; choose from ${latencyRows.join()}`)
  process.exit(1)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

const machine = describeMachine()
print(`${machine.cores} cores of ${machine.model}, ${machine.memoryGiB} GiB, ${machine.platform}, Node ${machine.node}`)
print(`The load runs in a process of its own, on the same cores. Load average before: ${machine.loadBefore.toFixed(2)}`)

await using postgres = values.database === 'postgres' ? await startPostgres({ settings: asRun }) : undefined
if (postgres) print('The database is PostgreSQL, on the same cores too.')
const options: BenchOptions = {
  ...(values.profile && { profileDirectory: await mkdtemp(join(tmpdir(), 'rescind-profile-')) }),
  ...(postgres && { postgres }),
}
const wants = (...wanted: Topic[]) => wanted.some((topic) => requested.includes(topic))
const figures: Figure[] = []
if (wants('post', 'delete')) report(await measureSendsAndCancels(options))
if (wants('bulk')) report(await measureBulkCancel(options))
if (wants('objects')) report(await measureBulkObject(options))
if (wants('fairness')) report(await measureFairness(options))
if (wants('calls')) report(await measureCalls(options))
if (wants('burst')) report(await measureBurst(options))
if (wants('e2e')) report(await measureEndToEnd(options))
if (wants('counts')) report(await measureCounts(options))
if (wants('relayers')) report(await measureRelayers(options))
if (wants('one')) report(await measureOneDelete(options))
if (wants('latency')) await measureLatency(options, ofLatency, report)
if (wants('waiting')) report(await measureWaiting(options))
if (wants('unread')) report(await measureUnread(options))
if (wants('door')) report(await measureDoor(options))
if (wants('retention')) report(await measureRetention(options))
if (wants('finished')) report(await measureFinished(options, rows))
if (wants('hostile')) report(await measureHostile(options))
// On a PostgreSQL of its own, too.
if (wants('snapshot')) report(await measureOpenSnapshot(options))
if (wants('far')) report(await measureFarDatabase(options))
if (wants('profiles')) report(listProfiles(print))
if (wants('dashboard')) report(await measureDashboard(options))
// Its database is SQLite.
if (wants('console')) report(await measureConsole(print))
// Replicas share a PostgreSQL of their own, whatever the others run on.
if (wants('wake')) report(await measureWakeUp())
if (wants('balance')) report(await measureBalance())
// Its database is SQLite: the keys' quota is the limit.
if (wants('signers')) report(await measureSigners())
if (wants('custody')) report(await measureCustody())
if (wants('hsm')) report(await measureHsm())

if (options.profileDirectory !== undefined) {
  print(`profiles: ${options.profileDirectory}`)
  printRooms(options.profileDirectory, print)
}
if (values.json !== undefined) await writeFile(values.json, JSON.stringify({ machine, figures }, null, 2))

function report(measured: readonly Figure[]): void {
  figures.push(...measured)
  for (const figure of measured) print(lineOf(figure))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** The machine of the figures. */
function describeMachine() {
  return {
    cores: cpus().length,
    model: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    // The load average of the minute before the bench began. Well above 0, other processes shared the cores, and the figures are worse.
    loadBefore: loadavg()[0] ?? 0,
  }
}
