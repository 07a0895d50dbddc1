// Which of the queue was sent by a part of the relayer's history that the database does not hold.
import { type Found, findAmong, type Taker } from '../domain/recover.ts'
import type { Work } from '../domain/work.ts'
import type { Reads } from '../store/store.ts'

/** Undefined as long as the takers are not known. */
export async function findSent(
  reads: Reads,
  { relayer, past }: Work,
  takers: readonly Taker[] | undefined,
): Promise<readonly Found[] | undefined> {
  if (!past || !takers) return undefined
  const unrecorded: Taker[] = []
  for (const taker of takers) {
    if (!(await reads.hasAttempt(relayer.id, taker.nonce, taker.hash))) unrecorded.push(taker)
  }
  if (unrecorded.length === 0) return []
  return findAmong(await reads.queueThrough(relayer.id, past.through), unrecorded)
}
