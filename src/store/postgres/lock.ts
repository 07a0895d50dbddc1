// One process a database, for as long as relayers are shared out in process only: a session holds the lock, and the
// server lets it go when that session ends, however it ends.
import pg from 'pg'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { Secret } from '../../ops/secret.ts'
import { StoreInUse } from '../store.ts'
import { settingsFor } from './connect.ts'

/** Of advisory locks: the other half of each key is the schema, so that two installations may share a database. */
export const lockClass = { migration: 1_919_251_298, process: 1_919_251_299 } as const

/** A process that was killed a moment ago still holds it, until the server notices. */
const waitMs = { most: 5_000, each: 100 }
const againMs = 250

export interface ProcessLock {
  /** Throws while it is not certain that the lock is this process's. */
  check(): void
  release(): Promise<void>
}

/** Throws StoreInUse while another process holds it. */
export async function lockDatabase(url: Secret, clock: Clock, logger: Logger): Promise<ProcessLock> {
  const releasing = new AbortController()
  let session: pg.Client | undefined
  /** Another process held the lock since: what this one believes of its relayers is old. */
  let succeeded = false
  let recovering: Promise<void> = Promise.resolve()

  async function take(): Promise<pg.Client | undefined> {
    const client = new pg.Client(settingsFor(url))
    // Unheard, the error of a connection that breaks would end the process; its end is what counts.
    client.on('error', () => undefined)
    try {
      await client.connect()
      // A machine that is cut off sends no end: the server finds out within seconds.
      await client.query('SET tcp_keepalives_idle = 3; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3')
      const { rows } = await client.query<{ held: boolean }>(
        `SELECT pg_try_advisory_lock(${lockClass.process}, hashtext(current_schema())) AS held`,
      )
      if (rows[0]?.held) return client
    } catch (error) {
      await client.end()
      throw error
    }
    await client.end()
    return undefined
  }

  function hold(client: pg.Client): void {
    session = client
    client.once('end', () => {
      session = undefined
      if (releasing.signal.aborted) return
      logger.error({}, 'the session that holds the lock of the database was lost; nothing is written until it is back')
      recovering = recover()
    })
  }

  async function recover(): Promise<void> {
    while (!session && !succeeded && !releasing.signal.aborted) {
      await clock.sleep(againMs, releasing.signal)
      try {
        const client = await take()
        if (!client) continue
        const { rows } = await client.query<{ turn: number }>('SELECT turn FROM holder WHERE id = 1')
        if (rows[0]?.turn === turn) {
          hold(client)
          logger.info({}, 'the lock of the database is held again')
        } else {
          succeeded = true
          await client.end()
          logger.error({}, 'another process has worked on the database since; restart this one')
        }
      } catch (error) {
        logger.debug({ err: error }, 'the lock of the database is not back yet')
      }
    }
  }

  const until = clock.elapsed() + waitMs.most
  let client = await take()
  while (!client && clock.elapsed() < until) {
    await clock.sleep(waitMs.each)
    client = await take()
  }
  if (!client) {
    throw new StoreInUse(
      `the database at ${url} is in use by another rescind process: this version runs one process a database; stop the other, or give this one a DATABASE_URL of its own`,
    )
  }
  await client.query('CREATE TABLE IF NOT EXISTS holder (id INTEGER PRIMARY KEY, turn BIGINT NOT NULL)')
  const counted = await client.query<{ turn: number }>(
    'INSERT INTO holder (id, turn) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET turn = holder.turn + 1 RETURNING turn',
  )
  // Each process that works on the database counts on: the same number still is nobody else in between.
  const turn = counted.rows[0]?.turn
  hold(client)
  return {
    check() {
      if (succeeded) throw new StoreInUse('another process has worked on the database since; restart this one')
      if (!session) throw new Error('the lock of the database is lost, and nothing is written until it is held again')
    },
    async release() {
      releasing.abort()
      await recovering
      await session?.end()
    },
  }
}
