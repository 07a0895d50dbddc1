// The history check after a restore. A restored copy may have transactions in its queue that the lost part of its
// history sent. They get a nonce only after every nonce that the record does not explain is final and its spender
// checked. If a spender carries the payload of a queued transaction, it is that transaction.
import { clipped, holdsNonce, intervalsBetween, type NonceInterval } from '../../nonce-interval.ts'
import {
  confirmations,
  type Head,
  type HistoryInquiry,
  type HistoryReach,
  type HistorySeen,
  type LostHistory,
  type Observation,
} from '../../observation.ts'
import { isInPhase, returnsToQueue, spenderKind, type Transaction } from '../../transaction.ts'
import type { Nonce } from '../../units.ts'
import { type Decision, explain } from '../plan/decision.ts'
import { heldMax, type Work } from '../plan/work.ts'
import { windowMax } from '../terms/window.ts'
import { clockMarginMs } from './recover.ts'

/** Transactions as old as the owner, or older, that may have been sent without a record here. */
function inDoubt({ lostHistory, queued, held, suspected, open }: Work): readonly Transaction[] {
  if (!lostHistory) return []
  const unproven = open.filter((each) => !isOursByRecord(each) || returnsToQueue(each))
  const doubted = [...queued, ...held, ...suspected, ...unproven].filter(
    ({ sequence }) => sequence <= lostHistory.through,
  )
  // Older transactions may be on hold behind the loaded ones.
  return doubted.length > 0 || held.length < heldMax ? doubted : held
}

function isOursByRecord(transaction: Transaction): boolean {
  return isInPhase(transaction, 'mined') && spenderKind(transaction.lifecycle.inclusion) !== 'foreign'
}

/** Whether a transaction seems to have lost its nonce to another. The lost history may have sent it again with a later nonce. */
function mayReturn(transaction: Transaction, through: number, spentBelow: Nonce): boolean {
  const { lifecycle, origin, cancellation, sequence } = transaction
  if (origin === 'gap' || sequence > through || (cancellation && !returnsToQueue(transaction))) return false
  if (isInPhase(transaction, 'mined') && spenderKind(transaction.lifecycle.inclusion) === 'payload') return false
  return 'nonce' in lifecycle && lifecycle.nonce < spentBelow
}

/** The reads that the history check needs; undefined if no transaction is in doubt. */
export function inquireAboutHistory(work: Work, confirmations: number): HistoryInquiry | undefined {
  const { lostHistory, floor } = work
  const doubted = inDoubt(work)
  if (!lostHistory || doubted.length === 0) return undefined
  return {
    from: floor.explainedBelow,
    ...(lostHistory.seen && { seen: lostHistory.seen }),
    explained: new Set(explainedNonces(work, 0, lostHistory.through)),
    since: Math.min(...doubted.map(({ createdAt }) => createdAt)) - clockMarginMs,
    confirmations,
  }
}

/**
 * The nonces that the record explains. A gap filler explains none: it may have taken the nonce from an unrecorded
 * transaction.
 */
function explainedNonces(work: Work, spentBelow: Nonce, through: number): readonly Nonce[] {
  const ofOpen = work.open.flatMap((transaction) => {
    const { lifecycle, origin, sequence } = transaction
    if (!('nonce' in lifecycle) || origin === 'gap' || sequence > through) return []
    const isUnspent = lifecycle.phase === 'inFlight' && lifecycle.nonce >= spentBelow
    return isUnspent || isOursByRecord(transaction) ? [lifecycle.nonce] : []
  })
  return [...ofOpen, ...noncesOfUnreadRows(work, through)]
}

/**
 * Whether the record explains every nonce that the chain and a pool show, so that the mark of an incomplete history
 * check can go. A transaction after the mark explains none: a lost one may compete for its nonce.
 */
export function explainsAll(work: Work, explainedBelow: Nonce | undefined, observation: Observation): boolean {
  const { nonce, pendingNonce, lostHistory } = observation
  const shown = pendingNonce ?? lostHistory?.below
  if (work.uncheckedThrough === undefined || shown === undefined || nonce < work.floor.spentBelow) return false
  const explained = new Set(explainedNonces(work, nonce, work.uncheckedThrough))
  const from = explainedBelow ?? work.floor.explainedBelow
  return intervalsBetween(from, Math.max(nonce, shown), explained).length === 0
}

/** Whether the check of any owner may still find that an open transaction of the record spent a nonce. */
export function mayRecover({ uncheckedThrough, open, queued, held, suspected }: Work): boolean {
  if (uncheckedThrough === undefined) return false
  const unspent = open.filter((each) => isInPhase(each, 'inFlight'))
  return [...unspent, ...queued, ...held, ...suspected].some(({ sequence }) => sequence <= uncheckedThrough)
}

export interface HistoryCheck {
  /** The open part of the check; absent once it is complete. */
  readonly lostHistory?: LostHistory
  /** Every nonce below is spent, and now explained. */
  readonly explainedBelow?: Nonce
  readonly decisions: readonly Decision[]
  /** Unspent nonces for which an unrecorded transaction waits in a pool. */
  readonly unknown: readonly NonceInterval[]
  /** Another observation can find more, without a new block. */
  readonly observeAgainAtOnce: boolean
}

