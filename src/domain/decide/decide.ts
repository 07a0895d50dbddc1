// Decides what a relayer does next: a pure function of the stored rows, the observation, the rules and the time.
//
// 1. A transaction waits in the queue until there is room in flight. Only then does it get a nonce, so most
//    cancellations cost nothing.
// 2. From there on the service watches the nonce, not the hash: any attempt ever signed for it may be mined, and only
//    the chain says which.
// 3. While the nonce is open, the service broadcasts the payload again where it may be lost, and prices it anew where
//    it is stuck. Once canceled, the payload is never broadcast again, and a no-op races it at rising fees.
// 4. A nonce that the chain has spent is an inclusion. An inclusion deep enough in the canonical chain is confirmed, and
//    by the finality rule of the network, and two endpoints that show it where it needs them (second-witness.ts), it is
//    final, often at once. If its block leaves the chain before that, the nonce is open again.
import { finalDepth } from '../finality.ts'
import type { TransactionId } from '../ids.ts'
import { noOpGasLimit } from '../no-op.ts'
import { lowestOf } from '../nonce-interval.ts'
import type { Observation } from '../observation.ts'
import { isInPhase, spenderKind, type Transaction } from '../transaction.ts'
import type { Nonce, TimestampMs } from '../units.ts'
import { apply } from './apply.ts'
import { hasMoreToFinalize, isTakenBack } from './facts/confirmed-not-final.ts'
import { type FollowUps, followAll } from './follow.ts'
import { checkHistory, explainsAll, type HistoryCheck } from './lost-history/check-history.ts'
import { type Assignments, type Decision, explain, nothing, type Plan } from './plan/decision.ts'
import { lacking } from './plan/lacks.ts'
import { isSigning, traits } from './plan/traits.ts'
import { isQueueBlocked, payloadsAwaitAnswer, type Situation, type Work } from './plan/work.ts'
import { assignNonces } from './queue/assign-nonces.ts'
import { mayBindMore, queueAllowedNow } from './rules/arrival-order.ts'
import { fillGaps, fillsPerStepMax, withGivenBack } from './rules/gap-fillers.ts'
import { releaseEnded } from './rules/holds.ts'
import { limitReach, type Reach, recordedBelow } from './rules/reach.ts'
import { awaitSigner, explainBinding } from './signer/await-signer.ts'
import { coverBumps } from './signer/presign.ts'
import { hasExpired } from './terms/expired.ts'
import { foreignPatience } from './terms/free-nonces.ts'
import { clearStaleWaits, conditionsOf, oneReasonEach, withoutRepeats } from './waits/explain-waits.ts'

export function decide(situation: Situation): Plan {
  const step = begin(situation)
  const check = checkQueue(step)
  const expiries = expireQueued(step, check)
  const releases = releaseEnded(situation)
  const binding = bind(step, check, expiries)
  return planOf(step, check, [...expiries, ...releases], binding)
}

/** The step after the decisions about transactions with a nonce. */
interface Step extends FollowUps {
  /** The arguments of the step, with the cost of the follow-ups. */
  readonly situation: Situation
  /** The work after the follow-ups that need no signature. */
  readonly followed: Work
  /** Every nonce below is spent for good, by ours. */
  readonly proven: Nonce
  /** No nonce is bound in this step. */
  readonly isBusy: boolean
  /** How far the count of a history check is believed. */
  readonly reach: Reach
}

function begin(given: Situation): Step {
  const follow = followAll(given)
  const { followUps, unsignedCost } = follow
  const { observation, now } = given
  const work = { ...given.work, unsignedCost }
  // A transaction that a lost history may have sent neither gets a nonce nor ends until the history check is complete.
  const proven = provenBelow(work, followUps)
  const followed = { ...applyUnsigned(work, followUps, now), floor: { ...work.floor, explainedBelow: proven } }
  // The nonce that a PUT gives back goes to the first transaction in the queue, but only in the next step.
  // What a reorganization took back is open again in the next step.
  const isReorganized = work.confirmedNotFinal !== undefined && isTakenBack(work.confirmedNotFinal, observation)
  const isBusy = isQueueBlocked(work) || isReorganized || followUps.some(({ do: what }) => what === 'unbind')
  const reach = limitHistory(work, observation)
  return { ...follow, situation: { ...given, work }, followed, proven, isBusy, reach }
}

