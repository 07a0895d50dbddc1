// Several reads that see the database as of one instant, on the connection that all reads share: a snapshot held open there
// would hide from the others what is committed meanwhile, so what a commit came between is read once more.
import type Database from 'better-sqlite3'

/** Far more commits than can come in the turn of the event loop that a few reads take. */
const triesMax = 8

/** Answers another value after every commit of another connection (sqlite.org/pragma.html#pragma_data_version). */
export function versionOf(reader: Database.Database): () => unknown {
  const version = reader.prepare('PRAGMA data_version').pluck()
  return () => version.get()
}

/** `version` answers another value after every commit that the reads may see. */
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
