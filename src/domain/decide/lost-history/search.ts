// The search for a lost history: what decide.ts asks of it. A restored copy of the database may have transactions in its queue that the lost
// part of its history sent. Until the check (check-history.ts) is complete they neither get a nonce nor end.
//
// Without this folder a restored service would send the payments of its last hour a second time, with new nonces. The promise: a transaction
// that was sent by a lost history is recognized by its payload, or waits. For example, a copy of 12:00 is restored at 12:30: three of its ten
// queued transactions were mined at nonces 7 to 9. Those become what they are on the chain, and the seven others get 10 to 16.
//
// Each new owner checks, as it can't know of a restore. Once the check is complete each function holds nothing back: without a restore as soon as
// the pool's count shows that the record explains every nonce.
import { finalDepth } from '../../finality.ts'
import { noOpGasLimit } from '../../no-op.ts'
import { lowestOf } from '../../nonce-interval.ts'
import type { LostHistory } from '../../observation.ts'
import { isOver } from '../../patience.ts'
import type { NonceFloor } from '../../relayer.ts'
import { spenderKind, type Transaction } from '../../transaction.ts'
import type { Nonce } from '../../units.ts'
import { type Assignments, type Decision, explain, nothing } from '../plan/decision.ts'
import type { Followed } from '../plan/followed.ts'
import { lacking } from '../plan/lacks.ts'
import type { Situation, Work } from '../plan/work.ts'
import { foreignPatience } from '../rules/foreign-nonces.ts'
import { fillGaps, fillsPerStepMax } from '../rules/gap-fillers.ts'
import { limitReach, type Reach } from '../rules/reach.ts'
import { checkHistory, explainsAll, type HistoryCheck } from './check-history.ts'

/** The state of the search after this step. */
export interface Search {
  readonly check: HistoryCheck
  /** How far the count of the history check is believed. */
  readonly reach: Reach
}

/** Searches with what this step has observed. `returning`: transactions that its follow-ups give back to the queue. */
export function searchLostHistory(
  { situation, followed, isBusy }: Followed,
  returning: readonly Transaction[],
): Search {
  const { work, observation, policy } = situation
  const { head, nonce, lostHistory } = observation
  const reach = limitHistory(situation)
  const check = checkHistory(
    work,
    // Expired transactions are included: a lost history may have sent them.
    { ...followed, queued: [...returning, ...work.queued].sort((one, other) => one.sequence - other.sequence) },
    // A history check's decisions and its explanation are recorded together, or not at all.
    isBusy || !reach.isWithin ? undefined : lostHistory,
    { nonce, head, confirmations: finalDepth(policy).depth },
  )
  return { check, reach }
}

/** Whether a lost history may have sent the transaction: it neither gets a nonce nor ends. */
export function waitsForHistory({ sequence }: Transaction, { check: { lostHistory } }: Search): boolean {
  return lostHistory !== undefined && sequence <= lostHistory.through
}

/**
 * What takes the place of new nonces. Undefined if the search holds nothing back. `ahead`: the situation after this step's decisions that need
 * no signature.
 */
export function holdBack(search: Search, { situation: { work } }: Followed, ahead: Situation): Assignments | undefined {
  const { check, reach } = search
  if (!reach.isWithin) return awaitBelief(reach, work)
  const waits = work.queued.some((each) => waitsForHistory(each, search)) || check.decisions.length > 0
  if (!waits) return undefined
  const filled = fillUnknown(check, ahead)
  return { ...filled, decisions: [...check.decisions, ...filled.decisions] }
}

interface Outcome {
  readonly floor: NonceFloor
  readonly lostHistory?: LostHistory
  readonly completesHistoryCheck?: true
}

/** What the step leaves on record. `spentBelow`: the first nonce that its follow-ups leave unspent. */
export function outcomeOf(
  { check }: Search,
  { situation, followed, proven, isBusy }: Followed,
  spentBelow: Nonce,
): Outcome {
  const { work, observation } = situation
  const spent = Math.max(work.floor.spentBelow, check.explainedBelow ?? 0, spentBelow)
  const isChecked = !isBusy && !check.lostHistory && explainsAll(followed, check.explainedBelow, observation)
  return {
    floor: {
      spentBelow: spent,
      explainedBelow: check.lostHistory ? Math.max(proven, check.explainedBelow ?? 0) : spent,
    },
    ...(check.lostHistory && { lostHistory: check.lostHistory }),
    ...(isChecked && { completesHistoryCheck: true }),
  }
}

/** The end of the unbroken run of nonces that ours spent for good. During a history check the floor rises no further. */
export function provenBelow({ floor }: Work, decisions: readonly Decision[]): Nonce {
  const ours = new Set(
    decisions.flatMap((decision) => {
      if (decision.do !== 'finalize' && decision.do !== 'requeue') return []
      const { nonce, inclusion } = decision.transaction.lifecycle
      return spenderKind(inclusion) === 'foreign' ? [] : [nonce]
    }),
  )
  let below = floor.explainedBelow
  while (ours.has(below)) below += 1
  return below
}

/**
 * The reach of a history check, which raises the floor to the count of a final block: no nonce below the floor is ever bound
 * again. The check also remembers how far a pool counts, so it reads no pool of a node whose count at the head is in doubt.
 */
function limitHistory({ work, observation }: Situation): Reach {
  const { lostHistory, nonce } = observation
  // A count is doubted only above transactions of ours (read-account.ts), so a doubted one is never 0.
  return limitReach(lostHistory ? Math.max(nonce, lostHistory.finalBelow ?? 0) : 0, { work, observation })
}

function awaitBelief({ blockedBy, lacks }: Reach, { queued: [first] }: Work): Assignments {
  return { ...nothing, decisions: blockedBy && first ? explain(first, blockedBy) : [], lacks: lacking(lacks) }
}

/** Fills nonces of unexplained transactions in a pool with our no-ops, once those transactions had their time. */
function fillUnknown({ lostHistory, unknown }: HistoryCheck, situation: Situation): Assignments {
  const { work, observation, policy, now } = situation
  const { head, market } = observation
  const since = work.unexplainedSince
  // Each may be a lost payment of ours, which a pool still holds: a no-op at its nonce would displace it.
  const isPatient =
    !lostHistory?.seen || !since || !isOver(foreignPatience(policy), since, { block: head.number, ms: now })
  if (isPatient || !market || noOpGasLimit(market, policy.profile) === undefined) return nothing
  const used = new Set(work.open.flatMap(({ lifecycle }) => ('nonce' in lifecycle ? [lifecycle.nonce] : [])))
  const gaps = lowestOf(unknown, fillsPerStepMax, (nonce) => nonce < since.below && !used.has(nonce))
  return { ...fillGaps(gaps, market, situation), observeAgainAtOnce: false }
}
