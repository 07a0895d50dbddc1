// Runs statements on PostgreSQL connections, each prepared once a connection.
import type { Client, Pool, QueryConfig, QueryResult } from 'pg'
import { failingUnlessOne } from '../in-lists.ts'
import type { Executor, QueuedStatement, Statement } from '../statement.ts'
import { CommitInDoubt, isConnectionLost, isPlanOutdated } from './failure.ts'
import { type AnyListed, type Gathered, type Gathering, inOneStatement } from './gather.ts'

const names = new Map<string, string>()

/** The name of a statement, the same for a text on every connection: a connection finds the statement that it parsed by this name. */
function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `rescind_${names.size + 1}`
    names.set(text, name)
  }
  return name
}

function queryOf<P extends object>(statement: QueuedStatement<P, unknown>, parameters: P): QueryConfig {
  const { sql, bind } = statement.compiled('postgres')
  return { name: nameOf(sql), text: sql, values: [...bind(parameters)] }
}

function queryOfGathered(gathered: Gathered): QueryConfig {
  const { statement, rows } = gathered
  const [only] = rows
  // A plan for lists is a dear one for a single row.
  if (rows.length === 1 && only) {
    const query = queryOf(statement, only)
    if (!statement.lists.changesAll) return query
    const text = failingUnlessOne(query.text)
    return { ...query, name: nameOf(text), text }
  }
  const { text, values } = inOneStatement(gathered)
  return { name: nameOf(text), text, values }
}

function isListed(statement: object): statement is AnyListed {
  return 'lists' in statement
}

function canBeFound({ values }: QueryConfig): boolean {
  return !values?.some((value: unknown) => typeof value === 'string' && !canStand(value))
}

/** A text with U+0000 stands in no row, and the server refuses even to look for it. */
export function canStand(text: string): boolean {
  return !text.includes('\0')
}

type Request = (query: QueryConfig) => Promise<QueryResult>

/** The pool closes a connection whose query failed. */
async function readOn(pool: Pool, query: QueryConfig): Promise<QueryResult> {
  try {
    return await pool.query(query)
  } catch (error) {
    if (!isPlanOutdated(error)) throw error
    return readOn(pool, query)
  }
}

/** Reads, each on whatever connection is free, or all as `request` sends them. */
export function readingExecutor(on: Pool | Request): Executor {
  const request: Request = typeof on === 'function' ? on : (query) => readOn(on, query)
  return {
    async all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
      const query = queryOf(statement, parameters)
      if (!canBeFound(query)) return []
      return (await request(query)).rows as R[]
    },
  }
}

/** The statements of one transaction. The unit does not wait for a statement without rows: `settled` returns the outcome. */
export interface Writing extends Executor {
  /** How many statements may have changed something. */
  readonly writes: number
  change<P extends object, R>(statement: QueuedStatement<P, R>, parameters: P, missing: () => Error): void
  /** Text of our own, without values. */
  send(sql: string): void
  /** Reads the transaction's id, for the case that its COMMIT gets no answer. Never rejects. */
  identify(): Promise<unknown>
  /** Rejects with the first error of all that was sent. */
  settled(): Promise<void>
  /** Drops waiting and failed statements: the next command rolls the database back to before them. */
  forgive(): Promise<void>
  /** Rejects unless all of it is durable, and with CommitInDoubt where that is unknown. */
  commit(): Promise<void>
}

const ownId = 'SELECT CAST(pg_current_xact_id() AS TEXT) AS id'

/**
 * Executes the writes of a transaction. Rows for lists wait in `gathering` until something has to come after them; without it,
 * each goes by itself.
 */
