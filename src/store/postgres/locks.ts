// Locks of a session: PostgreSQL's advisory locks, with a lease that the server itself holds the session to.
//
// The server ends a session that is silent for `lease.serverMs`, whatever has become of its client: a process that froze,
// a machine that is cut off. The client believes in its locks for less than that since it last spoke, so that it has
// given its relayers up before anybody else can have them.
import type { ClientBase } from 'pg'
import type { RelayerId } from '../../domain/ids.ts'
import type { Clock } from '../../ops/clock.ts'
import { type Random, systemRandom } from '../../ops/random.ts'
import type { Secret } from '../../ops/secret.ts'
import {
  type AccountLocks,
  type LockSession,
  type Locks,
  lease,
  type Member,
  type Slot,
  type Survey,
  slotsMax,
} from '../locks.ts'
import { type DirectSession, openDirectSession } from './direct-session.ts'
import { type KnownServer, openKnownServer } from './known-server.ts'
import type { Lines } from './lines.ts'

const heartbeatMs = 500
const watchMs = 100

/**
 * The first half of our keys; the second is the slot. The schema's oid is in it, so that two installations in one database
 * never meet. Other software of the database that uses the same keys shows in a survey.
 */
const lockClass = 1_919_251_300
/** Shared by all members, in place of a slot. */
const memberKey = slotsMax

interface PostgresLocks {
  readonly url: Secret
  readonly clock: Clock
  readonly lines?: Lines
  readonly server?: KnownServer
  readonly random?: Random
}

export function openPostgresLocks(options: PostgresLocks): Locks {
  const { url, clock, lines, server = openKnownServer(), random = systemRandom() } = options
  let giveUpSilent: (() => void) | undefined
  const onSilence = () => {
    giveUpSilent ??= lines?.doubt()
  }
  return {
    async join() {
      const session = await openDirectSession(url, server, [
        `SET idle_session_timeout = ${lease.serverMs}`,
        `SET idle_in_transaction_session_timeout = ${lease.serverMs}`,
        `SET statement_timeout = ${lease.serverMs}`,
      ])
      const held = holdLocks(session, { clock, onSilence, token: tokenFrom(random) })
      await held.enter()
      giveUpSilent?.()
      giveUpSilent = undefined
      return held.locks
    },
  }
}

interface LockRow {
  readonly pid: Member
  readonly slot: number
}

/** Whether anybody advances the relayers of the schema that `client` is in. */
export async function hasMembers(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND objid = $2
      AND classid = ((current_schema()::regnamespace::oid::int8 # $1) & 4294967295)::oid
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1`,
    [lockClass, memberKey],
  )
  return rows.length > 0
}

interface Holding {
  readonly clock: Clock
  readonly onSilence: () => void
  /** The key of a lock that no other session has. */
  readonly token: bigint
}

/** The key of an advisory lock: 64 bits with a sign. */
function tokenFrom(random: Random): bigint {
  return BigInt.asIntN(
    64,
    random.bytes(8).reduce((token, byte) => token * 256n + BigInt(byte), 0n),
  )
}

/** The connect may have taken long: nobody believes in the locks before the statements of `enter` are answered. */
function holdLocks(session: DirectSession, { clock, onSilence, token }: Holding) {
  const { client, ended, pid } = session
  const key = (session.schema ^ lockClass) | 0
  const lost = new AbortController()
  let spokenAt = clock.elapsed()

  function lose(): void {
    if (lost.signal.aborted) return
    lost.abort()
    session.end()
  }
  if (ended.aborted) lose()
  else ended.addEventListener('abort', lose, { once: true })

  function isAlive(): boolean {
    if (!lost.signal.aborted && clock.elapsed() - spokenAt >= lease.believedMs) {
      lose()
      onSilence()
    }
    return !lost.signal.aborted
  }

  /** Sends a statement. The server answered no earlier than it was sent, so `spokenAt` is that moment. */
  async function request<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    if (!isAlive()) throw new Error('the session that holds the locks is over')
    const sentAt = clock.elapsed()
    const { rows } = await client.query<Row>(text, [...values])
    spokenAt = Math.max(spokenAt, sentAt)
    if (!isAlive()) throw new Error('the session that holds the locks is over')
    return rows
  }

  async function beat(): Promise<void> {
    while (isAlive()) {
      await request('SELECT 1').catch(() => undefined)
      await clock.sleep(heartbeatMs, lost.signal)
    }
  }

  /** A beat that is not answered must not keep anybody from noticing. */
  async function watch(): Promise<void> {
    while (isAlive()) await clock.sleep(watchMs, lost.signal)
  }

  const locks: LockSession = {
    lost: lost.signal,
    isAlive,
    async lock(slots) {
      if (slots.length === 0) return []
      const rows = await request<{ slot: Slot }>(
        'SELECT slot FROM unnest($2::int4[]) AS slot WHERE pg_try_advisory_lock($1, slot)',
        [key, slots],
      )
      return rows.map(({ slot }) => slot)
    },
    async unlock(slots) {
      if (slots.length === 0) return
      await request('SELECT pg_advisory_unlock($1, slot) FROM unnest($2::int4[]) AS slot', [key, slots])
    },
    async survey() {
      const rows = await request<LockRow>(
        `SELECT pid, objid::int8 AS slot FROM pg_locks
          WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND classid = $1::int8::oid
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        [key >>> 0],
      )
      return surveyOf(pid, rows)
    },
    accounts: accountLocks(request),
    proof: (slots) => ({ member: pid, lockClass: key >>> 0, slots, token }),
    async end() {
      lose()
    },
  }

  return {
    locks,
    async enter() {
      try {
        await request('SELECT pg_advisory_lock($1)', [String(token)])
        await request('SELECT pg_advisory_lock_shared($1, $2)', [key, memberKey])
      } catch (error) {
        lose()
        throw error
      }
      void beat()
      void watch()
    },
  }
}

type Request = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/** The key has 64 bits, and no schema in it: services with tables of their own meet here. */
function accountLocks(request: Request): AccountLocks {
  const keys = new Map<RelayerId, string>()
  return {
    async lock(relayers) {
      const rows = await request<{ id: RelayerId; key: string }>(
        `SELECT id, key::text FROM (
          SELECT id, hashtextextended('rescind ' || chain_id || ' ' || lower(address), 0) AS key
          FROM relayers WHERE id = ANY ($1) OFFSET 0
        ) AS wanted WHERE pg_try_advisory_lock(key)`,
        [relayers],
      )
      for (const { id, key } of rows) keys.set(id, key)
      return rows.map(({ id }) => id)
    },
    async unlock(relayers) {
      const held = relayers.flatMap((relayer) => keys.get(relayer) ?? [])
      await request('SELECT pg_advisory_unlock(key) FROM unnest($1::int8[]) AS key', [held])
      for (const relayer of relayers) keys.delete(relayer)
    },
  }
}

function surveyOf(self: Member, rows: readonly LockRow[]): Survey {
  const members = new Map<Member, Set<Slot>>()
  for (const row of rows) if (row.slot === memberKey) members.set(row.pid, new Set())
  const barred = new Set<Slot>()
  for (const row of rows) if (row.slot !== memberKey) (members.get(row.pid) ?? barred).add(row.slot)
  return { self, members, barred }
}
