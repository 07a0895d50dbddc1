// Which of the queue was sent, or sent and canceled, by a part of the relayer's history that the database does not hold.
import type { Work } from '../domain/decide/work.ts'
import { endedSince, isLostNoOp, matchNoOps } from '../domain/lost-history/lost-cancellation.ts'
import { findAmong } from '../domain/lost-history/recover.ts'
import type { LostNoOp, Taker } from '../domain/observation.ts'
import type { Nonce } from '../domain/units.ts'
import type { Reads } from '../store/store.ts'

/** Empty as long as the takers are not known. */
export async function findSent(
  reads: Reads,
  { relayer, past }: Work,
  takers: readonly Taker[] | undefined,
): Promise<Pick<Work, 'found' | 'noOpMatches'>> {
  if (!past || !takers) return {}
  const unrecorded: Taker[] = []
  for (const taker of takers) {
    if (!(await reads.hasAttempt(relayer.id, taker.nonce, taker.hash))) unrecorded.push(taker)
  }
  if (unrecorded.length === 0) return { found: [] }
  const queue = await reads.queueThrough(relayer.id, past.through)
  const found = findAmong(queue, unrecorded)
  const noOps: LostNoOp[] = []
  const foreign: Nonce[] = []
  for (const taker of unrecorded) {
    if (found.some((each) => each.taker === taker)) continue
    if (!isLostNoOp(taker, relayer.address)) {
      foreign.push(taker.nonce)
      continue
    }
    // A later attempt of what fills a gap is a no-op that canceled nothing.
    const holder = await reads.transactionByNonce(relayer.id, taker.nonce)
    if (holder?.origin !== 'gap' || holder.sequence > past.through) noOps.push(taker)
  }
  if (noOps.length === 0) return { found }
  const overtaken = new Map<Nonce, number>()
  for (const { nonce } of noOps) {
    const sequence = await reads.firstSequenceAbove(relayer.id, nonce)
    if (sequence !== undefined) overtaken.set(nonce, sequence)
  }
  const ended = await reads.droppedSince(relayer.id, past.through, endedSince(noOps))
  return { found, noOpMatches: matchNoOps(queue, found, noOps, Math.min(...foreign), { ended, overtaken }) }
}
