// A store on a PostgreSQL, and other sessions beside it.
import pg from 'pg'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPool } from '../../src/store/postgres/connect.ts'
import { readingExecutor } from '../../src/store/postgres/executor.ts'
import { type Lanes, openLanes } from '../../src/store/postgres/lanes.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { openSettledEvents } from '../../src/store/postgres/settled-events.ts'
import type { Store } from '../../src/store/store.ts'
import type { Postgres } from '../../tooling/postgres.ts'
import { quiet } from './open-store.ts'

export interface Place extends AsyncDisposable {
  readonly store: Store
  readonly url: string
  /** As another process would write, were it let in. */
  otherLanes(): Lanes
  /** A session of the database beside all of ours. */
  session(): Promise<pg.Client>
  query<Row>(sql: string): Promise<readonly Row[]>
}

export const placesOn = (server: () => Promise<Postgres>) => async (): Promise<Place> => {
  const postgres = await server()
  const url = await postgres.database()
  const shown = secretUrl(new URL(url))
  await using opened = new AsyncDisposableStack()
  const store = opened.use(await openPostgresStore({ url: shown, clock: systemClock, logger: quiet }))
  const everything = opened.move()
  return {
    store,
    url,
    otherLanes() {
      const pool = openPool(shown, { max: 4, onIdleError: () => undefined })
      everything.defer(() => pool.end())
      const lanes = openLanes(pool, openSettledEvents(readingExecutor(pool), systemClock), {
        fateOf: async () => 'unknown',
      })
      everything.defer(() => lanes.close())
      return lanes
    },
    async session() {
      const client = new pg.Client(url)
      await client.connect()
      everything.defer(() => client.end())
      return client
    },
    query: (sql) => postgres.query(sql, new URL(url).pathname.slice(1)),
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}
