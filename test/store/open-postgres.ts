// The production store on a database of its own, of a server that a test file shares, and a second pair of eyes.
import { afterAll } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { secretUrl } from '../../src/ops/secret.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { type Postgres, startPostgres } from '../../tooling/postgres.ts'
import type { OpenStore } from './contract.ts'
import { quiet } from './open-store.ts'

/** Called at the top of a test file: the server ends after its last test. */
export function sharedPostgres(): () => Promise<Postgres> {
  let starting: Promise<Postgres> | undefined
  afterAll(async () => {
    await (await starting)?.[Symbol.asyncDispose]()
  })
  return () => {
    starting ??= startPostgres()
    return starting
  }
}

export function openOn(server: () => Promise<Postgres>): OpenStore {
  return async () => {
    const postgres = await server()
    const url = new URL(await postgres.database())
    const store = await openPostgresStore({ url: secretUrl(url), clock: systemClock, logger: quiet })
    return {
      store,
      query: (sql) => postgres.query(sql, url.pathname.slice(1)),
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    }
  }
}
