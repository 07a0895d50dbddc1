// A long history, quickly: clones of one transaction that the service itself brought to its end.
import { closeSync, fsyncSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'

/**
 * Copies the only transaction of `relayerId`, with its attempts, until there are `count`, at nonces and places in the
 * order that lead up to `count`. The service must not be running. The account's nonce on chain is then `count` too. `series`: below
 * 1,000, and another for each relayer of a database.
 */
export function seedFinished(databasePath: string, relayerId: string, count: number, series = 0): void {
  const database = new Database(databasePath)
  try {
    // Pages go to the file once: with a write-ahead log, ten million rows would need the space twice.
    database.pragma('journal_mode = DELETE')
    database.pragma('journal_mode = OFF')
    database.pragma('synchronous = OFF')
    database.pragma('cache_size = -200000')
    const only = database.prepare('SELECT id, phase, status FROM transactions WHERE relayer_id = ?').all(relayerId)
    const [template] = only as { id: string; phase: string; status: string }[]
    if (only.length !== 1 || template?.phase !== 'final') throw new Error('seeding needs one finished transaction')
    const id = `printf('%08x-%04x-7000-8%03d-%012d', i / 65536, i % 65536, ${series}, i)`
    const clone = (table: string, template: string, changed: Record<string, string>) => {
      const columns = (database.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name)
      const values = columns.map((column) => changed[column] ?? `t.${column}`)
      return database.prepare(
        `WITH RECURSIVE clones (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM clones WHERE i < ${count} - 1)
         INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM clones, ${table} t WHERE ${template}`,
      )
    }
    database.transaction(() => {
      const hash = `'0x' || printf('%03d%061x', ${series}, i)`
      clone('transactions', 't.id = ?', { id, sequence: 'i + 1', nonce: 'i', included_hash: hash }).run(template.id)
      clone('attempts', 't.transaction_id = ?', { transaction_id: id, nonce: 'i', hash }).run(template.id)
      database
        .prepare('UPDATE relayers SET last_sequence = ?, spent_below = ?, explained_below = ? WHERE id = ?')
        .run(count, count, count, relayerId)
      database
        .prepare('UPDATE tallies SET count = ? WHERE relayer_id = ? AND status = ?')
        .run(count, relayerId, template.status)
    })()
    database.pragma('journal_mode = WAL')
  } finally {
    database.close()
  }
  // Flushes the rows to disk before the measurement begins.
  const file = openSync(databasePath, 'r+')
  fsyncSync(file)
  closeSync(file)
}
