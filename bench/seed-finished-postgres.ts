// A long history on PostgreSQL, quickly: as seed-finished.ts.
import type { Postgres } from '../tooling/postgres.ts'

export async function seedFinishedOnPostgres(
  postgres: Postgres,
  databaseUrl: string,
  relayerId: string,
  count: number,
): Promise<void> {
  const database = new URL(databaseUrl).pathname.slice(1)
  const query = <Row>(sql: string) => postgres.query<Row>(sql, database)
  const only = await query<{ id: string; phase: string; status: string }>('SELECT id, phase, status FROM transactions')
  const [template] = only
  if (only.length !== 1 || template?.phase !== 'final') throw new Error('seeding needs one finished transaction')
  const id = `lpad(to_hex(i / 65536), 8, '0') || '-' || lpad(to_hex(i % 65536), 4, '0') || '-7000-8000-' || lpad(i::text, 12, '0')`
  const hash = `'0x' || lpad(to_hex(i), 64, '0')`

  async function clone(table: string, key: string, changed: Record<string, string>): Promise<void> {
    const columns = await query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns WHERE table_name = '${table}' ORDER BY ordinal_position`,
    )
    const names = columns.map(({ name }) => name)
    await query(
      `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.map((name) => changed[name] ?? `t.${name}`).join(', ')}
       FROM generate_series(1, ${count - 1}) AS i, ${table} AS t WHERE t.${key} = '${template?.id}'`,
    )
  }
  await clone('transactions', 'id', { id, sequence: 'i + 1', nonce: 'i', included_hash: hash })
  await clone('attempts', 'transaction_id', { transaction_id: id, nonce: 'i', hash })
  await query(
    `UPDATE relayers SET last_sequence = ${count}, spent_below = ${count}, explained_below = ${count} WHERE id = '${relayerId}'`,
  )
  await query('DELETE FROM tally_changes')
  await query(
    `INSERT INTO tallies (relayer_id, status, count) VALUES ('${relayerId}', '${template.status}', ${count})
      ON CONFLICT (relayer_id, status) DO UPDATE SET count = excluded.count`,
  )
  await query('VACUUM ANALYZE')
  await query('CHECKPOINT')
}
