// Several reads that see the database at one instant, on the connection that all reads share. An open snapshot there would
// hide new commits from other reads, so reads that a commit interrupted run again.
import type Database from 'better-sqlite3'

/** Far more commits than fit into the turn of the event loop that a few reads take. */
const triesMax = 8

/** Its value changes with every commit of another connection (sqlite.org/pragma.html#pragma_data_version). */
export function versionOf(reader: Database.Database): () => unknown {
  const version = reader.prepare('PRAGMA data_version').pluck()
  return () => version.get()
}

/** The value of `version` changes with every commit that the reads may see. */
export async function asOfOneInstant<T>(version: () => unknown, read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const before = version()
    const isTorn = () => tries < triesMax && version() !== before
    try {
      const found = await read()
      if (!isTorn()) return found
    } catch (error) {
      if (!isTorn()) throw error
    }
  }
}
