// A session outside the pools, for locks and listening, which end with their session.
import pg from 'pg'
import type { Secret } from '../../ops/secret.ts'
import { settingsFor } from './connect.ts'
import type { KnownServer } from './known-server.ts'

export interface DirectSession {
  readonly client: pg.Client
  /** Aborts when the connection is lost or closed. */
  readonly ended: AbortSignal
  /** Identifies the schema of the tables, within its database. */
  readonly schema: number
  /** The id of the server process behind the session. */
  readonly pid: number
  /** Closes the connection at once, without waiting for a server that may not answer. */
  end(): void
}

/** `settings` are the session's first statements. Rejects while the database can't be reached. The session ends with `stop`. */
export async function openDirectSession(
  url: Secret,
  server: KnownServer,
  settings: readonly string[],
  stop?: AbortSignal,
): Promise<DirectSession> {
  const client = new pg.Client(settingsFor(url, server))
  const ended = new AbortController()
  // Without a listener a connection error would end the process; the `end` event is the one that matters.
  client.on('error', () => ended.abort())
  client.once('end', () => ended.abort())
  const end = () => {
    ended.abort()
    client.end().catch(() => undefined)
    // On its own the driver would wait for the answers to pending statements.
    client.connection.stream.destroy()
  }
  try {
    stop?.throwIfAborted()
    // The driver would never settle a connect that it is told to end.
    stop?.addEventListener('abort', () => client.connection.stream.destroy(), { signal: ended.signal })
    await client.connect()
    await server.begin(client, end)
    // A machine that loses its network closes no connection; keep-alive lets the server notice within seconds.
    const keepAlive = ['idle = 2', 'interval = 1', 'count = 2'].map((each) => `SET tcp_keepalives_${each}`)
    for (const setting of [...keepAlive, ...settings]) await client.query(setting)
    const { rows } = await client.query<{ schema: number; pid: number }>(
      'SELECT current_schema()::regnamespace::oid::int8 AS schema, pg_backend_pid() AS pid',
    )
    const [row] = rows
    if (!row) throw new Error('the server did not return its schema')
    return { client, ended: ended.signal, ...row, end }
  } catch (error) {
    end()
    throw error
  }
}