/**
 * `inquired` is the work that the inquiry was made from, `work` the work after this step's follow-ups. `seen` is absent
 * if it was not requested, or if no node reported its pool.
 */
export function checkHistory(
  inquired: Work,
  work: Work,
  seen: HistorySeen | undefined,
  at: { nonce: Nonce; head: Head; confirmations: number },
): HistoryCheck {
  const nothing = { decisions: [], unknown: [], observeAgainAtOnce: false }
  const { lostHistory } = work
  if (!lostHistory) return nothing
  if (inDoubt(work).length === 0) return nothing
  if (!seen) return { ...nothing, lostHistory }
  const below = reachOf(seen, work, at.nonce)
  const explained = new Set(explainedNonces(work, at.nonce, lostHistory.through))
  const open = intervalsBetween(work.floor.explainedBelow, below, explained)
  const [first, last] = [open[0]?.first, open.at(-1)?.last]
  if (first === undefined || last === undefined) return nothing
  const { finalBelow, spenders } = seen
  // The final count may be false, or have risen since: nothing was looked for above what the check has seen.
  const explainedBelow = finalBelow === undefined ? undefined : Math.min(finalBelow, below)
  const reach = extend(lostHistory.seen, { ...seen, below }, at)
  const going = { ...lostHistory, seen: reach }
  const waits: HistoryCheck = {
    lostHistory: going,
    decisions: explainWait(work, first, last),
    // A node that is behind the final part of the chain reports spent nonces as free.
    unknown: at.nonce < work.floor.spentBelow ? [] : clipped(open, at.nonce, below),
    observeAgainAtOnce: seen.more === true,
  }
  if (explainedBelow === undefined || !spenders || !work.found || !reach.isWhole) return waits
  // The payload of each was not compared with the spenders yet.
  if (inquired.open.some((each) => mayReturn(each, lostHistory.through, at.nonce)))
    return { ...waits, observeAgainAtOnce: false }
  // This step found that these nonces are not ours. The next observation checks them.
  const notInquired = explainedNonces(inquired, 0, lostHistory.through)
  if (notInquired.some((nonce) => holdsNonce(open, nonce))) return { ...waits, observeAgainAtOnce: false }
  // Another transaction holds this nonce on record. It has to give the nonce back first.
  const used = new Set(work.open.flatMap(({ lifecycle }) => ('nonce' in lifecycle ? [lifecycle.nonce] : [])))
  const { canceled, suspected } = work.noOpMatches ?? { canceled: [], suspected: [] }
  const explaining = [
    ...work.found.map(({ spender }) => spender),
    ...[...canceled, ...suspected].map(({ noOp }) => noOp),
  ]
  if (explaining.some((each) => used.has(each.nonce))) return { ...waits, observeAgainAtOnce: false }
  const suspicions = suspected.slice(0, suspicionsMax).map((match): Decision => ({ do: 'suspect', ...match }))
  // These come before any other result: an owner that begins in between then reaches the same conclusion.
  if (suspected.length > suspicionsMax) return { ...waits, decisions: suspicions, observeAgainAtOnce: true }
  const recovered = work.found.map((found): Decision => ({ do: 'recover', ...found }))
  const restored = canceled.map((match): Decision => ({ do: 'restoreCancellation', ...match }))
  const decisions = [...suspicions, ...recovered, ...restored]
  // The next look no longer finds the spenders below.
  const { foreign } = work
  const known = { ...going, ...(foreign !== undefined && { foreign }) }
  if (decisions.length > 0) return { ...waits, lostHistory: known, decisions, explainedBelow, observeAgainAtOnce: true }
  return { ...nothing, explainedBelow }
}

/** The end of the nonces that the lost history may have used. A pool's count may name any nonce, so the largest window bounds it. */
function reachOf({ below }: HistorySeen, { relayer, floor }: Work, nonce: Nonce): Nonce {
  const lostMax = Math.max(windowMax, relayer.policies.maxInFlight ?? 0)
  return Math.min(below, Math.max(nonce, floor.explainedBelow) + lostMax)
}

/** Limit of suspicions in one step: a queue may be long, and each transaction is a row to write. */
const suspicionsMax = 500

/**
 * Extends the reach of the history check. A transaction may wait in a pool that could not be read at first, or behind another that its
 * node lacks. So the checks go on until every nonce that they have seen is final, and at least as long as a block needs to become final.
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
  return explain(first, { condition: 'history_unknown', facts: { from, to } })
}

/** Nonces used by rows that were not loaded, up to a sequence. */
function noncesOfUnreadRows({ confirmedNotFinal, open }: Work, through: number): readonly Nonce[] {
  if (!confirmedNotFinal?.explained) return []
  const read = new Set(open.flatMap(({ lifecycle }) => ('nonce' in lifecycle ? [lifecycle.nonce] : [])))
  const nonces: Nonce[] = []
  for (const { first, last, ahead } of confirmedNotFinal.explained) {
    for (let nonce = first; nonce <= Math.min(last, through - ahead); nonce += 1) {
      if (!read.has(nonce)) nonces.push(nonce)
    }
  }
  return nonces
}