export function writingExecutor(client: Client, gathering?: Gathering): Writing {
  const request = inOneWrite(client)
  let writes = 0
  const answered = trackAnswers()

  /** A statement that had to change a row may have found none, which is no error in the database. */
  let inDoubt = false

  function sendGathered(): void {
    for (const gathered of gathering?.take() ?? []) answered.add(request(queryOfGathered(gathered)))
  }

  /** False where it has to go by itself. */
  function gather(statement: QueuedStatement<object, unknown>, row: object): boolean {
    if (!gathering || !isListed(statement)) return false
    if (gathering.add(statement, row)) return true
    sendGathered()
    return gathering.add(statement, row)
  }

  async function settled(): Promise<void> {
    sendGathered()
    await answered.all()
    answered.assertNoFailure()
  }

  return {
    get writes() {
      return writes
    },
    async all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
      const { changes, answers } = effectOf(statement)
      if (changes) writes += 1
      if (gather(statement, parameters)) return []
      const query = queryOf(statement, parameters)
      if (!changes && !canBeFound(query)) return []
      sendGathered()
      const answer = request(query)
      answered.add(answer)
      if (!answers) return []
      try {
        return (await answer).rows as R[]
      } catch (error) {
        // After a first error the database refuses what follows, and says only that.
        answered.assertNoFailure()
        throw error
      }
    },
    change(statement, parameters, missing) {
      writes += 1
      if (statement.lists?.changesAll && gather(statement, parameters)) return
      sendGathered()
      inDoubt = true
      answered.add(
        request(queryOf(statement, parameters)).then(({ rows }) => {
          if (rows.length === 0) throw missing()
        }),
      )
    },
    send(sql) {
      sendGathered()
      answered.add(request(sql))
    },
    identify: () => answered.identify(request({ name: nameOf(ownId), text: ownId })),
    settled,
    async forgive() {
      gathering?.take()
      await answered.all()
      answered.forget()
    },
    async commit() {
      sendGathered()
      if (inDoubt) await settled()
      answered.assertNoFailure()
      const committing = request('COMMIT')
      answered.add(committing)
      await settled().catch((error: unknown) => {
        throw isConnectionLost(error) ? new CommitInDoubt(client, answered.transaction(), error) : error
      })
      // A transaction in which something failed answers a COMMIT by rolling back, without an error.
      const { command } = await committing
      if (command !== 'COMMIT') throw new Error(`the database answered COMMIT with ${command}`)
    },
  }
}

/** Answers come in the order of the statements: with the last one, all are there. */
function trackAnswers() {
  let failure: { readonly error: unknown } | undefined
  let last: Promise<unknown> = Promise.resolve()
  let transaction: string | undefined

  function add(answer: Promise<unknown>): void {
    last = answer.catch((error: unknown) => {
      failure ??= { error }
    })
  }
  return {
    add,
    identify(answer: Promise<QueryResult<{ id: string }>>): Promise<unknown> {
      add(
        answer.then(({ rows }) => {
          transaction = rows[0]?.id
        }),
      )
      return last
    },
    /** Its id, as far as it was answered. */
    transaction: () => transaction,
    all: () => last,
    /** Throws the first error of those that were added. */
    assertNoFailure(): void {
      if (failure) throw failure.error
    },
    forget(): void {
      failure = undefined
    },
  }
}

/** Statements of one turn leave in one write: each write costs a system call, and wakes the server up. */
export function inOneWrite(client: Client): (query: QueryConfig | string) => Promise<QueryResult> {
  const { stream } = client.connection
  let held = false
  return (query) => {
    if (!held) {
      held = true
      stream.cork()
      process.nextTick(() => {
        held = false
        stream.uncork()
      })
    }
    return client.query(query)
  }
}

interface Effect {
  readonly changes: boolean
  readonly answers: boolean
}

const effects = new WeakMap<object, Effect>()

function effectOf<P extends object, R>(statement: QueuedStatement<P, R>): Effect {
  const known = effects.get(statement)
  if (known) return known
  const { sql } = statement.compiled('postgres')
  const changes = !sql.startsWith('select')
  const effect = { changes, answers: !changes || / returning /.test(sql) }
  effects.set(statement, effect)
  return effect
}
