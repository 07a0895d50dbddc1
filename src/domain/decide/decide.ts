// Decides what a relayer does next: a pure function of the stored rows, the observation, the rules and the time.
//
// 1. A transaction waits in the queue until there is room in flight. Only then does it get a nonce, so most
//    cancellations cost nothing.
// 2. From there on the service watches the nonce, not the hash: any attempt ever signed for it may be mined, and only
//    the chain says which.
// 3. While the nonce is open, the service broadcasts the payload again where it may be lost, and prices it anew where
//    it is stuck. Once canceled, the payload is never broadcast again, and a no-op races it at rising fees.
// 4. A nonce that the chain has spent is an inclusion. An inclusion deep enough in the canonical chain is confirmed, and
//    by the finality rule of the network it is final, often at once. If its block leaves the chain before that, the
//    nonce is open again.
import { finalDepth } from '../finality.ts'
import type { TransactionId } from '../ids.ts'
import { checkHistory, explainsAll, type HistoryCheck } from '../lost-history/check-history.ts'
import { noOpGasLimit } from '../no-op.ts'
import type { Observation } from '../observation.ts'
import { isInPhase, spenderKind, type Transaction } from '../transaction.ts'
import type { Nonce, TimestampMs } from '../units.ts'
import { apply } from './apply.ts'
import { assignNonces, gapFillerFees } from './assign-nonces.ts'
import { awaitSigner, explainBinding } from './await-signer.ts'
import { type Assignments, type Decision, needsSignature, type Plan } from './decision.ts'
import { clearStaleWaits, conditionsOf, oneReasonEach, withoutRepeats } from './explain-waits.ts'
import { followAll, hasExpired } from './follow-up.ts'
import { foreignPatience } from './hindrance.ts'
import { hasMoreInOrder, nextInOrder } from './one-by-one.ts'
import type { Situation } from './situation.ts'
import { hasMoreUnsettled, isTakenBack } from './unsettled.ts'
import { holdsQueue, isHeldUp, type Work } from './work.ts'

export function decide(situation: Situation): Plan {
  const { observation, policy, now } = situation
  const { followUps, lacksBalance, promised } = followAll(situation)
  const work = { ...situation.work, promised }
  // A transaction that a lost history may have sent neither gets a nonce nor ends until the history check is complete.
  const proven = provenBelow(work, followUps)
  const { head, nonce } = observation
  const returning = followUps.flatMap((each) =>
    each.do === 'requeue' || each.do === 'unbind' ? [apply(each, each.transaction, undefined, now)] : [],
  )
  const known = { ...foresee(work, followUps, now), floor: { ...work.floor, explainedBelow: proven } }
  // A nonce that comes back goes to the first transaction in the queue, but only in the next step.
  // What a reorganization took back is open again in the next step.
  const isReorganized = work.unsettled !== undefined && isTakenBack(work.unsettled, observation)
  const isBusy = holdsQueue(work) || isReorganized || followUps.some(({ do: what }) => what === 'unbind')
  const check = checkHistory(
    work,
    // Expired ones too: a lost history may have sent them.
    { ...known, queued: [...returning, ...work.queued].sort((one, other) => one.sequence - other.sequence) },
    // Its decisions and its explanation are recorded together, or not at all.
    isBusy ? undefined : observation.lostHistory,
    { nonce, head, confirmations: finalDepth(policy) },
  )
  const isChecked = !isBusy && !check.lostHistory && explainsAll(known, check.explainedBelow, observation)
  const waits = ({ sequence }: Transaction) => check.lostHistory !== undefined && sequence <= check.lostHistory.through
  const expiries = work.expiring.flatMap((transaction): Decision[] =>
    isInPhase(transaction, 'queued') && hasExpired(transaction, now) && !waits(transaction)
      ? [{ do: 'expire', transaction }]
      : [],
  )
  // Nonces are bound to the work as it is after this step's settled and dropped transactions: their room is used at
  // once.
  const ahead = foresee(work, [...followUps, ...expiries], now)
  const assignments = isBusy
    ? nothing
    : work.queued.some(waits) || check.decisions.length > 0
      ? { ...nothing, decisions: [...check.decisions, ...fillUnknown(check, { ...situation, work: ahead })] }
      : assignNonces({ work: nextInOrder(ahead, observation, policy), observation, policy })
  // A reopened transaction is pursued at once, and a race begins at once: the next block may be the rival's.
  const pressing: readonly Decision['do'][] = ['reopen', 'requeue', 'unbind', 'expire', 'giveUp', 'restoreCancellation']
  const returned = followUps.some(({ do: what }) => pressing.includes(what))
  const assigned = [...awaitSigner(assignments.decisions, situation), ...explainBinding(work)]
  const decisions = oneReasonEach([
    ...withoutThoseGivingWay(awaitSigner(followUps, situation), assigned),
    ...expiries,
    ...assigned,
  ])
  // A transaction that is confirmed only now waits for a tag that this observation did not read.
  const lacksTag = typeof policy.finality !== 'number' && followUps.some(({ do: what }) => what === 'confirm')
  const isNext = hasMoreInOrder(ahead, assigned, policy)
  const hasMore = hasMoreUnsettled(work, followUps)
  const again = assignments.again || returned || check.again || lacksTag || isNext || hasMore
  const spent = Math.max(work.floor.spentBelow, check.explainedBelow ?? 0, spentBelow(followUps))
  // The plan is incomplete without prices, while held up, and before another observation: then no wait is cleared.
  const explained =
    again || isHeldUp(work) || !observation.market ? [] : clearStaleWaits(revisited(work, observation), decisions)
  return {
    ...assignments,
    needsBalance: assignments.needsBalance || lacksBalance,
    decisions: [...withoutRepeats(decisions), ...explained],
    again,
    conditions: conditionsOf(work, decisions),
    floor: {
      spentBelow: spent,
      explainedBelow: check.lostHistory ? Math.max(proven, check.explainedBelow ?? 0) : spent,
    },
    ...(check.lostHistory && { lostHistory: check.lostHistory }),
    ...(isChecked && { completesHistoryCheck: true }),
  }
}

