// A server on a store of PostgreSQL, and the line between the two, which a test cuts.
import { type Clock, systemClock } from '../../../src/ops/clock.ts'
import { secretUrl } from '../../../src/ops/secret.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import type { Postgres } from '../../../tooling/postgres.ts'
import { quiet } from '../../store/open-store.ts'
import { openPostgresLine, type PostgresLine } from '../../support/postgres-line.ts'
import { receiver } from './rows.ts'
import { type Answer, type Serving, serve } from './serve.ts'

export interface Place extends AsyncDisposable {
  readonly postgres: Postgres
  readonly line: PostgresLine
  readonly serving: Serving
  /** As a superuser, past the line. */
  query<Row>(sql: string): Promise<readonly Row[]>
  stored(): Promise<number>
}

interface Setting {
  readonly clock?: Clock
  readonly stop?: AbortSignal
}

/** A COMMIT without an answer is waited for as long as it takes, however busy the machine is. */
const patientClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms === 5_000 ? 3_600_000 : ms, signal),
}

export const servingOn =
  (server: () => Promise<Postgres>) =>
  async ({ clock = patientClock, stop }: Setting = {}): Promise<Place> => {
    const postgres = await server()
    await using pieces = new AsyncDisposableStack()
    const line = pieces.use(await openPostgresLine(postgres.port))
    const url = await postgres.database()
    const query = <Row>(sql: string) => postgres.query<Row>(sql, new URL(url).pathname.slice(1))
    const serving = pieces.use(
      await serve({
        open: async () => {
          const address = secretUrl(new URL(line.through(url)))
          const store = await openPostgresStore({ url: address, clock, logger: quiet, stop })
          return { store, query, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
        },
      }),
    )
    const everything = pieces.move()
    return {
      postgres,
      line,
      serving,
      query,
      stored: async () => (await query<{ n: number }>('SELECT count(*) AS n FROM transactions'))[0]?.n ?? 0,
      [Symbol.asyncDispose]: () => everything.disposeAsync(),
    }
  }

/** The answer to a send that is stored, and whose fate nobody can read. */
export async function sendInDoubt({ line }: Place, send: () => Promise<Answer>): Promise<Answer> {
  line.hideFates(true)
  const cut = line.cutAtCommit('after')
  const lost = await send()
  await cut
  line.hideFates(false)
  return lost
}

export const sendBody = JSON.stringify({ to: receiver, value: '1' })
