// Old versions of the rows that change with each commit. The server removes them at once, unless a session, a replication slot or a
// prepared transaction keeps a snapshot open that may still need them. Then each read passes over more of them.
import type { Pool } from 'pg'
import type { StoreMetrics } from '../../ops/metrics.ts'
import type { Reads } from '../store.ts'

const changedByEachCommit = ['figures', 'tally_changes']

interface DeadRows {
  readonly table: string
  readonly rows: number
}

/** The dead rows by table, as the server's statistics have them, which lag by some seconds. */
export async function readDeadRows(pool: Pool): Promise<readonly DeadRows[]> {
  const { rows } = await pool.query<DeadRows>(
    `SELECT relname AS table, n_dead_tup AS rows FROM pg_stat_user_tables
      WHERE relname = ANY ($1) AND schemaname = current_schema()`,
    [changedByEachCommit],
  )
  return rows
}

export function samplingDeadRows(
  { deadRows }: Pick<Reads, 'deadRows'>,
  metrics: Pick<StoreMetrics, 'deadRows'>,
): () => Promise<void> {
  return async () => {
    // A scrape while the database is down still has the other figures.
    const found = await deadRows?.().catch(() => [])
    for (const { table, rows } of found ?? []) metrics.deadRows(table, rows)
  }
}
