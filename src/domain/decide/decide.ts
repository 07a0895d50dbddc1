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
import type { TransactionId } from '../ids.ts'
import type { Observation } from '../observation.ts'
import { isInPhase, type Transaction } from '../transaction.ts'
import type { Nonce, TimestampMs } from '../units.ts'
import { apply } from './apply.ts'
import { hasMoreToFinalize, isTakenBack } from './facts/confirmed-not-final.ts'
import { followAll } from './follow.ts'
import {
  holdBack,
  outcomeOf,
  provenBelow,
  type Search,
  searchLostHistory,
  waitsForHistory,
} from './lost-history/search.ts'
import { type Assignments, type Decision, nothing, type Plan } from './plan/decision.ts'
import type { Followed } from './plan/followed.ts'
import { isSigning, traits } from './plan/traits.ts'
import { isQueueBlocked, payloadsAwaitAnswer, type Situation, type Work } from './plan/work.ts'
import { assignNonces } from './queue/assign-nonces.ts'
import { mayBindMore, queueAllowedNow } from './rules/arrival-order.ts'
import { withGivenBack } from './rules/gap-fillers.ts'
import { releaseEnded } from './rules/holds.ts'
import { recordedBelow } from './rules/reach.ts'
import { sweepAwaitsReturn } from './rules/sweeps.ts'
import { awaitSigner, explainBinding } from './signer/await-signer.ts'
import { coverBumps } from './signer/presign.ts'
import { hasExpired } from './terms/expired.ts'
import {
  clearStaleWaits,
  conditionsOf,
  explainStalledHead,
  oneReasonEach,
  withoutRepeats,
} from './waits/explain-waits.ts'
import { explainNoProgress } from './waits/no-progress.ts'

export function decide(situation: Situation): Plan {
  const step = follow(situation)
  // Until the check of a new owner is complete: a database may have been restored. Afterwards it holds nothing back.
  const search = searchLostHistory(step, returningOf(step))
  const expiries = expireQueued(step, search)
  const releases = releasesBeside(search, situation)
  const binding = bind(step, search, expiries)
  return planOf(step, search, [...expiries, ...releases], binding)
}

function follow(given: Situation): Followed {
  const all = followAll(given)
  const { followUps, unsignedCost } = all
  const { observation, now } = given
  const work = { ...given.work, unsignedCost }
  // A transaction that a lost history may have sent neither gets a nonce nor ends until the history check is complete.
  const proven = provenBelow(work, followUps)
  const followed = { ...applyUnsigned(work, followUps, now), floor: { ...work.floor, explainedBelow: proven } }
  // The nonce that a PUT gives back goes to the first transaction in the queue, but only in the next step.
  // What a reorganization took back is open again in the next step.
  const isReorganized = work.confirmedNotFinal !== undefined && isTakenBack(work.confirmedNotFinal, observation)
  const isUnbound = followUps.some(({ do: what }) => what === 'unbind')
  const isBusy = isQueueBlocked(work) || isReorganized || isUnbound || sweepAwaitsReturn(work, followUps)
  return { ...all, situation: { ...given, work }, followed, proven, isBusy }
}

/** The transactions that the follow-ups give back to the queue. */
function returningOf({ followUps, situation: { now } }: Followed): readonly Transaction[] {
  return followUps.flatMap((each) =>
    each.do === 'requeue' || each.do === 'unbind' ? [apply(each, each.transaction, undefined, now)] : [],
  )
}

/** The search reads its transactions later than the step did, and a client may have released one meanwhile: its decision comes alone. */
function releasesBeside({ check }: Search, situation: Situation): readonly Decision[] {
  const searched = new Set(check.decisions.flatMap((each) => ('transaction' in each ? [each.transaction.id] : [])))
  return releaseEnded(situation).filter((each) => each.do !== 'release' || !searched.has(each.transaction.id))
}

function expireQueued({ situation: { work, now } }: Followed, search: Search): readonly Decision[] {
  return work.expiring.flatMap((transaction): Decision[] =>
    isInPhase(transaction, 'queued', 'held') && hasExpired(transaction, now) && !waitsForHistory(transaction, search)
      ? [{ do: 'expire', transaction }]
      : [],
  )
}

