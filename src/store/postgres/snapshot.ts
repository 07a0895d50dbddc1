// Several reads that see the database as of one instant.
import type { Pool, PoolClient } from 'pg'
import type { Executor } from '../statement.ts'
import { readingExecutor } from './executor.ts'
import { isConnectionLost } from './failure.ts'

export async function asOfOneInstant<T>(pool: Pool, read: (executor: Executor) => Promise<T>): Promise<T> {
  return withConnection(pool, async (client) => {
    // Not waited for: what fails here fails the reads behind it, too.
    client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY').catch(() => undefined)
    try {
      return await read(readingExecutor(client))
    } finally {
      client.query('COMMIT').catch(() => undefined)
    }
  })
}

/** A connection that broke meanwhile does not go back to the pool. */
export async function withConnection<T>(pool: Pool, use: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  const lost = (error: Error) => {
    broken = error
  }
  client.on('error', lost)
  try {
    return await use(client)
  } catch (error) {
    // Heard before the socket's own end is.
    if (isConnectionLost(error)) broken ??= error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    client.off('error', lost)
    client.release(broken)
  }
}
