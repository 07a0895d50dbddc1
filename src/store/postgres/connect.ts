// Connections to PostgreSQL, and what every session of ours insists on.
import pg, { type ClientConfig, type Pool } from 'pg'
import { OperatorError } from '../../ops/operator-error.ts'
import type { Secret } from '../../ops/secret.ts'
import { lease } from '../locks.ts'
import type { Lines } from './lines.ts'

const int8 = 20
const numeric = 1_700

/** Whole numbers below 2^53 all of them: amounts are text. The driver's own type has one overload for each format. */
const types: ClientConfig['types'] = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === int8 || oid === numeric ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

export const poolLimits = {
  /** Units of different relayers that are written at once. */
  writersMax: 8,
  readersMax: 4,
  /** To connect, or to wait for a connection that is free. */
  connectTimeoutMs: 10_000,
  lockTimeoutMs: 10_000,
  statementTimeoutMs: 30_000,
  /** A server that is silent for so long about a statement has not even ended it: its connection is given up. */
  answerTimeoutMs: 35_000,
  /** The server ends the session of a process that fell silent inside a transaction, and with it its locks. */
  idleInTransactionMs: lease.serverMs,
} as const

/** What leases, fences and answers in time rest on, by the names that the driver has for it in a URL as well. */
const fixed = {
  connectionTimeoutMillis: poolLimits.connectTimeoutMs,
  lock_timeout: poolLimits.lockTimeoutMs,
  statement_timeout: poolLimits.statementTimeoutMs,
  query_timeout: poolLimits.answerTimeoutMs,
  idle_in_transaction_session_timeout: poolLimits.idleInTransactionMs,
  keepAlive: true,
}

/** Throws OperatorError where the URL sets what is not its to set: the driver believes it rather than us. */
export function settingsFor(url: Secret): ClientConfig {
  const { searchParams } = new URL(url.reveal())
  const set = Object.keys(fixed).filter((name) => searchParams.has(name))
  if (set.length > 0) {
    throw new OperatorError(`DATABASE_URL: the service sets ${set.join(', ')} by itself; take it out of the URL`)
  }
  return {
    connectionString: url.reveal(),
    application_name: 'rescind',
    ...fixed,
    types,
    pipeline: true,
  }
}

/**
 * A plan is made once a connection and kept: while a table is small the planner would rather read it as a whole, and go on so
 * when it is not small any more. Every query of ours has its index. With that cost out of the question, no query is worth
 * compiling either.
 */
const planning = 'SET enable_seqscan = off; SET jit = off'

export function openPool(url: Secret, max: number, onIdleError: (error: Error) => void, lines?: Lines): Pool {
  const stream = lines && { stream: lines.open }
  const pool = new pg.Pool({ ...settingsFor(url), ...stream, max, idleTimeoutMillis: 60_000 })
  // A connection that breaks while nobody uses it is replaced at its next use; unheard, its error would end the process.
  pool.on('error', onIdleError)
  // Not waited for: what is asked next comes behind it, and on a connection that is lost nothing does.
  pool.on('connect', (client) => void client.query(planning).catch(() => undefined))
  return pool
}

const oldestVersion = 140_000

interface ServerFacts {
  readonly version: string
  readonly number: number
  readonly recovering: boolean
  readonly sync: string
  readonly readOnly: string
  /** Of this session: what it asked for when it began. */
  readonly lockTimeoutMs: number
  /** These two are written as SQL has them. Null where the user may look into no schema of the search_path. */
  readonly schema: string | null
  readonly user: string
  readonly mayCreate: boolean | null
}

const pooler = 'a pooler is in between, which gives sessions to others, and with them our locks: name the server itself'

/**
 * Throws OperatorError when the server can't be reached, or not directly, is too old, takes no writes, would lose what it
 * acknowledges, or has no schema in which tables may be made.
 */
export async function checkServer(pool: Pool): Promise<void> {
  const { rows } = await pool
    .query<ServerFacts>(
      `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
        pg_is_in_recovery() AS recovering, current_setting('synchronous_commit') AS sync,
        current_setting('default_transaction_read_only') AS "readOnly",
        (SELECT setting::int FROM pg_settings WHERE name = 'lock_timeout') AS "lockTimeoutMs",
        quote_ident(current_schema()) AS schema, quote_ident(current_user) AS user,
        has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate"`,
    )
    .catch((cause: Error) => {
      // The message of the driver names the host or the user, and never the password.
      const words = cause.message || cause.name
      // What PgBouncer says of each setting that it does not track.
      const hint = words.startsWith('unsupported startup parameter') ? `; ${pooler}` : ''
      throw new OperatorError(`DATABASE_URL: the PostgreSQL server can't be used: ${words}${hint}`, { cause })
    })
  const [server] = rows
  if (!server) throw new Error('the server did not tell its version')
  if (server.number < oldestVersion) {
    throw new OperatorError(`DATABASE_URL: the server is PostgreSQL ${server.version}; version 14 or later is needed`)
  }
  if (server.lockTimeoutMs !== poolLimits.lockTimeoutMs) {
    throw new OperatorError(`DATABASE_URL: the settings of the session did not reach the server: ${pooler}`)
  }
  if (server.recovering) {
    throw new OperatorError('DATABASE_URL: the server is a standby, which takes no writes; name the primary')
  }
  if (server.readOnly === 'on') {
    throw new OperatorError(
      'DATABASE_URL: default_transaction_read_only is on, so the server takes no writes; set it to off, for this user at least',
    )
  }
  if (server.sync === 'off') {
    throw new OperatorError(
      'DATABASE_URL: synchronous_commit is off, so the server acknowledges what a crash would lose; set it to on, for this user at least',
    )
  }
  refuseSchema(server)
}

/** PostgreSQL asks for the right to create where tables exist already, too. */
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