/** A settled transaction spends its nonce. So does a foreign transaction, which returns ours to the queue. */
function spentBelow(decisions: readonly Decision[]): Nonce {
  const spent = decisions.flatMap((decision) =>
    decision.do === 'settle' || decision.do === 'requeue' ? [decision.transaction.lifecycle.nonce + 1] : [],
  )
  return Math.max(0, ...spent)
}

/** During the history check: only up to an unbroken run of nonces that are settled as ours. */
function provenBelow({ floor }: Work, decisions: readonly Decision[]): Nonce {
  const ours = new Set(
    decisions.flatMap((decision) => {
      if (decision.do !== 'settle') return []
      const { nonce, inclusion } = decision.transaction.lifecycle
      return spenderKind(inclusion) === 'foreign' ? [] : [nonce]
    }),
  )
  let below = floor.explainedBelow
  while (ours.has(below)) below += 1
  return below
}

/** Per step. Unexplained transactions in a pool had their time, and our no-ops take their nonces. */
const fillsMax = 16

function fillUnknown({ lostHistory, unknown }: HistoryCheck, { work, observation, policy }: Situation): Decision[] {
  const { head, market } = observation
  const isPatient = !lostHistory?.seen || head.number - lostHistory.seen.at < foreignPatience(policy)
  const gasLimit = noOpGasLimit(market, policy.profile)
  if (isPatient || !market || gasLimit === undefined) return []
  const held = new Set(work.open.flatMap(({ lifecycle }) => ('nonce' in lifecycle ? [lifecycle.nonce] : [])))
  const fees = gapFillerFees(work.relayer, market, policy)
  return unknown
    .filter((nonce) => !held.has(nonce))
    .slice(0, fillsMax)
    .map((nonce) => ({ do: 'fillGap', nonce, fees, gasLimit }))
}

/** The transactions whose waits a plan covers completely. */
function revisited(work: Work, observation: Observation): readonly Transaction[] {
  const live = work.open.filter((each) => isInPhase(each, 'inFlight') && each.lifecycle.nonce >= observation.nonce)
  return holdsQueue(work) ? live : [...live, ...work.queued]
}

/** If a transaction takes the nonce of a refused gap filler, the gap filler ends: none of its bytes leave any more. */
function withoutThoseGivingWay(followUps: readonly Decision[], assigned: readonly Decision[]): readonly Decision[] {
  const ended = new Set(assigned.flatMap((each) => (each.do === 'refuse' ? [each.transaction.id] : [])))
  const broadcasts = (each: Decision) => each.do === 'rebroadcast' || each.do === 'bump'
  return followUps.filter((each) => !broadcasts(each) || !ended.has(each.transaction.id))
}

const nothing: Assignments = { decisions: [], needsPendingNonce: false, needsBalance: false, again: false }

/** The work after the decisions that need no signature are recorded. */
function foresee(work: Work, decisions: readonly Decision[], now: TimestampMs): Work {
  const changed = new Map<TransactionId, Transaction>()
  for (const decision of decisions) {
    // A repeated attempt keeps its state until it is answered.
    if (decision.do === 'fillGap' || decision.do === 'rebroadcast' || needsSignature(decision)) continue
    const { transaction } = decision
    changed.set(transaction.id, apply(decision, changed.get(transaction.id) ?? transaction, undefined, now))
  }
  const latest = (transaction: Transaction) => changed.get(transaction.id) ?? transaction
  return {
    ...work,
    open: work.open.map(latest).filter((transaction) => isInPhase(transaction, 'inFlight', 'mined')),
    queued: work.queued
      .map(latest)
      .filter((transaction) => isInPhase(transaction, 'queued') && !hasExpired(transaction, now)),
  }
}