function checkQueue({ situation, followUps, followed, isBusy, reach }: Step): HistoryCheck {
  const { work, observation, policy, now } = situation
  const { head, nonce, lostHistory } = observation
  const returning = followUps.flatMap((each) =>
    each.do === 'requeue' || each.do === 'unbind' ? [apply(each, each.transaction, undefined, now)] : [],
  )
  return checkHistory(
    work,
    // Expired transactions are included: a lost history may have sent them.
    { ...followed, queued: [...returning, ...work.queued].sort((one, other) => one.sequence - other.sequence) },
    // A history check's decisions and its explanation are recorded together, or not at all.
    isBusy || !reach.isWithin ? undefined : lostHistory,
    { nonce, head, confirmations: finalDepth(policy) },
  )
}

function expireQueued({ situation: { work, now } }: Step, check: HistoryCheck): readonly Decision[] {
  return work.expiring.flatMap((transaction): Decision[] =>
    isInPhase(transaction, 'queued', 'held') && hasExpired(transaction, now) && !waitsForHistory(transaction, check)
      ? [{ do: 'expire', transaction }]
      : [],
  )
}

function waitsForHistory({ sequence }: Transaction, { lostHistory }: HistoryCheck): boolean {
  return lostHistory !== undefined && sequence <= lostHistory.through
}

interface Binding {
  readonly assignments: Assignments
  /** The assignments that the signer can serve now, and why the others wait. */
  readonly assigned: readonly Decision[]
  /** The work that the assignments were made from. */
  readonly ahead: Work
}

function bind(
  { situation, followUps, isBusy, reach }: Step,
  check: HistoryCheck,
  expiries: readonly Decision[],
): Binding {
  const { work, observation, policy, now } = situation
  // Nonces are bound to the work without this step's finalized and dropped transactions: their room is used at once.
  const ahead = {
    ...withGivenBack(applyUnsigned(work, [...followUps, ...expiries], now), work),
    recordedBelow: recordedBelow(work),
  }
  const isHeld = work.queued.some((each) => waitsForHistory(each, check)) || check.decisions.length > 0
  const assignments = isBusy
    ? nothing
    : !reach.isWithin
      ? awaitBelief(reach, work)
      : isHeld
        ? withDecisions(check.decisions, fillUnknown(check, { ...situation, work: ahead }))
        : assignNonces({ work: queueAllowedNow(ahead, observation, policy), observation, policy })
  return { assignments, assigned: [...awaitSigner(assignments.decisions, situation), ...explainBinding(work)], ahead }
}

function planOf(step: Step, check: HistoryCheck, endings: readonly Decision[], binding: Binding): Plan {
  const { situation, followUps, lacks, followed, proven, isBusy } = step
  const { work, observation } = situation
  const { assignments, assigned } = binding
  const covered = coverBumps(followUps, situation)
  const decisions = oneReasonEach([...awaitSigner(covered.decisions, situation), ...endings, ...assigned])
  const hasReleased = endings.some(({ do: what }) => what === 'release')
  const observeAgainAtOnce =
    assignments.observeAgainAtOnce || check.observeAgainAtOnce || hasReleased || findsMoreAtOnce(step, binding)
  const isIncomplete = observeAgainAtOnce || payloadsAwaitAnswer(work) || !observation.market
  const cleared = isIncomplete ? [] : clearStaleWaits(revisited(work, observation), decisions)
  const spent = Math.max(work.floor.spentBelow, check.explainedBelow ?? 0, spentBelow(followUps))
  const isChecked = !isBusy && !check.lostHistory && explainsAll(followed, check.explainedBelow, observation)
  return {
    ...assignments,
    lacks: new Set([...lacks, ...assignments.lacks]),
    decisions: [...withoutRepeats(decisions), ...cleared],
    observeAgainAtOnce,
    conditions: conditionsOf(work, decisions),
    floor: {
      spentBelow: spent,
      explainedBelow: check.lostHistory ? Math.max(proven, check.explainedBelow ?? 0) : spent,
    },
    ...(check.lostHistory && { lostHistory: check.lostHistory }),
    ...(isChecked && { completesHistoryCheck: true }),
    ...(covered.first.length > 0 && { presignFirst: covered.first }),
  }
}

