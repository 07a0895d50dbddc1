// Which tests there are, which command runs them, and how.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const cacheVariable = 'NODE_COMPILE_CACHE'
// What one process has compiled, the others of a run need not, nor those of the next.
process.env[cacheVariable] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

interface Tier {
  /** A project of Vitest: `npx vitest run --project NAME`. */
  readonly name: string
  readonly files: readonly string[]
  readonly except?: readonly string[]
  /** These files belong to another tier, and run a second time in this one. */
  readonly again?: true
}

/**
 * Files that start no node, process or database: in folders that have no others, and elsewhere by their suffix.
 * `test/layout/tiers.test.ts` reads in their imports what they start.
 */
const unit = ['test/{config,dashboard,domain,layout,signers}/**/*.test.ts', 'test/**/*.unit.test.ts']

/** Files of `real` that ask the store, through whatever stands before it, and meet locks, replays or the order of events. */
const onPostgres = [
  'test/commands/**/sync-configured-relayers.test.ts',
  'test/e2e/**/webhooks.test.ts',
  'test/registry/**/*.test.ts',
  'test/retention/**/*.test.ts',
  'test/http/**/{cancel-pending,dead-letters,labels,replace,send-once,submit-batch}.test.ts',
  'test/engine/**/{lost-history,statements,step}.test.ts',
  'test/ownership/**/{own-by-locks,ownership}.test.ts',
  'test/cli/check-database.test.ts',
  'test/cli/check-receivers.test.ts',
]

/**
 * Files that take long beside what they prove: what false nodes, odd chains, key services, restored copies and outages do to the service,
 * and details of PostgreSQL. `npm test` keeps one file of each kind.
 */
const long = [
  'test/{attacks,deploy,lies,proxies,sdk}/**/*.test.ts',
  'test/e2e/{rollups,signers}/**/*.test.ts',
  'test/e2e/{access-list,burst,cancellation-preview,foreign-pool,four-eyes,gaps,gas-rules,hanging-send,large-pages}.test.ts',
  'test/e2e/{metrics,move,node-down,nodes,postgres,process-conditions,refused-batches,refused-cancel,replicas,restored-*}.test.ts',
  'test/e2e/{relayer-events-killed,small-disk,sweep}.test.ts',
  'test/http/server/database-failures.test.ts',
  'test/manage/{networks,secrets}.test.ts',
  'test/openapi/{examples,unknown-outcomes}.test.ts',
  'test/store/{migrations,postgres-*}.test.ts',
]

/**
 * Files of `real` whose effect differs on PostgreSQL, too, and that take longer: bulk cancellations in one commit, the order of events,
 * waits for rows that another process writes, crashes, and lists and sums that have other statements there.
 */
const alsoOnPostgres = [
  'test/commands/**/*.test.ts',
  'test/e2e/**/{batch,bulk-events,bulk-events-reopened,bulk-objects,external-id,kill-9,restored-copy,stop}.test.ts',
  'test/engine/**/{account-in-use,survey-idle}.test.ts',
  'test/http/api-keys/api-keys.test.ts',
  'test/http/bulk-cancellations/bulk-cancellations.test.ts',
  'test/http/events/**/*.test.ts',
  'test/http/relayers/{overview,series}.test.ts',
  'test/http/request/share-rates.test.ts',
  'test/http/transactions/{cancel,four-eyes,holds,list-transactions,queue-bytes,submit,wait}.test.ts',
  'test/manage/{pause-keys,relayers}.test.ts',
  'test/webhooks/**/*.test.ts',
]

/** Files of `real` that are on PostgreSQL as it is, about SQLite's file, or about no database. */
const onOneDatabase = [
  'test/e2e/signers/{open-signers,pkcs11*,vault-client}.test.ts',
  'test/e2e/**/{postgres,replicas*,disk-failure,long-queue,process-conditions,small-disk}.test.ts',
  'test/http/server/database-failures.test.ts',
]

/**
 * A file belongs to the first row that holds it; rows with `again` run it once more. `npm run test:unit` runs `unit`, `npm test`
 * every row without a hyphen, `npm run test:rest` those with `rest-`, and `npm run test:all` all, those with `long-` too.
 */
