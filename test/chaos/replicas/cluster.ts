// Replicas of the service on one PostgreSQL, each behind a gate of its own, and relayers on three chains behind a
// recorder: two anvils, and Hardhat's strict pool.
import pg from 'pg'
import { privateKeyToAddress } from 'viem/accounts'
import { keccak256, toHex } from 'viem/utils'
import { type Anvil, startAnvil } from '../../../tooling/anvil.ts'
import { until } from '../../../tooling/client.ts'
import type { DevAccount } from '../../../tooling/dev-accounts.ts'
import { type Hardhat, startHardhat } from '../../../tooling/hardhat.ts'
import { numbers, type Postgres, startPostgres } from '../../../tooling/postgres.ts'
import { type Service, startService } from '../../../tooling/service.ts'
import type { ServiceFiles } from '../../../tooling/service-files.ts'
import { type Gate, openGate } from './gate.ts'
import { keepJournal } from './journal.ts'
import { openPair, type Pair } from './pair.ts'
import { type Recorder, startRecorder } from './recorder.ts'

export const apiKey = 'the-administrator-of-every-replica'

export interface Replica {
  readonly name: string
  readonly service: Service
  readonly gate: Gate
}

export interface Sender extends DevAccount {
  readonly id: string
  readonly chain: string
}

export interface Cluster extends AsyncDisposable {
  /** The primary of the moment. */
  readonly postgres: Postgres
  /** With a standby. */
  readonly pair?: Pair
  readonly recorder: Recorder
  readonly replicas: readonly Replica[]
  readonly chains: Readonly<Record<string, Anvil | Hardhat>>
  readonly senders: readonly Sender[]
  /** In the service's database, past all gates. */
  query<Row>(sql: string): Promise<readonly Row[]>
}

interface ClusterOptions {
  readonly replicas: readonly string[]
  /** Of 10 on each chain; default all of them. */
  readonly relayersPerChain?: number
  /** Default: `one` and `two`, which are anvils, and `strict`, which is Hardhat. */
  readonly chains?: readonly ('one' | 'two' | 'strict')[]
  readonly requiredConfirmations?: number
  readonly policies?: (index: number) => Readonly<Record<string, unknown>>
  readonly hasStandby?: true
  /** Where every relayer's events go. */
  readonly hook?: { readonly url: string; readonly signingKey: string }
  /** For every replica's Node. */
  readonly nodeArguments?: readonly string[]
}

const relayersPerChainMax = 10
/** 10,000 ether. */
const funds = toHex(10n ** 22n)

/** A funded account with a key of its own: on these chains the service refuses the published keys of development. */
async function openSender(chain: string, index: number, node: Anvil | Hardhat | undefined): Promise<Sender> {
  const id = `${chain}-${index}`
  const key = keccak256(toHex(id))
  const address = privateKeyToAddress(key)
  // Anvil has the method, too.
  await node?.rpc('hardhat_setBalance', [address, funds])
  return { id, chain, address, key }
}

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  await using pieces = new AsyncDisposableStack()
  const names = options.chains ?? ['one', 'two', 'strict']
  const chains: Record<string, Anvil | Hardhat> = {}
  for (const name of names) {
    const start = name === 'strict' ? startHardhat : startAnvil
    chains[name] = pieces.use(await start({ mining: 'manual', chainId: 31_337 + names.indexOf(name) }))
  }
  const pair = options.hasStandby && pieces.use(await openPair())
  const single = pair ? undefined : pieces.use(await startPostgres())
  const primary = () => (pair ? pair.primary() : (single as Postgres))
  const postgres = primary()
  const url = new URL(await postgres.database())
  const pools = pieces.use(openPools(url))
  const query = async <Row>(sql: string) => (await pools.at(primary().port).query(sql)).rows as Row[]
  const nodes = Object.fromEntries(names.map((name) => [name, chains[name]?.url ?? '']))
  const recorder = pieces.use(await startRecorder({ nodes, isRecorded: isRecorded(query) }))
  const senders: Sender[] = []
  for (const chain of names) {
    for (let index = 0; index < (options.relayersPerChain ?? relayersPerChainMax); index += 1) {
      senders.push(await openSender(chain, index, chains[chain]))
    }
  }

  async function startReplica(name: string): Promise<Replica> {
    await postgres.query(`CREATE ROLE ${name} LOGIN PASSWORD '${url.password}' IN ROLE ${url.username}`)
    // Its rows belong to all of them; the session identifies the replica.
    await postgres.query(`ALTER ROLE ${name} SET role = '${url.username}'`)
    const gate = pieces.use(await openGate(pair?.port ?? postgres.port))
    const own = new URL(url)
    own.username = name
    own.port = String(gate.port)
    const networks = names.map((chain, index) => ({
      name: chain,
      chainId: 31_337 + index,
      rpcUrls: [recorder.urlFor(name, chain)],
      requiredConfirmations: options.requiredConfirmations ?? 2,
      averageBlocktimeMs: 500,
    })) as unknown as ServiceFiles['networks']
    const relayers = senders.map(({ id, chain, key }, index) => ({
      id,
      privateKey: key,
      network: chain,
      policies: options.policies?.(index) ?? {},
      ...(options.hook && { notificationId: 'hook' }),
    }))
    const notifications = options.hook ? [{ id: 'hook', ...options.hook }] : []
    const env = {
      DATABASE_URL: String(own),
      API_KEY: apiKey,
      ...(options.hook && { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }),
    }
    const nodeArguments = options.nodeArguments ?? []
    const service = pieces.use(await startService({ networks, relayers, notifications, env, nodeArguments }))
    // A stopped process does not notice its parent's end.
    const end = () => signal(service, 'SIGKILL')
    process.once('exit', end)
    pieces.defer(() => void process.removeListener('exit', end))
    return { name, service, gate }
  }

  const replicas: Replica[] = []
  for (const name of options.replicas) replicas.push(await startReplica(name))
  await keepJournal(postgres, url.pathname.slice(1))
  const kept = pieces.move()
  return {
    get postgres() {
      return primary()
    },
    ...(pair && { pair }),
    ...{ recorder, replicas, chains, senders, query },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Connections past all gates, to whichever server is the primary. */
function openPools(url: URL) {
  const pools = new Map<number, pg.Pool>()
  return {
    at(port: number): pg.Pool {
      const known = pools.get(port)
      if (known) return known
      const own = Object.assign(new URL(url), { port: String(port) })
      const pool = new pg.Pool({ connectionString: String(own), max: 4, types: numbers })
      pool.on('error', () => undefined)
      pools.set(port, pool)
      return pool
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...pools.values()].map((pool) => pool.end()))
    },
  }
}

/** The message to the process; nothing when it is gone. */
export function signal({ pid }: Service, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It ended by itself.
  }
}

/** Starts it until it stays: a start may meet a database that is down. */
export async function startAgain({ name, service }: Replica): Promise<void> {
  const start = async () => {
    try {
      await service.restart()
      return true
    } catch (error) {
      // One that is slow, and not dead, must not run beside the next.
      await service.kill9()
      throw error
    }
  }
  await until(start, { everyMs: 200, limitMs: 240_000, what: `replica ${name} to start` })
}

function isRecorded(query: Cluster['query']): (hash: string) => Promise<boolean | undefined> {
  return async (hash) => {
    try {
      return (await query(`SELECT 1 FROM attempts WHERE hash = '${hash}'`)).length > 0
    } catch {
      return undefined
    }
  }
}
