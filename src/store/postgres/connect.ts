// Connections to PostgreSQL, and the settings that every session needs.

import pg, { type ClientBase, type ClientConfig, type Pool } from 'pg'
import { OperatorError } from '../../ops/operator-error.ts'
import type { Secret } from '../../ops/secret.ts'
import { codeOf } from '../failure.ts'
import { lease } from '../locks.ts'
import { migrations } from '../migrations/migrations.ts'
import { type KnownServer, openKnownServer, pooler } from './known-server.ts'
import type { Lines } from './lines.ts'
import type { PacedConnects } from './pace-connects.ts'
import { settingsIn } from './parameters.ts'
import { withConnection } from './snapshot.ts'

const int8 = 20
const numeric = 1_700

/** Every whole number is below 2^53: amounts are text. The driver's own type has one overload for each format. */
const types: ClientConfig['types'] = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === int8 || oid === numeric ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

export const poolLimits = {
  /** Units of different relayers that are written concurrently. */
  writersMax: 8,
  readersMax: 4,
  /** For connecting, or for waiting for a free connection. */
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 30_000,
  /** A silent server has not even canceled the statement by then, so its connection is closed. */
  answerTimeoutMs: 35_000,
  /** When a process falls silent inside a transaction, the server ends its session and releases its locks. */
  idleInTransactionMs: lease.serverMs,
} as const

/** The settings that leases, fences and timely answers need. No parameter of the URL changes them (parameters.ts). */
const fixed = {
  connectionTimeoutMillis: poolLimits.connectTimeoutMs,
  statement_timeout: poolLimits.statementTimeoutMs,
  query_timeout: poolLimits.answerTimeoutMs,
  idle_in_transaction_session_timeout: poolLimits.idleInTransactionMs,
  keepAlive: true,
}

/** A durable write that changes nothing else. */
export const probe = 'INSERT INTO probe (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at'

/** Checks the right to insert, and none to read. */
const insertsInto = (table: string) => `INSERT INTO ${table} SELECT (CAST(NULL AS ${table})).* WHERE false`

/**
 * As `probe`. It also fails where the server would refuse a cancellation for a missing right, or row level security; and, as it looks for
 * rows that nobody has, where an index is damaged that every cancellation reads.
 */
export const cancelProbe = `
  WITH locked AS (UPDATE relayers SET epoch = relayers.epoch FROM tally_folds WHERE relayers.id = '' AND relayer_id = relayers.id),
    canceled AS (UPDATE transactions SET version = version WHERE id = ''),
    listed AS (UPDATE transactions SET version = version WHERE relayer_id = '' AND open = 1 AND nonce IS NULL AND held_until IS NULL),
    signed AS (INSERT INTO attempts SELECT * FROM attempts WHERE false),
    announced AS (${insertsInto('outbox')}),
    audited AS (${insertsInto('audit_log')}),
    counted AS (INSERT INTO tally_changes SELECT * FROM tally_changes WHERE relayer_id = ''),
    figured AS (${insertsInto('figures')}),
    summed AS (UPDATE figures SET canceled = canceled WHERE relayer_id = ''),
    requested AS (${insertsInto('bulks')}),
    parted AS (${insertsInto('bulk_parts')}),
    swept AS (UPDATE bulk_parts SET relayer_id = relayer_id WHERE false)
  ${probe}`

/** Throws OperatorError for a URL with a parameter that would have no effect, or a wrong one. */
export function settingsFor(url: Secret, { lockTimeoutMs }: KnownServer): ClientConfig {
  return { ...settingsIn(new URL(url.reveal())), ...fixed, lock_timeout: lockTimeoutMs, types, pipeline: true }
}

interface PoolOptions {
  readonly max: number
  readonly onIdleError: (error: Error) => void
  readonly lines?: Lines | undefined
  /** Shared by all sessions of the process. */
  readonly server?: KnownServer
  /** Shared by its pools. */
  readonly pace?: PacedConnects
}

