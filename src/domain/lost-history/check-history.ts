// What a relayer did before its owner began, as far as the database may have lost it: a copy that was restored still has
// transactions in its queue that the lost part of its history may have sent. They get a nonce once every nonce that the
// record does not explain is finally spent and looked at. What spent one and carries the payload of one in the queue is
// that one.
import { type Decision, explain } from '../decide/decision.ts'
import type { Work } from '../decide/work.ts'
import {
  confirmations,
  type Head,
  type HistoryInquiry,
  type HistoryReach,
  type HistorySeen,
  type LostHistory,
} from '../observation.ts'
import { isInPhase, spenderKind, type Transaction } from '../transaction.ts'
import type { Nonce } from '../units.ts'
import { clockMarginMs } from './recover.ts'

/** Of what is as old as the owner, or older, and may have been sent without this database knowing. */
function inDoubt({ lostHistory, queued, suspected, open }: Work): readonly Transaction[] {
  if (!lostHistory) return []
  const unproven = open.filter((each) => !isOursByRecord(each))
  return [...queued, ...suspected, ...unproven].filter(({ sequence }) => sequence <= lostHistory.through)
}

function isOursByRecord(transaction: Transaction): boolean {
  return isInPhase(transaction, 'mined') && spenderKind(transaction.lifecycle.inclusion) !== 'foreign'
}

/** What has to be asked; undefined when nothing is in doubt. */
export function inquireAboutHistory(work: Work, confirmations: number): HistoryInquiry | undefined {
  const { lostHistory, floor } = work
  const doubted = inDoubt(work)
  if (!lostHistory || doubted.length === 0) return undefined
  return {
    from: floor.explainedBelow,
    ...(lostHistory.seen && { seen: lostHistory.seen }),
    explained: new Set(explainedNonces(work, 0)),
    since: Math.min(...doubted.map(({ createdAt }) => createdAt)) - clockMarginMs,
    confirmations,
  }
}

/** Not by what fills a gap: that is what takes a nonce from what nobody knows. */
function explainedNonces({ lostHistory, open }: Work, spentBelow: Nonce): readonly Nonce[] {
  return open.flatMap((transaction) => {
    const { lifecycle, origin, sequence } = transaction
    if (!lostHistory || !('nonce' in lifecycle) || origin === 'gap' || sequence > lostHistory.through) return []
    const isUnspent = lifecycle.phase === 'inFlight' && lifecycle.nonce >= spentBelow
    return isUnspent || isOursByRecord(transaction) ? [lifecycle.nonce] : []
  })
}

export interface HistoryCheck {
  /** What is not known yet; absent once all is. */
  readonly lostHistory?: LostHistory
  /** Every nonce below is spent, and now explained. */
  readonly explainedBelow?: Nonce
  readonly decisions: readonly Decision[]
  /** Unspent nonces that wait in a pool for nobody knows what. */
  readonly unknown: readonly Nonce[]
  /** There is more to find out, and it needs no new block. */
  readonly again: boolean
}

/**
 * `inquired` is what the inquiry was made of, and `work` what this step makes of it. `seen` is absent where it was not asked,
 * or where no node told its pool.
 */
export function checkHistory(
  inquired: Work,
  work: Work,
  seen: HistorySeen | undefined,
  at: { nonce: Nonce; head: Head; confirmations: number },
): HistoryCheck {
  const nothing = { decisions: [], unknown: [], again: false }
  const { lostHistory } = work
  if (!lostHistory || inDoubt(work).length === 0) return nothing
  if (!seen) return { ...nothing, lostHistory }
  const explained = new Set(explainedNonces(work, at.nonce))
  const from = work.floor.explainedBelow
  const open: Nonce[] = []
  for (let nonce = from; nonce < seen.below; nonce += 1) if (!explained.has(nonce)) open.push(nonce)
  const last = open.at(-1)
  if (last === undefined) return nothing
  const { finalBelow, spenders } = seen
  const reach = extend(lostHistory.seen, seen, at)
  const waits: HistoryCheck = {
    lostHistory: { ...lostHistory, seen: reach },
    decisions: explainWait(work, open[0] ?? last, last),
    // A node that is behind what is settled calls spent nonces free.
    unknown: at.nonce < work.floor.spentBelow ? [] : open.filter((nonce) => nonce >= at.nonce),
    again: seen.more === true,
  }
  if (finalBelow === undefined || !spenders || !work.found || !reach.isWhole) return waits
  // What this step has shown not to be ours was not looked at yet.
  const notInquired = new Set(explainedNonces(inquired, 0))
  if (open.some((nonce) => notInquired.has(nonce))) return { ...waits, again: false }
  // A nonce that is on record with another transaction is still to be given back by it.
  const held = new Set(work.open.flatMap(({ lifecycle }) => ('nonce' in lifecycle ? [lifecycle.nonce] : [])))
  const { canceled, suspected } = work.noOpMatches ?? { canceled: [], suspected: [] }
  const explaining = [
    ...work.found.map(({ spender }) => spender),
    ...[...canceled, ...suspected].map(({ noOp }) => noOp),
  ]
  if (explaining.some((each) => held.has(each.nonce))) return { ...waits, again: false }
  const suspicions = suspected.slice(0, suspicionsMax).map((match): Decision => ({ do: 'suspect', ...match }))
  // Before what tells them apart is on record: an owner that begins in between finds as much as this one.
  if (suspected.length > suspicionsMax) return { ...waits, decisions: suspicions, again: true }
  const recovered = work.found.map((found): Decision => ({ do: 'recover', ...found }))
  const restored = canceled.map((match): Decision => ({ do: 'restoreCancellation', ...match }))
  const decisions = [...suspicions, ...recovered, ...restored]
  if (decisions.length > 0) return { ...waits, decisions, explainedBelow: finalBelow, again: true }
  return { ...nothing, explainedBelow: finalBelow }
}

/** Per step: a queue may be long, and each of them is a row to write. */
const suspicionsMax = 500

/**
 * A transaction may wait where nobody could ask at first, or behind another that its node lacks. So the looks go on until
 * what they have seen is final, and as long at least as a block takes to be.
 */
function extend(
  known: HistoryReach | undefined,
  { below, finalBelow = 0 }: HistorySeen,
  { head, confirmations: needed }: { head: Head; confirmations: number },
): HistoryReach {
  const { at, below: before } = known ?? { at: head.number, below }
  const isWhole = known?.isWhole || (confirmations(head, { number: at }) >= needed && finalBelow >= before)
  return { below, at, isWhole }
}

function explainWait({ queued: [first], lostHistory }: Work, from: Nonce, to: Nonce): Decision[] {
  if (!first || (lostHistory && first.sequence > lostHistory.through)) return []
  const nonces = from === to ? `nonce ${from} was used` : `nonces from ${from} to ${to} were used`
  const reason = `waits: ${nonces} by transactions that this database does not hold, and once those are final it is looked whether this is among them: was it restored from an older copy?`
  return explain(first, 'history_unknown', reason)
}
