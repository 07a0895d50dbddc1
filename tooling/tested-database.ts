// Where the rows of a test are kept: a SQLite file in its folder, or a database of the server that the run has started.
// The same tests run on both, and read the rows beside the service without a turn of the event loop.
import { createHash } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { queryAtOnce } from './query-at-once.ts'

interface TestedDatabase {
  /** As DATABASE_URL. */
  readonly url: string
  /** Before a service is started on it; existing rows stay. */
  create(): void
  drop(): void
  /** `?` stands for a parameter. */
  read<Row>(sql: string, ...parameters: readonly string[]): readonly Row[]
  change(sql: string): void
  /** All that it holds, as bytes. */
  bytes(): readonly Buffer[]
  /** While nothing runs on it. */
  copy(): void
  putBack(): void
}

/** Set where the tests run on PostgreSQL: the URL of a role that may create databases, and is no superuser. */
export const serverVariable = 'TESTED_POSTGRES'

export function databaseIn(folder: string): TestedDatabase {
  const server = process.env[serverVariable]
  return server === undefined ? fileIn(folder) : databaseOn(new URL(server), folder)
}

function fileIn(folder: string): TestedDatabase {
  const path = join(folder, 'rescind.db')

  function open<T>(readonly: boolean, use: (database: Database.Database) => T): T {
    const database = new Database(path, { readonly, timeout: 5_000 })
    try {
      return use(database)
    } finally {
      database.close()
    }
  }

  return {
    url: `sqlite:${path}`,
    create() {},
    drop() {},
    read: <Row>(sql: string, ...parameters: readonly string[]) =>
      open(true, (database) => database.prepare(sql).all(...parameters) as Row[]),
    change: (sql) => open(false, (database) => void database.exec(sql)),
    bytes: () =>
      readdirSync(folder)
        .filter((name) => name.startsWith('rescind.db'))
        .map((name) => readFileSync(join(folder, name))),
    // A service that has drained leaves no log beside the file.
    copy: () => copyFileSync(path, `${path}.copy`),
    putBack() {
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
      copyFileSync(`${path}.copy`, path)
    },
  }
}

function databaseOn(server: URL, folder: string): TestedDatabase {
  const name = `rescind_${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`
  const own = new URL(server)
  own.pathname = `/${name}`
  const onServer = (...statements: readonly string[]) => {
    for (const sql of statements) queryAtOnce(server.href, sql)
  }
  return {
    url: own.href,
    create() {
      const there = queryAtOnce(server.href, 'SELECT 1 FROM pg_database WHERE datname = $1', [name])
      if (there.length === 0) onServer(`CREATE DATABASE ${name}`)
    },
    drop: () => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, `DROP DATABASE IF EXISTS ${name}_copy`),
    read: <Row>(sql: string, ...parameters: readonly string[]) => {
      let place = 0
      const numbered = sql.replaceAll('?', () => `$${++place}`)
      return queryAtOnce(own.href, numbered, parameters) as readonly Row[]
    },
    change: (sql) => void queryAtOnce(own.href, sql),
    bytes: () =>
      queryAtOnce(own.href, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
        .map((table) => queryAtOnce(own.href, `SELECT t::text AS text FROM ${(table as { name: string }).name} t`))
        .map((rows) => Buffer.from(JSON.stringify(rows))),
    copy: () => onServer(`DROP DATABASE IF EXISTS ${name}_copy`, `CREATE DATABASE ${name}_copy TEMPLATE ${name}`),
    putBack: () => onServer(`DROP DATABASE ${name} WITH (FORCE)`, `CREATE DATABASE ${name} TEMPLATE ${name}_copy`),
  }
}
