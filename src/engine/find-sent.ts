// Finds the queued transactions that a lost part of the relayer's history sent, or sent and canceled.
import { endedSince, isLostNoOp, matchNoOps } from '../domain/decide/lost-history/lost-cancellation.ts'
import { findAmong } from '../domain/decide/lost-history/recover.ts'
import type { Work } from '../domain/decide/plan/work.ts'
import type { LostNoOp, Spender } from '../domain/observation.ts'
import { isInPhase, type Transaction } from '../domain/transaction.ts'
import type { Nonce } from '../domain/units.ts'
import type { Reads } from '../store/store.ts'

/** Matches the spenders of a lost history with the queue. Empty until they are found. */
export async function findSent(
  reads: Reads,
  { relayer, lostHistory, uncheckedThrough }: Work,
  spenders: readonly Spender[] | undefined,
): Promise<Pick<Work, 'found' | 'noOpMatches' | 'foreign'>> {
  if (!lostHistory || !spenders) return {}
  const unrecorded: Spender[] = []
  for (const spender of spenders) {
    if (!(await reads.hasAttempt(relayer.id, spender.nonce, spender.hash))) unrecorded.push(spender)
  }
  if (unrecorded.length === 0) return { found: [] }
  const queue = await reads.queueThrough(relayer.id, lostHistory.through)
  const found = findAmong(queue, unrecorded)
  const noOps: LostNoOp[] = []
  let foreign = lostHistory.foreign ?? Number.POSITIVE_INFINITY
  for (const spender of unrecorded) {
    if (found.some((each) => each.spender === spender)) continue
    if (!isLostNoOp(spender, relayer.address)) {
      foreign = Math.min(foreign, spender.nonce)
      continue
    }
    // A later attempt of a gap filler is a no-op that canceled nothing.
    const holder = await reads.transactionByNonce(relayer.id, spender.nonce)
    if (holder?.origin !== 'gap' || holder.sequence > lostHistory.through) noOps.push(spender)
  }
  const first = Number.isFinite(foreign) ? { foreign } : {}
  if (noOps.length === 0) return { found, ...first }
  const overtaken = new Map<Nonce, number>()
  for (const { nonce } of noOps) {
    const sequence = await reads.firstSequenceAbove(relayer.id, nonce)
    if (sequence !== undefined) overtaken.set(nonce, sequence)
  }
  const ended = await reads.droppedSince(relayer.id, lostHistory.through, endedSince(noOps))
  const since = { ended, overtaken, ...(uncheckedThrough !== undefined && { uncheckedThrough }) }
  // A release, skip_unfunded and a mark of an earlier restore let others pass: then the order of nonces proves nothing. This copy may have
  // released it since it was restored, or the lost history have passed it. One that this look has marked was passed by none.
  const looked = new Set(noOps.map(({ hash }) => hash))
  const wasMarked = ({ suspectedNoOp }: Transaction) => suspectedNoOp !== undefined && !looked.has(suspectedNoOp.hash)
  const isOutOfOrder = (each: Transaction) =>
    isInPhase(each, 'held') || each.wasHeld || each.wasPassed || wasMarked(each)
  const orderedBelow = relayer.policies.skipUnfunded || queue.some(isOutOfOrder) ? -1 : foreign
  return { found, noOpMatches: matchNoOps(queue, found, noOps, orderedBelow, since), ...first }
}
