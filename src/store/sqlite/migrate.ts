// Migrates a SQLite file to this version's schema, all or nothing; refuses a file of a later version.
import type Database from 'better-sqlite3'
import type { TimestampMs } from '../../domain/units.ts'
import { sqlFor } from '../migrations/migration.ts'
import { migrations, missingMigrations } from '../migrations/migrations.ts'

/** Returns the migrations that it applied. Throws OperatorError when the file holds one that is not `known`. */
export function migrate(database: Database.Database, now: TimestampMs, known = migrations): readonly string[] {
  return database
    .transaction(() => {
      database.exec('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL)')
      database.exec('CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, at INTEGER NOT NULL)')
      const applied = database.prepare<[], string>('SELECT name FROM migrations').pluck().all()
      const missing = missingMigrations(applied, known)
      for (const migration of missing) {
        for (const sql of sqlFor('sqlite', migration)) database.exec(sql)
        database.prepare('INSERT INTO migrations (name, applied_at) VALUES (?, ?)').run(migration.name, now)
      }
      return missing.map((migration) => migration.name)
    })
    .immediate()
}

// Removes the planner's statistics from a SQLite file. Plans are tested without them. Statistics of a time with few rows let
// the planner scan a table that has millions of rows now.

/** True if somebody ran ANALYZE on the file. */
export function removeStatistics(database: Database.Database): boolean {
  const tables = database
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE name IN ('sqlite_stat1', 'sqlite_stat4')")
    .pluck()
    .all()
  let removed = 0
  for (const table of tables) removed += database.prepare(`DELETE FROM ${table}`).run().changes
  // This connection reads the tables again, and finds them empty.
  if (removed > 0) database.exec('ANALYZE sqlite_schema')
  return removed > 0
}
