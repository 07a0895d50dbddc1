// Runs several reads on one snapshot of the database.
import type { Pool, PoolClient } from 'pg'
import type { Executor } from '../statement.ts'
import { readingExecutor } from './executor.ts'
import { isConnectionLost } from './failure.ts'

export async function asOfOneInstant<T>(pool: Pool, read: (executor: Executor) => Promise<T>): Promise<T> {
  return withConnection(pool, async (client) => {
    // Not awaited: if it fails, the reads behind it fail, too.
    client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY').catch(() => undefined)
    try {
      return await read(readingExecutor(client))
    } finally {
      client.query('COMMIT').catch(() => undefined)
    }
  })
}

/** A connection that broke in the meantime does not return to the pool. */
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
    // This error arrives before the socket's own end.
    if (isConnectionLost(error)) broken ??= error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    client.off('error', lost)
    client.release(broken)
  }
}