interface Binding {
  readonly assignments: Assignments
  /** The assignments that the signer can serve now, and why the others wait. */
  readonly assigned: readonly Decision[]
  /** The work that the assignments were made from. */
  readonly ahead: Work
}

function bind(step: Followed, search: Search, expiries: readonly Decision[]): Binding {
  const { situation, followUps, isBusy } = step
  const { work, observation, policy, now } = situation
  // Nonces are bound to the work without this step's finalized and dropped transactions: their room is used at once.
  const ahead = {
    ...withGivenBack(applyUnsigned(work, [...followUps, ...expiries], now), work),
    recordedBelow: recordedBelow(work),
  }
  // A step that is busy binds nothing, whatever the search finds. The search comes before the queue: it may find that it was sent.
  const assignments = isBusy
    ? nothing
    : (holdBack(search, step, { ...situation, work: ahead }) ??
      assignNonces({ ...situation, work: queueAllowedNow(ahead, observation, policy) }))
  return { assignments, assigned: [...awaitSigner(assignments.decisions, situation), ...explainBinding(work)], ahead }
}

function planOf(step: Followed, search: Search, endings: readonly Decision[], binding: Binding): Plan {
  const { situation, followUps, lacks } = step
  const { work, observation } = situation
  const { assignments, assigned } = binding
  const covered = coverBumps(followUps, situation)
  const waiting = [...awaitSigner(covered.decisions, situation), ...endings, ...assigned]
  const explained = oneReasonEach([...waiting, ...explainStalledHead(situation)])
  const conditions = conditionsOf(situation, explained)
  const lastResort = conditions.length > 0 ? [] : explainNoProgress(situation, changing(followUps))
  const decisions = [...explained, ...lastResort]
  const hasReleased = endings.some(({ do: what }) => what === 'release')
  const observeAgainAtOnce =
    assignments.observeAgainAtOnce || search.check.observeAgainAtOnce || hasReleased || findsMoreAtOnce(step, binding)
  const isIncomplete = observeAgainAtOnce || payloadsAwaitAnswer(work) || !observation.market
  const covers = isIncomplete ? overtaken(work, decisions) : revisited(work, observation)
  const cleared = clearStaleWaits(new Set([...covers, ...bidding(explained)]), decisions)
  return {
    ...assignments,
    lacks: new Set([...lacks, ...assignments.lacks]),
    decisions: [...withoutRepeats(decisions), ...cleared],
    observeAgainAtOnce,
    conditions: lastResort.length > 0 ? conditionsOf(situation, lastResort) : conditions,
    ...outcomeOf(search, step, spentBelow(followUps)),
    ...(covered.first.length > 0 && { presignFirst: covered.first }),
  }
}

/** Whether another observation finds more to do, without a new block. */
function findsMoreAtOnce({ situation, followUps }: Followed, { ahead, assigned }: Binding): boolean {
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

/** The transactions whose waits a plan covers completely. */
function revisited(work: Work, observation: Observation): readonly Transaction[] {
  const live = work.open.filter((each) => isInPhase(each, 'inFlight') && each.lifecycle.nonce >= observation.nonce)
  return isQueueBlocked(work) ? live : [...live, ...work.queued]
}

/**
 * The queued transactions behind one that returns to the queue, or whose hold ends. The next step may not load them any more, and a wait that
 * only the first of the queue shows would stay.
 */
function overtaken({ queued }: Work, decisions: readonly Decision[]): readonly Transaction[] {
  const returned = decisions.flatMap((each) =>
    each.do === 'requeue' || each.do === 'unbind' || each.do === 'release' ? [each.transaction.sequence] : [],
  )
  const first = Math.min(...returned)
  return queued.filter(({ sequence }) => sequence > first && !returned.includes(sequence))
}

/** The transactions that get another bid: what kept them from its price or its cost is over. Repeated bytes show nothing of that. */
function bidding(decisions: readonly Decision[]): readonly Transaction[] {
  return decisions.flatMap((each) =>
    each.do === 'bump' || each.do === 'replace' || each.do === 'signNoOp' || each.do === 'usePresigned'
      ? [each.transaction]
      : [],
  )
}

/** The transactions that change. Repeated bytes change nothing. */
function changing(decisions: readonly Decision[]): readonly Transaction[] {
  return decisions.flatMap((each) => ('transaction' in each && each.do !== 'rebroadcast' ? [each.transaction] : []))
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
