// The PostgreSQL database of a transfer: one session, and one transaction that keeps services out.

import type { ClientBase } from 'pg'
import type { Clock } from '../../ops/clock.ts'
import { memberOf } from '../../ops/member.ts'
import { OperatorError } from '../../ops/operator-error.ts'
import type { Secret } from '../../ops/secret.ts'
import { checkServer, openPool } from '../postgres/connect.ts'
import { whyUnavailable } from '../postgres/failure.ts'
import { hasMembers } from '../postgres/locks.ts'
import { lockOfMigrations } from '../postgres/migrate.ts'
import { StoreInUse } from '../store.ts'

/** The target's record of a transfer: `begun` before its rows, `done` in their commit, `undone` when they were deleted. */
type TransferState = 'begun' | 'done' | 'undone'

export interface Target extends AsyncDisposable {
  readonly client: ClientBase
  /** For people, without a secret. */
  readonly shown: string
  /** Waits briefly for a process that just died. Throws StoreInUse while a service or another transfer uses the target. */
  begin(): Promise<void>
  /** Rejects unless the whole transaction is durable. */
  commit(): Promise<void>
  state(transferId: string): Promise<TransferState | undefined>
  recordState(transferId: string, standing: TransferState, source: string): Promise<void>
}

const waitMs = { most: 5_000, each: 100 }

/** Throws OperatorError when the server can't be used. */
export async function openTarget(url: Secret, clock: Clock): Promise<Target> {
  await using opened = new AsyncDisposableStack()
  // Each query reports the error of its connection.
  const pool = openPool(url, { max: 1, onIdleError: () => undefined })
  opened.defer(() => pool.end())
  await checkServer(pool)
  const client = await pool.connect()
  client.on('error', () => undefined)
  // Closed, not pooled: the server then ends its transaction.
  opened.defer(() => client.release(true))
  // A statement may take long, and a commit may wait for a standby; between two statements the file is read.
  await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 60000')
  const { rows } = await client.query<{ database: string; schema: string }>(
    'SELECT current_database() AS database, current_schema() AS schema',
  )
  const { database, schema } = rows[0] ?? {}

  async function tryLock(): Promise<boolean> {
    const sql = `SELECT pg_try_advisory_xact_lock(${lockOfMigrations}, hashtext(current_schema())) AS held`
    const answer = await client.query<{ held: boolean }>(sql)
    return answer.rows[0]?.held === true
  }

  const shown = `the PostgreSQL database "${database}" (schema "${schema}") at ${url}`
  const everything = opened.move()
  return {
    client,
    shown,
    async begin() {
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE')
      const until = clock.elapsed() + waitMs.most
      while (!(await tryLock()) || (await hasMembers(client))) {
        if (clock.elapsed() > until) {
          throw new StoreInUse(
            `a service runs on ${shown}, or another transfer does: stop it, and start it again when the transfer is done`,
          )
        }
        await clock.sleep(waitMs.each)
      }
    },
    async commit() {
      // After an error inside a transaction the server answers COMMIT with a rollback, and no error.
      const { command } = await client.query('COMMIT')
      if (command !== 'COMMIT') throw new Error(`the target answered COMMIT with ${command}`)
    },
    async state(transferId) {
      const { rows: tables } = await client.query(`SELECT 1 WHERE to_regclass('moves') IS NOT NULL`)
      if (tables.length === 0) return undefined
      const found = await client.query<{ state: TransferState }>('SELECT state FROM moves WHERE move = $1', [
        transferId,
      ])
      return found.rows[0]?.state
    },
    async recordState(transferId, standing, source) {
      await client.query(
        'CREATE TABLE IF NOT EXISTS moves (move TEXT PRIMARY KEY, state TEXT NOT NULL, source TEXT NOT NULL, at BIGINT NOT NULL)',
      )
      await client.query(
        `INSERT INTO moves (move, state, source, at) VALUES ($1, $2, $3, $4)
          ON CONFLICT (move) DO UPDATE SET state = excluded.state, at = excluded.at`,
        [transferId, standing, source, clock.now()],
      )
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

/** An error that the server's operator can fix becomes a message; any other stays as it is. */
export function describeFailure(error: unknown): unknown {
  const why = error instanceof OperatorError ? undefined : whyUnavailable(error)
  if (why === undefined) return error
  return new OperatorError(`nothing was changed: the target ${why} (${memberOf(error, 'message')})`, { cause: error })
}
