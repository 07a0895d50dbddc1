// Raises the sequences of ids that are behind their tables. Logical replication, by which a server of a later version takes over,
// copies rows, and leaves each sequence at its start: inserts would fail, or take ids that others have read.
import type { Client, ClientBase } from 'pg'
import { sqlFor } from '../migrations/migration.ts'
import { migrations } from '../migrations/migrations.ts'

/** Ids that other tables name, and whose own rows may be gone. A tally counts no change up to the one that it folded last. */
const namedElsewhere: Readonly<Record<string, string>> = {
  outbox: `(SELECT max(position) FROM delivery_queues), (SELECT max(through_id) FROM lost_events)`,
  tally_changes: '(SELECT max(through) FROM tally_folds)',
}

/** Whoever owns them. The schema may have tables of others, too. */
const ownTables = migrations
  .flatMap((migration) => sqlFor('postgres', migration))
  .flatMap((sql) => [...sql.matchAll(/CREATE TABLE (\w+)/g)].map(([, name = '']) => name))

interface NumberedTable {
  readonly name: string
  readonly column: string
  readonly sequence: string
}

const numberedTables = `SELECT relname AS name, quote_ident(attname) AS column,
    pg_get_serial_sequence(quote_ident(relname), attname) AS sequence
  FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
  WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attidentity <> '' AND NOT attisdropped
    AND relname = ANY($1)
  ORDER BY relname`

/** Call it inside a transaction. Nothing is locked where no sequence is behind. */
export async function raiseSequences(client: Client | ClientBase): Promise<void> {
  const { rows } = await client.query<NumberedTable>(numberedTables, [ownTables])
  for (const { name, column, sequence } of rows) {
    const highest = `GREATEST((SELECT max(${column}) FROM "${name}"), ${namedElsewhere[name] ?? 0})`
    const behind = `FROM ${sequence}, (SELECT ${highest} AS id) AS highest
      WHERE highest.id >= CASE WHEN is_called THEN last_value + 1 ELSE last_value END`
    if ((await client.query(`SELECT 1 ${behind}`)).rows.length === 0) continue
    // So that no other session takes an id in between, which would be given out again.
    await client.query(`LOCK TABLE "${name}" IN SHARE ROW EXCLUSIVE MODE`)
    await client.query(`SELECT setval($1, highest.id) ${behind}`, [sequence])
  }
}
