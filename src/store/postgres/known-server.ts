// The server that this process works on. An address may lead elsewhere from one moment to the next: to a standby, to a server
// that a failover left behind, to a pooler, to another cluster. So each new session proves where it is before its first statement.
import type { Client, ClientBase } from 'pg'
import { memberOf } from '../../ops/member.ts'
import { OperatorError } from '../../ops/operator-error.ts'
import { type Random, systemRandom } from '../../ops/random.ts'
import { codeOf } from '../failure.ts'

/** `code` is read like the codes of Node: the connection is of no use, and a later one may be. */
export class UnfitServer extends OperatorError {
  override readonly name = 'UnfitServer'
  readonly code: 'ESTANDBY' | 'EPOOLER' | 'EOTHERSERVER' | 'ENOTIMELINE'

  constructor(code: UnfitServer['code'], message: string, options?: ErrorOptions) {
    super(`DATABASE_URL: ${message}`, options)
    this.code = code
  }
}

export const pooler =
  'a pooler is in between, which shares sessions, and with them our locks, between clients; name the server itself'

/** The cluster, and how often one of its standbys was promoted. */
export interface ServerIdentity {
  readonly system: string
  readonly timeline: number
}

export interface KnownServer {
  /**
   * The lock timeout in the startup packet of each session, which is read back. Its last three digits are random: a pooler that
   * drops it serves sessions with a value of the role, or of another client.
   */
  readonly lockTimeoutMs: number
  /** The server of the sessions; undefined before the first one. */
  identity(): ServerIdentity | undefined
  /**
   * Where the session is, or was. Equal for two sessions only if the server neither crashed nor was left behind between them:
   * after a crash it gives ids of transactions out again.
   */
  placeOf(client: ClientBase): string | undefined
  /**
   * The first statements of a session. Rejects with UnfitServer where the session must not be used. A session on a later
   * timeline ends all those on earlier ones: they are on a server that a failover left behind.
   */
  begin(client: Client | ClientBase, end: () => void): Promise<void>
  /**
   * Reads again where each session is. One on a standby ends all on that server: a pooler or a tunnel may have brought them
   * there after they began. Never rejects.
   */
  check(): Promise<void>
  /** Runs `settle` from now on in the first session on each server, before its first statement. */
  onServer(settle: (client: Client | ClientBase, identity: ServerIdentity) => Promise<void>): void
  /** Runs it in a session that began before. */
  settle(client: Client | ClientBase): Promise<void>
}

/**
 * A connection makes a plan once and keeps it: a statement takes less time than to plan it anew for its values. For a small
 * table the planner would choose a sequential scan, and keep it when the table has grown. Every query has an index, so
 * sequential scans are off; index reads are too cheap to compile. A row that row level security would hide is an error.
 */
const settings =
  'SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off; SET row_security = off'

interface SessionFacts {
  readonly lockTimeoutMs: number
  readonly recovering: boolean
  /** Null where the user may use no schema of the search_path. */
  readonly schema: string | null
}

const factsOfSession = `SELECT (SELECT setting::int FROM pg_settings WHERE name = 'lock_timeout') AS "lockTimeoutMs",
  pg_is_in_recovery() AS recovering, quote_ident(current_schema()) AS schema`

const isStandby = 'SELECT pg_is_in_recovery() AS recovering'

// pg_control_checkpoint() shows the timeline of the last checkpoint, which lags behind a promotion.
const factsOfServer = `SELECT (SELECT system_identifier::text FROM pg_control_system()) AS system,
  left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline,
  extract(epoch FROM pg_postmaster_start_time())::text AS started,
  (SELECT extract(epoch FROM stats_reset)::text FROM pg_stat_archiver) AS counting`

interface FoundServer extends ServerIdentity {
  /** Differs among the servers of a cluster, and for a server after a restart. */
  readonly started: string
  /** Since when the server counts, which it begins anew after a crash, and not after a clean restart. */
  readonly counting: string | null
}

interface ServerSession extends FoundServer {
  readonly client: Client | ClientBase
  readonly end: () => void
  isChecking: boolean
}

