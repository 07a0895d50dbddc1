// Runs statements on PostgreSQL connections, each prepared once a connection.
import type { ClientBase, Pool, QueryConfig } from 'pg'
import type { Executor, Statement } from '../statement.ts'
import { CommitInDoubt, isConnectionLost } from './failure.ts'
import { type Gathered, type Listed, listsOf, missingAmong, openGathering, type Row } from './gather.ts'

const names = new WeakMap<object, string>()
let named = 0

/** The same name for the same statement on every connection: what a connection has parsed it knows by it. */
function nameOf(statement: object): string {
  let name = names.get(statement)
  if (name === undefined) {
    named += 1
    name = `rescind_${named}`
    names.set(statement, name)
  }
  return name
}

function queryOf<P extends object>(statement: Statement<P, unknown>, parameters: P): QueryConfig {
  const { sql, bind } = statement.compiled('postgres')
  return { name: nameOf(statement), text: sql, values: [...bind(parameters)] }
}

function queryOfGathered(gathered: Gathered): QueryConfig {
  const { statement, rows } = gathered
  const [only] = rows
  // A plan for lists is a dear one for a single row.
  if (rows.length === 1 && only) return queryOf(statement, only.values)
  return { name: nameOf(statement.lists), text: statement.lists.sql, values: listsOf(gathered) }
}

function isListed(statement: object): statement is Listed {
  return 'lists' in statement
}

function canBeFound({ values }: QueryConfig): boolean {
  return !values?.some((value: unknown) => typeof value === 'string' && !canStand(value))
}

/** A text with U+0000 stands in no row, and the server refuses even to look for it. */
export function canStand(text: string): boolean {
  return !text.includes('\0')
}

/** Reads, each on whatever connection is free, or all on the one given. */
export function readingExecutor(on: Pool | ClientBase): Executor {
  return {
    async all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
      const query = queryOf(statement, parameters)
      if (!canBeFound(query)) return []
      const { rows } = await (on as ClientBase).query(query)
      return rows as R[]
    },
  }
}

/**
 * The statements of one transaction. What returns no rows is not waited for: `settled` tells how it went. Of that, what can
 * go in lists waits until something has to come after it.
 */
export interface Writing extends Executor {
  /** How many statements may have changed something. */
  readonly writes: number
  change<P extends object, R>(statement: Statement<P, R>, parameters: P, missing: () => Error): void
  /** Text of our own, without values. */
  send(sql: string): void
  /** Rejects with the first error of all that was sent. */
  settled(): Promise<void>
  /** Forgets what waits and what failed: the database is told next to go back before it. */
  forgive(): Promise<void>
  /** Rejects unless all of it is durable. */
  commit(): Promise<void>
}

export function writingExecutor(client: ClientBase): Writing {
  const gathering = openGathering()
  let writes = 0
  let failure: { readonly error: unknown } | undefined
  // Answers come in the order of what was sent: when the last is there, all are.
  let last: Promise<unknown> = Promise.resolve()

  /** What was to change a row may have met none, which is no error to the database. */
  let inDoubt = false

  function sent(answer: Promise<unknown>): void {
    last = answer.catch((error: unknown) => {
      failure ??= { error }
    })
  }

  function check(
    answer: Promise<{ rows: readonly object[] }>,
    missing: (rows: readonly object[]) => Error | undefined,
  ) {
    inDoubt = true
    sent(
      answer.then(({ rows }) => {
        const error = missing(rows)
        if (error) failure ??= { error }
      }),
    )
  }

  function sendGathered(): void {
    for (const gathered of gathering.take()) {
      const answer = client.query(queryOfGathered(gathered))
      if (gathered.rows.some(({ missing }) => missing)) check(answer, (rows) => missingAmong(gathered, rows))
      else sent(answer)
    }
  }

  function gather(statement: Listed, row: Row): void {
    if (gathering.add(statement, row)) return
    sendGathered()
    gathering.add(statement, row)
  }

  async function settled(): Promise<void> {
    sendGathered()
    await last
    if (failure) throw failure.error
  }

  return {
    get writes() {
      return writes
    },
    async all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
      const { changes, answers } = effectOf(statement)
      if (changes) writes += 1
      if (isListed(statement)) {
        gather(statement, { values: parameters })
        return []
      }
      const query = queryOf(statement, parameters)
      if (!changes && !canBeFound(query)) return []
      sendGathered()
      const answer = client.query(query)
      sent(answer)
      if (!answers) return []
      try {
        return (await answer).rows as R[]
      } catch (error) {
        // After a first error the database refuses what follows, and says only that.
        throw failure?.error ?? error
      }
    },
    change(statement, parameters, missing) {
      writes += 1
      if (isListed(statement)) {
        gather(statement, { values: parameters, missing })
        return
      }
      sendGathered()
      check(client.query(queryOf(statement, parameters)), (rows) => (rows.length === 0 ? missing() : undefined))
    },
    send(sql) {
      sendGathered()
      sent(client.query(sql))
    },
    settled,
    async forgive() {
      gathering.take()
      await last
      failure = undefined
    },
    async commit() {
      sendGathered()
      if (inDoubt) await settled()
      if (failure) throw failure.error
      const committing = client.query('COMMIT')
      sent(committing)
      await settled().catch((error: unknown) => {
        throw isConnectionLost(error) ? new CommitInDoubt(error) : error
      })
      // A transaction in which something failed answers a COMMIT by rolling back, without an error.
      const { command } = await committing
      if (command !== 'COMMIT') throw new Error(`the database answered COMMIT with ${command}`)
    },
  }
}

interface Effect {
  readonly changes: boolean
  readonly answers: boolean
}

const effects = new WeakMap<object, Effect>()

function effectOf<P extends object, R>(statement: Statement<P, R>): Effect {
  const known = effects.get(statement)
  if (known) return known
  const { sql } = statement.compiled('postgres')
  const changes = !sql.startsWith('select')
  const effect = { changes, answers: !changes || / returning /.test(sql) }
  effects.set(statement, effect)
  return effect
}
