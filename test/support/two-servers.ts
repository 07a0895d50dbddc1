// Two real servers with streaming replication, and an address that leads to the first, as a DNS name or a virtual IP does.
import { until } from '../../tooling/client.ts'
import { type Postgres, startPostgres } from '../../tooling/postgres.ts'
import { type MovingAddress, openMovingAddress } from './moving-address.ts'
import { openPostgresLine, type PostgresLine } from './postgres-line.ts'

export interface TwoServers extends AsyncDisposable {
  readonly primary: Postgres
  readonly standby: Postgres
  /** Between the two. */
  readonly replication: PostgresLine
  readonly address: MovingAddress
  /** Of a database, by way of the address. */
  readonly url: string
  /** Of that database. */
  readonly name: string
  /** Resolves once the standby has all of the primary. */
  caughtUp(): Promise<void>
  /** While the old primary goes on. */
  failOver(): Promise<void>
}

export async function openTwoServers(settings: Readonly<Record<string, string>> = {}): Promise<TwoServers> {
  await using opened = new AsyncDisposableStack()
  const primary = opened.use(await startPostgres({ settings }))
  const url = await primary.database()
  const replication = opened.use(await openPostgresLine(primary.port))
  const through = Number(new URL(replication.through(url)).port)
  const standby = opened.use(await startPostgres({ settings, standbyOf: { primary, through } }))
  const address = opened.use(await openMovingAddress(primary.port))
  const everything = opened.move()
  return {
    ...{ primary, standby, replication, address, url: address.through(url), name: new URL(url).pathname.slice(1) },
    async caughtUp() {
      const [at] = await primary.query<{ lsn: string }>('SELECT pg_current_wal_lsn()::text AS lsn')
      const has = `SELECT pg_last_wal_replay_lsn() >= '${at?.lsn}'::pg_lsn AS has`
      await until(async () => (await standby.query<{ has: boolean }>(has))[0]?.has === true, {
        limitMs: 60_000,
        what: 'the standby',
      })
    },
    async failOver() {
      await standby.query('SELECT pg_promote()')
      address.moveTo(standby.port)
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}
