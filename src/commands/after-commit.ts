// What runs after a change is stored: its failure must not read as if nothing were stored, since that answer may be repeated.
import { RescindError } from '../domain/errors.ts'

/** Rejects with OUTCOME_UNKNOWN, whatever fails. */
export async function afterCommit<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    throw new RescindError('OUTCOME_UNKNOWN', 'this was carried out, and the database failed after it: read it', {
      cause,
    })
  }
}
