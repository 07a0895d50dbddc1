// A schema that is created later may come first in the search_path. The service would start there anew, with empty tables, on the
// keys of the service whose tables come later in the path.
import type { ClientBase } from 'pg'
import { OperatorError } from '../../ops/operator-error.ts'
import { codeOf } from '../failure.ts'
import { migrations } from '../migrations/migrations.ts'

/** Throws OperatorError where a schema of the search_path other than `current` has the tables of a service. Both are quoted. */
export async function refuseSecondService(client: ClientBase, current: string | null): Promise<void> {
  for (const { schema } of await schemasWithTables(client)) {
    if (schema === current || !(await isOfService(client, schema))) continue
    throw new OperatorError(
      `DATABASE_URL: the schema ${current} comes first in the search_path, and the schema ${schema} has the tables of a service, too; name the right one in the URL: ?schema=NAME`,
    )
  }
}

/** Sessions are pinned to their schema: the path is the one with which a session begins. */
async function schemasWithTables(client: ClientBase): Promise<readonly { readonly schema: string }[]> {
  await client.query('BEGIN')
  try {
    await client.query('SET LOCAL search_path TO DEFAULT')
    const tables = ['relayers', 'outbox', 'migrations'].map(
      (name) => `to_regclass(quote_ident(name) || '.${name}') IS NOT NULL`,
    )
    const { rows } = await client.query<{ schema: string }>(
      `SELECT quote_ident(name) AS schema FROM unnest(current_schemas(false)) AS name WHERE ${tables.join(' AND ')}`,
    )
    return rows
  } finally {
    await client.query('ROLLBACK')
  }
}

async function isOfService(client: ClientBase, schema: string): Promise<boolean> {
  try {
    const sql = `SELECT 1 FROM ${schema}.migrations WHERE name = $1`
    const { rows } = await client.query(sql, [migrations[0]?.name])
    return rows.length > 0
  } catch (error) {
    // Tables of another program, or of a user whose rows this one may not even read.
    if (['42703', '42501', '42883'].includes(codeOf(error))) return false
    throw error
  }
}
