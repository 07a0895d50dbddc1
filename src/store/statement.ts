// Queries written with Kysely and compiled once per dialect, into prepared SQL and a list of values.
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

interface Compiled {
  readonly sql: string
  /** The values of one execution, in the order of the SQL. */
  bind(parameters: object): readonly unknown[]
}

/** `P` names the parameters of an execution, `R` is the shape of a returned row. */
export interface QueuedStatement<P extends object, R> {
  compiled(dialect: DialectName): Compiled
  /** How PostgreSQL runs many executions at once. */
  readonly lists?: InLists | undefined
  /** Carries `P` and `R` for the type checker; never present. */
  readonly types?: { parameters: P; row: R }
}

export interface InLists {
  readonly sql: string
  readonly columns: readonly string[]
  /**
   * The column that identifies a written row: a second statement for a row waits for the first. Absent: no other statement
   * writes the row.
   */
  readonly writes?: { readonly table: keyof Schema; readonly key: string }
  /** The lists are joined with the rows of a table: see `joinedMax` in postgres/gather.ts. */
  readonly joins: boolean
  /** The statement and its transaction fail unless it changes every row. */
  readonly changesAll: boolean
  /** For rows that differ in one column only: a list for that column, and one value for each of the others. */
  readonly alike?: { readonly sql: string; readonly but: string }
}

/** A statement has lists or returns rows, never both: a combined statement returns no rows to its callers. */
export interface Statement<P extends object, R> extends QueuedStatement<P, R> {
  readonly lists?: ([R] extends [never] ? InLists : undefined) | undefined
}

/** Runs statements, on one connection inside a transaction, or on any connection for reads. */
export interface Executor {
  all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]>
  /** Changes a row as `changeOne` below. Where the result takes a round trip, the unit fails at its end at the latest. */
  change?<P extends object, R>(statement: QueuedStatement<P, R>, parameters: P, missing: () => Error): void
  /** Gives the event loop a turn within a long unit. Absent where statements do not block it. */
  turnOfEventLoop?(): Promise<void>
  /** Where event ids are not in the order of commits: every event below the returned id is committed. */
  settledEvent?(): Promise<number>
  /** Where event ids are not in the order of commits: the newest id, whose event may still be to come. */
  givenEvent?(): Promise<number>
  /** Whether a failover lost the event of this id, or may have. Absent where none can be lost. */
  isLostEvent?(id: number): Promise<boolean>
}

export type QueryBuilder = Kysely<Schema>

/**
 * SQLite prepares a statement again at each execution in which the value of a bare variable could change its choice of an
 * index or an order (sqlite3VdbeSetVarmask, compiled in with STAT4): seven times the cost of the query. A plus sign makes
 * the variable an expression, and does not change its value.
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
 * `build` receives a placeholder for each member of `P` that it reads, typed as the member's value. `build` receives the dialect for what
 * they do not share, such as row locks and lists.
 */
export function statement<P extends object, R = never>(
  build: (db: QueryBuilder, parameters: Readonly<P>, dialect: DialectName) => Compilable<R>,
): Statement<P, R> {
  // Each member of `P` reads as a placeholder.
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

/** Throws `missing` if the statement changes no row. Without `change`, the executor has to return the changed rows. */
export async function changeOne<P extends object, R>(
  executor: Executor,
  query: QueuedStatement<P, R>,
  parameters: P,
  missing: () => Error,
): Promise<void> {
  if (executor.change) return executor.change(query, parameters, missing)
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
