// Durable POSTs and DELETEs a second, and their latency, with a live chain that mines nothing: all but the first few
// transactions wait in the queue. The bare loop gets the same load, in turn with the service: both see the same machine.
import { devAccount, startAnvil } from '../tooling/anvil.ts'
import { startBareLoop } from './bare-loop.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'
import { startLoad, targetOf } from './load.ts'
import type { Job, LoadResult, Target } from './load-job.ts'
import { median } from './median.ts'
import { peakMemoryMb } from './memory.ts'
import { processorSeconds, processorSecondsOfFamily } from './processor-time.ts'

const connections = 50
const warmUpRequests = 10_000
const requestsOfTurn = 12_000
const turns = 5

/** The service, or the bare loop. */
interface Side {
  warmUp(): Promise<void>
  /** So many requests as a turn has. */
  run(kind: Verb, turn: number): Promise<Turn>
}

type Verb = Job['kind'] & ('post' | 'delete')

/** Times are of processors, in microseconds a request. */
interface Turn {
  readonly result: LoadResult
  readonly process: number
  /** 0 where it is in the process. */
  readonly database: number
}

export async function measureSendsAndCancels(options: BenchOptions): Promise<Figure[]> {
  await using anvil = await startAnvil({ mining: 'manual' })
  await using service = await startBenchService(options, {
    profileName: 'post-delete',
    networks: [{ name: 'localhost', rpcUrls: [anvil.url], averageBlocktimeMs: 1000 }],
    // A queue on SQLite holds fewer transactions than this sends.
    relayers: Array.from({ length: turns }, (_, turn) => ({
      id: `bench-${turn}`,
      privateKey: devAccount(turn).key,
      policies: { max_in_flight: 16 },
    })),
  })
  await using bare = await startBareLoop(options.postgres)
  // A load keeps the ids that it cancels.
  await using ofService = startLoad()
  await using ofBare = startLoad()
  const databasePid = options.postgres?.pid
  const sides = [
    sideOf(ofService, (turn) => targetOf(service, `bench-${turn}`), service.pid, databasePid),
    sideOf(ofBare, () => bare.target, bare.pid, databasePid),
  ] as const
  for (const side of sides) await side.warmUp()
  const posts = await inTurn('post', sides)
  const deletes = await inTurn('delete', sides)
  const memoryMb = await peakMemoryMb(service.pid)
  await service.stop()
  const aims = options.postgres ? { post: '8,000 or more', delete: '10,000 or more' } : aimsOnSqlite
  return [
    ...figuresOf('POST', aims.post, posts),
    ...figuresOf('DELETE', aims.delete, deletes),
    {
      name: 'peak memory over these POSTs and DELETEs',
      value: memoryMb,
      unit: 'MB',
      aim: 'under 300',
    },
  ]
}

const aimsOnSqlite = { post: '15,000 or more', delete: '20,000 or more' }

function sideOf(
  load: ReturnType<typeof startLoad>,
  targetOf: (turn: number) => Target,
  pid: number,
  databasePid: number | undefined,
): Side {
  const usage = async () => ({
    process: await processorSeconds(pid),
    database: databasePid === undefined ? 0 : await processorSecondsOfFamily(databasePid),
  })
  return {
    async warmUp() {
      const target = targetOf(0)
      await load.run({ kind: 'post', target, connections, requests: warmUpRequests })
      await load.run({ kind: 'delete', target, connections, requests: warmUpRequests / 2 })
    },
    async run(kind, turn) {
      const before = await usage()
      // The newest are canceled first.
      const target = targetOf(kind === 'post' ? turn : turns - 1 - turn)
      const result = await load.run({ kind, target, connections, requests: requestsOfTurn })
      const after = await usage()
      const perRequest = (seconds: number) => (1e6 * seconds) / result.requests
      return {
        result,
        process: perRequest(after.process - before.process),
        database: perRequest(after.database - before.database),
      }
    },
  }
}

/** Of each side, a figure of all turns. */
async function inTurn(kind: Verb, [service, bare]: readonly [Side, Side]) {
  const ofService: Turn[] = []
  const ofBare: Turn[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn % 2 === 0) ofService.push(await service.run(kind, turn))
    ofBare.push(await bare.run(kind, turn))
    if (turn % 2 === 1) ofService.push(await service.run(kind, turn))
  }
  return { service: ofService, bare: ofBare }
}

function figuresOf(
  verb: string,
  aim: string,
  { service, bare }: { readonly service: readonly Turn[]; readonly bare: readonly Turn[] },
): Figure[] {
  const at = `at ${connections} connections`
  const rateOf = ({ result }: Turn) => result.requests / result.seconds
  const of = (figure: (turn: Turn) => number, side = service) => median(side.map(figure))
  const share = (figure: (own: Turn, limit: Turn) => number) =>
    median(service.map((own, turn) => 100 * figure(own, bare[turn] as Turn)))
  const database = of((turn) => turn.database)
  return [
    { name: `durable ${verb}`, value: of(rateOf), unit: '/s', aim },
    { name: `${verb} on the bare loop`, value: of(rateOf, bare), unit: '/s' },
    {
      name: `${verb}, rate as a share of the bare loop`,
      value: share((own, limit) => rateOf(own) / rateOf(limit)),
      unit: '%',
      aim: '60 or more',
    },
    { name: `${verb}, processor time of the bare loop`, value: of((turn) => turn.process, bare), unit: 'µs' },
    {
      name: `${verb}, the bare loop's processor time as a share of the service's`,
      value: share((own, limit) => limit.process / own.process),
      unit: '%',
      aim: '60 or more',
    },
    { name: `${verb} latency p50 ${at}`, value: of(({ result }) => result.p50Ms), unit: 'ms' },
    { name: `${verb} latency p99 ${at}`, value: of(({ result }) => result.p99Ms), unit: 'ms' },
    { name: `${verb}, processor time of the service`, value: of((turn) => turn.process), unit: 'µs' },
    ...(database > 0
      ? [
          { name: `${verb}, processor time of the database`, value: database, unit: 'µs' },
          {
            name: `${verb}, processor time of the database for the bare loop`,
            value: of((turn) => turn.database, bare),
            unit: 'µs',
          },
        ]
      : []),
    {
      name: `${verb}, processor time of the load`,
      value: of(({ result }) => (1e6 * result.loadCpuSeconds) / result.requests),
      unit: 'µs',
    },
  ]
}