/** Whether another observation finds more to do, without a new block. */
function findsMoreAtOnce({ situation, followUps }: Step, { ahead, assigned }: Binding): boolean {
  const { work, policy } = situation
  // A transaction that is confirmed only now waits for a tag that this observation did not read.
  const lacksTag = typeof policy.finality !== 'number' && followUps.some(({ do: what }) => what === 'confirm')
  return (
    lacksTag ||
    followUps.some(({ do: what }) => traits[what].isPressing) ||
    mayBindMore(ahead, assigned, policy) ||
    hasMoreToFinalize(work, followUps)
  )
}

/** The first nonce that these decisions leave unspent. A finalized transaction spends its nonce, as does a foreign one. */
function spentBelow(decisions: readonly Decision[]): Nonce {
  const spent = decisions.flatMap((decision) =>
    decision.do === 'finalize' || decision.do === 'requeue' ? [decision.transaction.lifecycle.nonce + 1] : [],
  )
  return Math.max(0, ...spent)
}

/** The end of the unbroken run of nonces that ours spent for good. During a history check the floor rises no further. */
function provenBelow({ floor }: Work, decisions: readonly Decision[]): Nonce {
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
function limitHistory(work: Work, observation: Observation): Reach {
  const { lostHistory, nonce } = observation
  return limitReach(lostHistory ? Math.max(nonce, lostHistory.finalBelow ?? 0) : 0, { work, observation })
}

function awaitBelief({ blockedBy, lacks }: Reach, { queued: [first] }: Work): Assignments {
  return { ...nothing, decisions: blockedBy && first ? explain(first, blockedBy) : [], lacks: lacking(lacks) }
}

/** Fills nonces of unexplained transactions in a pool with our no-ops, once those transactions had their time. */
function fillUnknown({ lostHistory, unknown }: HistoryCheck, situation: Situation): Assignments {
  const { work, observation, policy } = situation
  const { head, market } = observation
  const isPatient = !lostHistory?.seen || head.number - lostHistory.seen.at < foreignPatience(policy)
  if (isPatient || !market || noOpGasLimit(market, policy.profile) === undefined) return nothing
  const used = new Set(work.open.flatMap(({ lifecycle }) => ('nonce' in lifecycle ? [lifecycle.nonce] : [])))
  const gaps = lowestOf(unknown, fillsPerStepMax, (nonce) => !used.has(nonce))
  const { decisions, lacks } = fillGaps(gaps, market, situation)
  return { ...nothing, decisions, lacks: lacking(lacks) }
}

function withDecisions(decisions: readonly Decision[], assignments: Assignments): Assignments {
  return { ...assignments, decisions: [...decisions, ...assignments.decisions] }
}

/** The transactions whose waits a plan covers completely. */
function revisited(work: Work, observation: Observation): readonly Transaction[] {
  const live = work.open.filter((each) => isInPhase(each, 'inFlight') && each.lifecycle.nonce >= observation.nonce)
  return isQueueBlocked(work) ? live : [...live, ...work.queued]
}

/** The work after the decisions that need no signature are recorded. */
function applyUnsigned(work: Work, decisions: readonly Decision[], now: TimestampMs): Work {
  const changed = new Map<TransactionId, Transaction>()
  for (const decision of decisions) {
    // A repeated attempt keeps its state until it is answered.
    if (decision.do === 'rebroadcast' || isSigning(decision)) continue
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
