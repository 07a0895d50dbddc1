// A session of its own beside the pools, for what belongs to a session and ends with it: locks, and listening.
import pg from 'pg'
import type { Secret } from '../../ops/secret.ts'
import { settingsFor } from './connect.ts'

export interface DirectSession {
  readonly client: pg.Client
  /** Aborts when the connection is gone, or was given up. */
  readonly ended: AbortSignal
  /** Of the schema that our tables are in: no two schemas of a database share it. */
  readonly schema: number
  /** Of the server's process that serves it. */
  readonly pid: number
  /** Gives it up at once: nobody waits for a server that may not answer. */
  end(): void
}

/** `settings` are statements that the session begins with. Rejects while the database can't be asked. */
export async function openDirectSession(url: Secret, settings: readonly string[]): Promise<DirectSession> {
  const client = new pg.Client(settingsFor(url))
  const ended = new AbortController()
  // Unheard, the error of a connection that breaks would end the process; its end is what counts.
  client.on('error', () => ended.abort())
  client.once('end', () => ended.abort())
  const end = () => {
    ended.abort()
    client.end().catch(() => undefined)
    // By itself the driver would wait for what was asked to be answered.
    client.connection.stream.destroy()
  }
  try {
    await client.connect()
    // A machine that is cut off sends no end: the server finds out within seconds.
    const keepAlive = ['idle = 2', 'interval = 1', 'count = 2'].map((each) => `SET tcp_keepalives_${each}`)
    for (const setting of [...keepAlive, ...settings]) await client.query(setting)
    const { rows } = await client.query<{ schema: number; pid: number }>(
      'SELECT current_schema()::regnamespace::oid::int8 AS schema, pg_backend_pid() AS pid',
    )
    const [row] = rows
    if (!row) throw new Error('the server did not tell its schema')
    return { client, ended: ended.signal, ...row, end }
  } catch (error) {
    end()
    throw error
  }
}
