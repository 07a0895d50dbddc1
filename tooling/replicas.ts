// Several real processes on one real PostgreSQL, each with a line of its own to the same chain: a test sees which replica sent a transaction.
import { randomBytes } from 'node:crypto'
import type { RelayerId } from '../src/domain/ids.ts'
import { slotOf } from '../src/ownership/choose-slots.ts'
import { slotsMax } from '../src/store/locks.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { type Client, openClient, until } from './client.ts'
import { type Line, openLine } from './line.ts'
import { type Postgres, type PostgresOptions, startPostgres } from './postgres.ts'
import { type Service, type ServiceOptions, startService } from './service.ts'
import type { NotificationOptions, RelayerOptions } from './service-files.ts'

export interface Replica {
  readonly name: string
  readonly service: Service
  readonly client: Client
  readonly line: Line
}

export interface Replicas extends AsyncDisposable {
  readonly node: Anvil
  readonly postgres: Postgres
  /** Rows of the database. */
  query<Row>(sql: string): Promise<readonly Row[]>
  add(name: string, options?: ReplicaOptions): Promise<Replica>
  /** The replica that holds the lock of the relayer. */
  ownerOf(relayer: string): Promise<string | undefined>
  /** Relayers by the replica that holds their locks. */
  shares(): Promise<ReadonlyMap<string, readonly string[]>>
  /** Resolves once every relayer has an owner, and each of these replicas as many relayers as said. */
  shared(counts: Readonly<Record<string, number>>, limitMs?: number): Promise<void>
}

interface ReplicaOptions {
  /** Sources of another release; the tested service by default. */
  readonly main?: ServiceOptions['main']
  readonly env?: Readonly<Record<string, string>>
  /** Absent: that of the others. With another one, neither side believes the messages of the other. */
  readonly apiKey?: string
}

interface ReplicasOptions {
  readonly relayers: readonly RelayerOptions[]
  readonly notifications?: readonly NotificationOptions[]
  readonly requiredConfirmations?: number
  readonly postgres?: PostgresOptions
  readonly env?: Readonly<Record<string, string>>
}

export async function openReplicas(options: ReplicasOptions): Promise<Replicas> {
  await using pieces = new AsyncDisposableStack()
  const node = pieces.use(await startAnvil({ mining: 'manual' }))
  const postgres = pieces.use(await startPostgres(options.postgres))
  const url = new URL(await postgres.database())
  const kept = pieces.move()
  const query = <Row>(sql: string) => postgres.query<Row>(sql, url.pathname.slice(1))
  const sharedKey = randomBytes(24).toString('hex')
  const names = options.relayers.map(({ id }) => id)

  async function shares(): Promise<ReadonlyMap<string, readonly string[]>> {
    const rows = await query<{ name: string; slot: number }>(
      `SELECT application_name AS name, objid::int8 AS slot FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND application_name LIKE 'replica %'
          AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
    const held = new Map<string, string[]>()
    for (const { name, slot } of rows) {
      const replica = name.slice('replica '.length)
      const its = held.get(replica) ?? []
      held.set(replica, its)
      if (slot < slotsMax) its.push(...names.filter((relayer) => slotOf(relayer as RelayerId) === slot))
    }
    return held
  }

  return {
    node,
    postgres,
    query,
    shares,
    async add(name, replica = {}) {
      const line = kept.use(await openLine(node.url))
      const own = new URL(url)
      own.searchParams.set('application_name', `replica ${name}`)
      const service = kept.use(
        await startService({
          networks: [
            {
              name: 'localhost',
              rpcUrls: [line.url],
              averageBlocktimeMs: 100,
              requiredConfirmations: options.requiredConfirmations ?? 1,
            },
          ],
          relayers: options.relayers,
          apiKey: replica.apiKey ?? sharedKey,
          ...(options.notifications && { notifications: options.notifications }),
          env: { DATABASE_URL: own.href, ...options.env, ...replica.env },
          ...(replica.main && { main: replica.main }),
        }),
      )
      return { name, service, line, client: kept.use(openClient(service.url, service.apiKey)) }
    },
    async ownerOf(relayer) {
      return [...(await shares())].find(([, relayers]) => relayers.includes(relayer))?.[0]
    },
    async shared(counts, limitMs = 90_000) {
      let last = ''
      await until(
        async () => {
          const found = [...(await shares())].map(([name, { length }]): [string, number] => [name, length]).sort()
          last = JSON.stringify(found)
          return last === JSON.stringify(Object.entries(counts).sort())
        },
        { limitMs, what: () => `shares ${JSON.stringify(counts)}; they are ${last}` },
      )
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Relayers with keys that nobody else has; none of them has a balance. */
export function poorRelayers(count: number): readonly RelayerOptions[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `relayer-${index}`,
    privateKey: `0x${(index + 1).toString(16).padStart(64, '0')}` as const,
  }))
}
