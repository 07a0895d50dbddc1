// Migrates a SQLite file to this version's schema, all or nothing; refuses a file of a later version.
import type Database from 'better-sqlite3'
import type { TimestampMs } from '../../domain/units.ts'
import { sqlFor } from '../migrations/migration.ts'
import { missingMigrations } from '../migrations/migrations.ts'

/** Returns the migrations that it applied. Throws OperatorError when the file holds one that this version does not have. */
export function migrate(database: Database.Database, now: TimestampMs): readonly string[] {
  return database
    .transaction(() => {
      database.exec('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL)')
      database.exec('CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, at INTEGER NOT NULL)')
      const applied = database.prepare<[], string>('SELECT name FROM migrations').pluck().all()
      const missing = missingMigrations(applied)
      for (const migration of missing) {
        for (const sql of sqlFor('sqlite', migration)) database.exec(sql)
        database.prepare('INSERT INTO migrations (name, applied_at) VALUES (?, ?)').run(migration.name, now)
      }
      return missing.map((migration) => migration.name)
    })
    .immediate()
}
