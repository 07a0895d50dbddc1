// Two PostgreSQL servers with streaming replication, behind an address that leads to one of them. Debian's server where it is
// installed, as operators have it.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../tooling/client.ts'
import { type Postgres, startPostgres } from '../../../tooling/postgres.ts'
import { openMovingAddress } from '../../support/moving-address.ts'
import { openPostgresLine, type PostgresLine } from '../../support/postgres-line.ts'

export interface Pair extends AsyncDisposable {
  /** Where the address is: connections that are open stay when it moves. */
  readonly port: number
  primary(): Postgres
  /** Between the standby of the moment and its primary. */
  replication(): PostgresLine
  /**
   * Nothing is lost. The primary stops, and comes back as a standby while the address still leads to it; then the other one is
   * promoted, and the address moves.
   */
  switchOver(betweenMs?: number): Promise<void>
  /** The standby is promoted with what it has, the address moves, and the old primary goes on. */
  failOver(): Promise<void>
  /** For a while the address leads to the standby. */
  leadAstray(forMs: number, andThen: () => void): Promise<void>
}

export async function openPair(): Promise<Pair> {
  await using pieces = new AsyncDisposableStack()
  const first = pieces.use(await startPostgres({ installed: true }))
  const toFirst = pieces.use(await openPostgresLine(first.port))
  const second = pieces.use(
    await startPostgres({ installed: true, standbyOf: { primary: first, through: toFirst.port } }),
  )
  const toSecond = pieces.use(await openPostgresLine(second.port))
  await first.query(`ALTER SYSTEM SET primary_conninfo = '${first.conninfo(toSecond.port)}'`)
  const address = pieces.use(await openMovingAddress(first.port))
  let current: { readonly primary: Postgres; readonly standby: Postgres; readonly line: PostgresLine } = {
    ...{ primary: first, standby: second, line: toFirst },
  }

  const follows = async () =>
    (await current.primary.query("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'")).length > 0

  function swap(): void {
    const { primary, standby, line } = current
    current = { primary: standby, standby: primary, line: line === toFirst ? toSecond : toFirst }
    address.moveTo(standby.port)
  }

  const kept = pieces.move()
  return {
    port: address.port,
    primary: () => current.primary,
    replication: () => current.line,
    async switchOver(betweenMs = 0) {
      const { primary, standby } = current
      await until(follows, { limitMs: 60_000, what: 'the standby to follow' })
      // The server sends its standby all that it has before it ends.
      await primary.stop()
      await writeFile(join(primary.data, 'standby.signal'), '')
      await primary.restart()
      await sleep(betweenMs)
      await standby.query('SELECT pg_promote()')
      swap()
    },
    async failOver() {
      await current.standby.query('SELECT pg_promote()')
      swap()
    },
    async leadAstray(forMs, andThen) {
      const { primary, standby } = current
      address.moveTo(standby.port)
      andThen()
      await sleep(forMs)
      address.moveTo(primary.port)
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
