// Runs several reads on one snapshot of the database. Those that wait at the same time share it, and its round trips.
import type { Pool, PoolClient } from 'pg'
import type { Executor } from '../statement.ts'
import { inOneWrite, readingExecutor } from './executor.ts'
import { CommitInDoubt, isConnectionLost, isOfDatabase, isPlanOutdated } from './failure.ts'

const readsMax = 32

interface Waiting {
  read(executor: Executor): Promise<unknown>
  done(value: unknown): void
  failed(error: unknown): void
}

interface Snapshots {
  asOfOneInstant<T>(read: (executor: Executor) => Promise<T>): Promise<T>
}

/** `snapshotsMax` at a time. */
export function openSnapshots(pool: Pool, snapshotsMax: number): Snapshots {
  const waiting: Waiting[] = []
  let running = 0

  function begin(): void {
    while (running < snapshotsMax && waiting.length > 0) {
      running += 1
      void readAll(pool, waiting.splice(0, readsMax)).finally(() => {
        running -= 1
        begin()
      })
    }
  }

  return {
    asOfOneInstant<T>(read: (executor: Executor) => Promise<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        waiting.push({ read, done: resolve as (value: unknown) => void, failed: reject })
        setImmediate(begin)
      })
    },
  }
}

/** Never rejects. */
async function readAll(pool: Pool, reads: readonly Waiting[]): Promise<void> {
  const results = await onOneSnapshot(pool, reads)
  // The connection is gone, and others make their plans anew.
  if (results.some((each) => each.status === 'rejected' && isPlanOutdated(each.reason))) return readAll(pool, reads)
  for (const [index, each] of reads.entries()) {
    const result = results[index]
    if (result?.status === 'fulfilled') each.done(result.value)
    // The first statement that fails ends the transaction, and the other reads with it.
    else if (reads.length > 1 && !isOfDatabase(result?.reason)) await readAll(pool, [each])
    else each.failed(result?.reason)
  }
}

/** Never rejects: a read that ended before the connection broke keeps its result. */
async function onOneSnapshot(pool: Pool, reads: readonly Waiting[]): Promise<PromiseSettledResult<unknown>[]> {
  let results: PromiseSettledResult<unknown>[] | undefined
  try {
    await withConnection(pool, async (client) => {
      const send = inOneWrite(client)
      let outdated: unknown
      // A read may see first that the transaction has ended, and not why.
      const request: typeof send = (query) =>
        send(query).catch((error: unknown) => {
          if (isPlanOutdated(error)) outdated = error
          throw error
        })
      // Not awaited: if it fails, the reads behind it fail, too.
      request('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY').catch(() => undefined)
      const executor = readingExecutor(request)
      const settled = await Promise.allSettled(reads.map(({ read }) => read(executor)))
      request('COMMIT').catch(() => undefined)
      if (outdated !== undefined) throw outdated
      results = settled
      for (const each of results) if (each.status === 'rejected' && isConnectionLost(each.reason)) throw each.reason
    })
  } catch (error) {
    results ??= reads.map(() => ({ status: 'rejected', reason: error }))
  }
  return results ?? []
}

/** Whether the connection is of no use any more. */
function isSpent(error: unknown): boolean {
  return isConnectionLost(error) || isPlanOutdated(error) || error instanceof CommitInDoubt
}

/** Closes the idle connections: their plans are as old as those of the connection that failed. */
function closeIdle(pool: Pool): void {
  for (let left = pool.idleCount; left > 0; left -= 1) {
    pool.connect().then(
      (client) => client.release(true),
      () => undefined,
    )
  }
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
    if (isSpent(error)) broken ??= error instanceof Error ? error : new Error(String(error))
    if (isPlanOutdated(error)) closeIdle(pool)
    throw error
  } finally {
    client.off('error', lost)
    client.release(broken)
  }
}
