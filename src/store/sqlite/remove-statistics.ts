// Removes the planner's statistics from a SQLite file. Plans are tested without them. Statistics of a time with few rows let the
// planner scan a table that has millions of rows now.
import type Database from 'better-sqlite3'

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