export const tiers: readonly Tier[] = [
  { name: 'unit', files: unit },
  { name: 'rest-mutants', files: ['test/sim/mutants.test.ts'] },
  { name: 'rest-broken-end', files: ['test/sim/broken-end.test.ts'] },
  { name: 'sim', files: ['test/sim/**/*.test.ts'] },
  { name: 'demo', files: ['test/demo/**/*.test.ts'] },
  { name: 'rest-cli', files: ['test/cli/{bulk,commands,nodes,outage,packed-dashboard,prepare,testing-page}.test.ts'] },
  { name: 'rest-store', files: ['test/store/postgres{,-server}.test.ts', 'test/store/pgbouncer.test.ts'] },
  { name: 'rest-replicas', files: ['test/e2e/replicas-*.test.ts'] },
  { name: 'rest-fuzz', files: ['test/openapi/**/fuzz.test.ts'] },
  { name: 'rest-browser', files: ['test/browser/{bulk-cancellations,dashboard,lists,look,nodes,outage}.test.ts'] },
  { name: 'long-browser', files: ['test/browser/every-layout.test.ts'] },
  { name: 'browser', files: ['test/browser/**/*.test.ts'] },
  { name: 'long-nights', files: ['test/nights/**/*.test.ts'] },
  { name: 'long-chaos', files: ['test/chaos/**/*.test.ts'] },
  { name: 'long-haproxy', files: ['test/proxies/haproxy.test.ts'] },
  { name: 'rest-transfer', files: ['test/transfer/**/{cut-off,refusals,transfer}.test.ts'] },
  { name: 'rest-real', files: long },
  { name: 'real', files: ['test/**/*.test.ts'] },
  { name: 'postgres', files: onPostgres, again: true },
  { name: 'rest-postgres', files: alsoOnPostgres, except: [...unit, ...onPostgres], again: true },
  {
    name: 'long-postgres',
    files: ['test/{attacks,commands,e2e,registry,http,manage,openapi,engine,ownership,webhooks}/**/*.test.ts'],
    except: [...unit, ...onPostgres, ...alsoOnPostgres, ...onOneDatabase],
    again: true,
  },
  { name: 'rest-sim', files: ['test/sim/seeds.test.ts'], again: true },
  { name: 'long-sim', files: ['test/sim/seeds.test.ts'], again: true },
  { name: 'long-fuzz', files: ['test/openapi/**/fuzz.test.ts'], again: true },
  { name: 'long-rules', files: ['test/openapi/**/examples.test.ts'], again: true },
]

/** Files a few at a time: most wait for nodes and processes. A worker goes from one to the next without loading all anew. */
const together = { maxWorkers: 4, isolate: false, sequence: { groupOrder: 0 } }

const withProcesses = { ...together, globalSetup: ['test/support/compile-ahead.ts'] }

/** More at a time: these wait longer for blocks, outages and restarts than they compute. */
const waiting = { maxWorkers: 6, sequence: { groupOrder: 10 } }

/** What starts many processes by itself runs alone: a wait that is generous on two idle cores is none on two busy ones. */
const alone = (place: number) => ({ maxWorkers: 1, sequence: { groupOrder: place } })

const onOneServer = {
  ...together,
  globalSetup: ['test/support/compile-ahead.ts', 'test/support/on-postgres.ts'],
  setupFiles: ['test/support/use-postgres.ts'],
}

const sweeping = (place: number, sweep: { after: number; seeds: number }) => ({
  ...alone(place),
  maxConcurrency: 2,
  globalSetup: ['test/sim/begin-sweeps.ts'],
  provide: { sweep },
})

const ways: Readonly<Record<string, object>> = {
  real: withProcesses,
  'rest-real': { ...withProcesses, ...waiting },
  'rest-store': { ...together, ...waiting },
  'long-haproxy': { ...together, ...waiting },
  'rest-transfer': { ...withProcesses, ...waiting },
  'rest-replicas': { ...withProcesses, ...waiting },
  postgres: onOneServer,
  'rest-postgres': { ...onOneServer, ...waiting },
  'long-postgres': { ...onOneServer, ...waiting },
  'rest-fuzz': { ...withProcesses, ...waiting, env: { FUZZ_REQUESTS: '5000' } },
  'long-fuzz': { ...withProcesses, ...waiting, env: { FUZZ_REQUESTS: '60000' } },
  'long-rules': { ...withProcesses, ...waiting, env: { FUZZ_REQUESTS: '10000' } },
  demo: alone(1),
  // One Chromium at a time.
  browser: { ...withProcesses, ...alone(6) },
  'rest-browser': { ...withProcesses, ...alone(7) },
  'long-browser': { ...withProcesses, ...alone(12) },
  'long-nights': { ...withProcesses, ...alone(13) },
  'rest-cli': { ...alone(5), globalSetup: ['test/cli/support/pack-once.ts'] },
  // Virtual time waits for nobody, and one file mostly waits for its tests.
  sim: { ...sweeping(2, { after: 0, seeds: 60 }), maxWorkers: 2 },
  'rest-sim': sweeping(3, { after: 60, seeds: 240 }),
  'long-sim': sweeping(11, { after: 300, seeds: 2700 }),
  'rest-broken-end': sweeping(9, { after: 0, seeds: 8 }),
  'rest-mutants': { ...alone(8), maxConcurrency: 2 },
  'long-chaos': alone(4),
}

/** Vitest's own second is none on a busy machine. */
const pollMs = 90_000

export default defineConfig({
  test: {
    // These end what hangs, on a machine whose cores are busy otherwise, too: no working code meets them.
    testTimeout: 300_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: pollMs } },
    setupFiles: ['test/support/seed-properties.ts'],
    projects: tiers.map(({ name, files, except = [], again }, place) => ({
      extends: true as const,
      test: {
        name,
        include: [...files],
        exclude: [...except, ...(again ? [] : tiers.slice(0, place).flatMap((earlier) => earlier.files))],
        ...(ways[name] ?? together),
      },
    })),
  },
})