export function openKnownServer(random: Random = systemRandom()): KnownServer {
  const [high = 0, low = 0] = random.bytes(2)
  const lockTimeoutMs = 10_000 + ((high * 256 + low) % 1_000)
  const sessions = new Set<ServerSession>()
  const places = new WeakMap<ClientBase, string>()
  let identity: ServerIdentity | undefined
  let pinned: string | undefined
  let settling: ((client: Client | ClientBase, identity: ServerIdentity) => Promise<void>) | undefined
  let settled: number | undefined

  /** Pins the schema: each session of this process works in that of the first, whatever schemas are created later. */
  async function pin(client: Client | ClientBase, schema: string | null): Promise<void> {
    pinned ??= schema ?? undefined
    if (pinned !== undefined) await client.query(`SET search_path = ${pinned}`)
  }

  /** One check of a session at a time: others notice a server that is silent. */
  async function checkOne(session: ServerSession): Promise<void> {
    if (session.isChecking) return
    session.isChecking = true
    try {
      const { rows } = await session.client.query<{ recovering: boolean }>(isStandby)
      if (rows[0]?.recovering !== true) return
      for (const each of sessions) if (each.started === session.started) each.end()
    } catch {
      // It is over, or in a transaction that has failed.
    } finally {
      session.isChecking = false
    }
  }

  function admit(found: ServerIdentity): void {
    if (identity && identity.system !== found.system) {
      throw new UnfitServer(
        'EOTHERSERVER',
        'the address leads to another cluster than at the start of this process; restart the process if that is right',
      )
    }
    if (identity && found.timeline < identity.timeline) {
      throw new UnfitServer(
        'EOTHERSERVER',
        'the address leads to a server that a failover left behind; let it lead to the primary',
      )
    }
    identity = { system: found.system, timeline: found.timeline }
    for (const each of sessions) if (each.timeline < found.timeline) each.end()
  }

  async function settle(client: Client | ClientBase): Promise<void> {
    if (!settling || !identity || settled === identity.timeline) return
    const at = identity
    await settling(client, at)
    settled = at.timeline
  }

  return {
    lockTimeoutMs,
    settle,
    identity: () => identity,
    placeOf: (client) => places.get(client),
    async check() {
      await Promise.all([...sessions].map(checkOne))
    },
    async begin(client, end) {
      await client.query(settings)
      const { rows } = await client.query<SessionFacts>(factsOfSession)
      const [facts] = rows
      if (facts?.lockTimeoutMs !== lockTimeoutMs) {
        throw new UnfitServer('EPOOLER', `the settings of the session did not reach the server: ${pooler}`)
      }
      if (facts.recovering) {
        throw new UnfitServer('ESTANDBY', 'the server is a standby, which takes no writes; name the primary')
      }
      const found = await identityOf(client)
      admit(found)
      const session = { ...found, client, end, isChecking: false }
      sessions.add(session)
      places.set(client, `${found.system} ${found.timeline} ${found.counting}`)
      client.once('end', () => sessions.delete(session))
      await pin(client, facts.schema)
      await settle(client)
    },
    onServer(each) {
      settling = each
    },
  }
}

/** Aurora has the functions of the write-ahead log only with logical replication. */
const notPrepared = '55000'

async function identityOf(client: Client | ClientBase): Promise<FoundServer> {
  try {
    const { rows } = await client.query<Omit<FoundServer, 'timeline'> & { timeline: string }>(factsOfServer)
    const [row] = rows
    if (!row) throw new Error('the server did not return its identifier')
    return { ...row, timeline: Number.parseInt(row.timeline, 16) }
  } catch (cause) {
    // A function that is missing, refused, or not supported: the server only speaks the protocol of PostgreSQL.
    const code = codeOf(cause)
    if (!['42883', '42501', '0A000', notPrepared].includes(code)) throw cause
    const fix =
      code === notPrepared
        ? 'on Aurora set rds.logical_replication to 1 in the parameter group of the cluster, and restart it'
        : 'see "Managed servers" in docs/postgres.md'
    throw new UnfitServer(
      'ENOTIMELINE',
      `the server does not return its system identifier and its timeline (${memberOf(cause, 'message')}), by which the service notices a failover; ${fix}`,
      { cause },
    )
  }
}