export function openPool(url: Secret, options: PoolOptions): Pool {
  const { max, onIdleError, lines, server = openKnownServer(), pace } = options
  const pool = new pg.Pool({
    ...settingsFor(url, server),
    ...(lines && { stream: lines.open }),
    max,
    idleTimeoutMillis: 60_000,
    ...(pace && { Client: pacedClient(pace) }),
    // The pool waits for it, and closes a connection for which it fails.
    async onConnect(client) {
      try {
        await server.begin(client, () => cut(client))
        pace?.worked()
      } catch (error) {
        if (error instanceof Error) pace?.failed(error)
        throw error
      }
    },
  })
  // The pool replaces a broken idle connection at its next use; without a listener its error would end the process.
  pool.on('error', onIdleError)
  // Nor may an error end it between a pool's hand and its user's: the server may end a session in the same piece as its last answer.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

type Connected = (error: Error | null) => void

/** The client of a pool, which connects with a callback. */
function pacedClient(pace: PacedConnects) {
  return class extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(connected: Connected): void
    override connect(connected?: Connected): Promise<pg.Client> | undefined {
      if (!connected) return super.connect()
      const refusal = pace.refusal()
      if (refusal) {
        cut(this)
        process.nextTick(connected, refusal)
        return undefined
      }
      super.connect((error: Error | null) => {
        if (error) pace.failed(error)
        connected(error)
      })
      return undefined
    }
  }
}

/** Cuts the connection: all that waits on it fails at once, as when the server had ended it. */
function cut(client: ClientBase): void {
  if (client instanceof pg.Client) client.connection.stream.destroy()
}

const oldestVersion = 140_000

interface ServerFacts {
  readonly version: string
  readonly number: number
  readonly sync: string
  readonly readOnly: string
  /** Quoted as in SQL. Null where the user may use no schema of the search_path. */
  readonly schema: string | null
  readonly user: string
  readonly mayCreate: boolean | null
}

/**
 * Throws OperatorError when the server can't be reached directly, is too old, refuses writes, could lose acknowledged
 * commits, or has no schema in which the user may create tables.
 */
export async function checkServer(pool: Pool): Promise<void> {
  const { rows } = await pool
    .query<ServerFacts>(
      `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
        current_setting('synchronous_commit') AS sync,
        current_setting('default_transaction_read_only') AS "readOnly",
        quote_ident(current_schema()) AS schema, quote_ident(current_user) AS user,
        has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate"`,
    )
    .catch((cause: Error) => {
      if (cause instanceof OperatorError) throw cause
      // The driver's message names the host or the user, and never the password.
      const words = cause.message || cause.name
      // The message of PgBouncer for a setting that it does not track.
      const hint = words.startsWith('unsupported startup parameter') ? `; ${pooler}` : ''
      throw new OperatorError(`DATABASE_URL: the PostgreSQL server can't be used: ${words}${hint}`, { cause })
    })
  const [server] = rows
  if (!server) throw new Error('the server did not return its version')
  if (server.number < oldestVersion) {
    throw new OperatorError(`DATABASE_URL: the server is PostgreSQL ${server.version}; version 14 or later is needed`)
  }
  if (server.readOnly === 'on') {
    throw new OperatorError(
      'DATABASE_URL: default_transaction_read_only is on, so the server takes no writes; set it to off, for this user at least',
    )
  }
  if (server.sync === 'off') {
    throw new OperatorError(
      'DATABASE_URL: synchronous_commit is off, so a crash could lose acknowledged writes; set it to on, for this user at least',
    )
  }
  refuseSchema(server)
  await withConnection(pool, (client) => refuseSecondService(client, server.schema))
}

/** PostgreSQL requires the right to create even where the tables exist. */
function refuseSchema({ schema, user, mayCreate }: ServerFacts): void {
  if (schema === null) {
    throw new OperatorError(
      `DATABASE_URL: no schema of the search_path is there for the user ${user}; create one, or set it: ALTER USER ${user} SET search_path = SCHEMA`,
    )
  }
  if (mayCreate) return
  throw new OperatorError(
    `DATABASE_URL: the user ${user} may create no tables in the schema ${schema}; as its owner: GRANT CREATE ON SCHEMA ${schema} TO ${user}`,
  )
}

/** Throws OperatorError where a schema of the search_path other than `current` has the tables of a service. Both are quoted. */
async function refuseSecondService(client: ClientBase, current: string | null): Promise<void> {
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
