// Watches the SQL statements of this process, and on SQLite the rows that each wrote.
import Database from 'better-sqlite3'
import pg from 'pg'

export interface RunStatement {
  readonly verb: Verb
  /** The table of a statement that writes. */
  readonly table?: string
  /** The rows that it inserted, updated and deleted. 0 on PostgreSQL, where the statement's answer does not show them all. */
  readonly rows: number
  /** The rows that triggers wrote for it. */
  readonly triggeredRows: number
  /** The database file, on SQLite. */
  readonly file?: string
  /** On PostgreSQL: how many answers have come one after the other by the time of its own. Statements sent together share a round. */
  readonly round?: number
}

export type Verb = 'select' | 'insert' | 'update' | 'delete' | 'begin' | 'commit' | 'pragma' | 'other'

type Method = (this: unknown, ...args: unknown[]) => unknown

/** Calls `ran` after each statement on SQLite, and before each on PostgreSQL, until it is disposed. */
export function watchStatements(ran: (statement: RunStatement) => void): Disposable {
  const watched = new DisposableStack()
  const memory = new Database(':memory:')
  const prototype = Object.getPrototypeOf(memory.prepare('SELECT 1')) as Record<string, Method>
  memory.close()
  const get = methodOf(prototype, 'get')
  const totals = new WeakMap<Database.Database, () => number>()
  for (const name of ['run', 'get', 'all']) {
    watched.use(
      replace(prototype, name, (plain) => {
        return function (this: unknown, ...args) {
          const statement = this as Database.Statement
          const read = parse(statement.source)
          const before = statement.readonly ? 0 : totalOf(statement.database)
          const answer = plain.apply(this, args)
          const written = statement.readonly ? 0 : totalOf(statement.database) - before
          const own = Math.min(written, ownRows(answer))
          ran({ ...read, rows: own, triggeredRows: written - own, file: statement.database.name })
          return answer
        }
      }),
    )
  }
  let answered = 0
  watched.use(
    replace(pg.Client.prototype as unknown as Record<string, Method>, 'query', (plain) => {
      return function (this: unknown, ...args) {
        const text = textOfStore(args[0])
        if (text === undefined) return plain.apply(this, args)
        const round = answered + 1
        ran({ ...parse(text), rows: 0, triggeredRows: 0, round })
        const end = () => {
          answered = Math.max(answered, round)
        }
        const query = plain.apply(
          this,
          args.map((each) => (typeof each === 'function' ? after(end, each) : each)),
        )
        if (query instanceof Promise) query.then(end, end)
        return query
      }
    }),
  )
  return watched

  function totalOf(database: Database.Database): number {
    let total = totals.get(database)
    if (!total) {
      const statement = database.prepare('SELECT total_changes()').pluck()
      total = () => get.call(statement) as number
      totals.set(database, total)
    }
    return total()
  }
}

/** The callback of a query, behind `end`. */
function after(end: () => void, callback: unknown): Method {
  return function (this: unknown, ...args) {
    end()
    return (callback as Method).apply(this, args)
  }
}

function methodOf(prototype: Record<string, Method>, name: string): Method {
  const method = prototype[name]
  if (!method) throw new Error(`there is no ${name} to watch`)
  return method
}

function replace(prototype: Record<string, Method>, name: string, by: (plain: Method) => Method): Disposable {
  const plain = methodOf(prototype, name)
  prototype[name] = by(plain)
  return {
    [Symbol.dispose]() {
      prototype[name] = plain
    },
  }
}

/** The store prepares each statement under a name; without one are its BEGIN and COMMIT, and settings of a new connection. */
function textOfStore(query: unknown): string | undefined {
  if (typeof query === 'string') return /^(begin|commit)\b/i.test(query) ? query : undefined
  const { name, text } = query as { readonly name?: string; readonly text?: string }
  return name === undefined ? undefined : text
}

/** Of the answer of `run`, of `all`, or of `get`. */
function ownRows(answer: unknown): number {
  if (Array.isArray(answer)) return answer.length
  if (typeof answer === 'object' && answer !== null && 'changes' in answer) return Number(answer.changes)
  return answer === undefined ? 0 : 1
}

const writing = /\b(insert) into\s+"?(\w+)|\b(update)\s+"?(\w+)"?\s+(?:as\s+\S+\s+)?set\b|\b(delete) from\s+"?(\w+)/i

function parse(sql: string): Pick<RunStatement, 'verb' | 'table'> {
  const found = writing.exec(sql)?.slice(1).filter(Boolean)
  if (found) return { verb: (found[0] ?? '').toLowerCase() as Verb, table: found[1] ?? '' }
  const [word = ''] = /\w+/.exec(sql.toLowerCase()) ?? []
  if (word === 'with') return { verb: 'select' }
  const known: readonly Verb[] = ['select', 'begin', 'commit', 'pragma']
  return { verb: known.find((verb) => verb === word) ?? 'other' }
}
