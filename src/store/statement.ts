// Queries written with Kysely and compiled once a dialect: what runs is prepared SQL and a list of values.
import {
  type Compilable,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Schema } from './schema.ts'

export type DialectName = 'sqlite' | 'postgres'

export interface Compiled {
  readonly sql: string
  /** The values to bind, in order, for one execution. */
  bind(parameters: object): readonly unknown[]
}

/** `P` names what an execution binds, `R` is the shape of a row it returns. */
export interface QueuedStatement<P extends object, R> {
  compiled(dialect: DialectName): Compiled
  /** How PostgreSQL runs many of it at once. */
  readonly lists?: InLists | undefined
  /** Carries `P` and `R` for the type checker; never present. */
  readonly types?: { parameters: P; row: R }
}

export interface InLists {
  readonly sql: string
  readonly columns: readonly string[]
  /** The column that names what a row changes: of two for the same the second waits for the first. Absent: rows only add. */
  readonly key?: string
  /** Fails, and its transaction with it, unless each of the rows is changed. */
  readonly changesAll: boolean
  /** For rows that differ in nothing but one column: a list of that, and every other value once. */
  readonly alike?: { readonly sql: string; readonly but: string }
}

/** What can wait for others of its kind has no rows to return when it is asked: either it has lists, or it returns rows. */
export interface Statement<P extends object, R> extends QueuedStatement<P, R> {
  readonly lists?: ([R] extends [never] ? InLists : undefined) | undefined
}

/** Runs statements: of one connection inside a transaction, or of any connection for reads. */
export interface Executor {
  all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]>
  /** As `changeOne` below, where it need not be waited for: the unit fails no later than at its end. */
  change?<P extends object, R>(statement: QueuedStatement<P, R>, parameters: P, missing: () => Error): void
  /** Where ids of events are not given in the order of commits: the id below which none is still to come. */
  settledEvent?(): Promise<number>
}

export type QueryBuilder = Kysely<Schema>

/**
 * SQLite prepares a statement anew at every execution in which a bare variable could tell it more about an index or an
 * order (sqlite3VdbeSetVarmask, compiled in with STAT4): seven times the cost of the query itself. A sign changes no value,
 * and makes an expression of the variable.
 */
class SignedVariables extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?'
  }
}

class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

const builders: Record<DialectName, QueryBuilder> = {
  sqlite: new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SignedVariables(),
    },
  }),
  postgres: new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
}

/**
 * `build` sees a placeholder for every member of `P` it reads, typed as the value that will stand there. Row locks are
 * the one thing the dialects differ in, so it is told which one it builds for.
 */
export function statement<P extends object, R = never>(
  build: (db: QueryBuilder, parameters: Readonly<P>, dialect: DialectName) => Compilable<R>,
): Statement<P, R> {
  // Whatever is read of it is a placeholder: it has every member of `P`, and none of their values.
  const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as P
  const compiled = new Map<DialectName, Compiled>()
  return {
    compiled(dialect) {
      const known = compiled.get(dialect)
      if (known) return known
      const { sql, parameters } = build(builders[dialect], placeholders, dialect).compile()
      const fresh: Compiled = { sql, bind: (values) => bound(parameters, values as Record<string, unknown>) }
      compiled.set(dialect, fresh)
      return fresh
    },
  }
}

function bound(parameters: readonly unknown[], values: Record<string, unknown>): readonly unknown[] {
  return parameters.map((value) => (value instanceof Placeholder ? values[value.name] : value))
}

/** Throws `missing` where the statement, which returns what it changes, changes nothing. */
export async function changeOne<P extends object, R>(
  executor: Executor,
  query: QueuedStatement<P, R>,
  parameters: P,
  missing: () => Error,
): Promise<void> {
  if (executor.change) return executor.change(query, parameters, missing)
  // An executor that has no `change` lets nothing wait: it answers the rows of each.
  if ((await executor.all(query as Statement<P, R>, parameters)).length === 0) throw missing()
}

export async function first<P extends object, R>(
  executor: Executor,
  query: Statement<P, R>,
  parameters: P,
): Promise<R | undefined> {
  const [row] = await executor.all(query, parameters)
  return row
}
