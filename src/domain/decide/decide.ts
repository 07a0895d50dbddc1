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
import { isNoOp } from '../attempt.ts'
import { finalDepth, isFinal } from '../finality.ts'
import type { Hash, TransactionId } from '../ids.ts'
import { checkHistory, explainsAll, type HistoryCheck } from '../lost-history/check-history.ts'
import { mayHaveCanceled } from '../lost-history/lost-cancellation.ts'
import { noOpGasLimit } from '../no-op.ts'
import { confirmations, type Observation } from '../observation.ts'
import { type InPhase, isInPhase, spenderKind, type Transaction } from '../transaction.ts'
import type { Nonce, TimestampMs } from '../units.ts'
import { apply } from './apply.ts'
import { assignNonces, gapFillerFees } from './assign-nonces.ts'
import { awaitSigner, explainBinding } from './await-signer.ts'
import { cancelFcfs } from './cancel-fcfs.ts'
import { race } from './cancel-race.ts'
import { type Assignments, type Decision, type NeedsBalance, needsSignature, type Plan } from './decision.ts'
import { clearStaleWaits, conditionsOf, oneReasonEach, withoutRepeats } from './explain-waits.ts'
import { explainStalled, explainUnproven, foreignPatience } from './hindrance.ts'
import { hasMoreInOrder, isItsTurn, nextInOrder } from './one-by-one.ts'
import { isFcfs } from './ordered.ts'
import { pursue } from './pursue.ts'
import { include } from './settle.ts'
import type { Situation } from './situation.ts'
import { hasMoreUnsettled, isTakenBack, mayConfirm } from './unsettled.ts'
import { holdsQueue, isHeldUp, type Work } from './work.ts'

export function decide(situation: Situation): Plan {
  const { work, observation, policy, now } = situation
  const followed = work.open.flatMap((transaction) => followUp(transaction, situation))
  const ready = (decision: Decision) => mayGoNow(decision, work) && isItsTurn(decision, work, policy)
  const followUps = followed.filter(isDecision).filter(ready)
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
    needsBalance: assignments.needsBalance || !followed.every(isDecision),
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

function isDecision(each: Decision | NeedsBalance): each is Decision {
  return each.do !== 'readBalance'
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

/**
 * Bytes on their way are not sent twice. While a payload is on its way, only no-ops are broadcast beside it: a race is
 * lost by waiting, and a node may refuse a payload for the gap if it overtakes an earlier one.
 */
function mayGoNow(decision: Decision, work: Work): boolean {
  if (decision.do === 'bump' || decision.do === 'replace') return !isHeldUp(work)
  if (decision.do !== 'rebroadcast') return true
  if (work.underWay?.has(decision.attempt.hash)) return false
  return isNoOp(decision.attempt) || !isHeldUp(work)
}

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

function followUp(transaction: Transaction, situation: Situation): (Decision | NeedsBalance)[] {
  const { observation, now } = situation
  if (isInPhase(transaction, 'mined')) {
    const { block } = transaction.lifecycle.inclusion
    return onceMined(transaction, observation.canonical.get(block.number), situation)
  }
  if (!isInPhase(transaction, 'inFlight')) return []

  const { nonce } = transaction.lifecycle
  if (nonce < observation.nonce) {
    const noOp = observation.lostNoOps?.get(nonce)
    if (noOp && mayHaveCanceled(noOp, transaction)) return [{ do: 'restoreCancellation', transaction, noOp }]
    const inclusion = noOp
      ? ({ by: 'external', hash: noOp.hash, block: noOp.block } as const)
      : observation.inclusions.get(nonce)
    // Spent, but no node shows the spender: the node lags behind itself, and the next block reads again.
    if (!inclusion) return explainUnproven(transaction, situation)
    const included = include(transaction, inclusion)
    const settled = isInPhase(included, 'mined') ? onceMined(included, inclusion.block.hash, situation) : []
    return [{ do: 'include', transaction, inclusion }, ...settled]
  }
  if (!transaction.cancellation && hasExpired(transaction, now)) return [{ do: 'expire', transaction }]
  if (!transaction.cancellation) return pursue(transaction, situation)
  return isFcfs(situation.policy) ? cancelFcfs(transaction, situation) : race(transaction, situation)
}

/** `canonical`: the hash of the canonical block at the inclusion's height, if it could be read. */
function onceMined(
  transaction: InPhase<'mined'>,
  canonical: Hash | undefined,
  { work, observation, policy, now }: Situation,
): Decision[] {
  const { inclusion, nonce, confirmedAt } = transaction.lifecycle
  const { head } = observation
  if (canonical === undefined || head.number < inclusion.block.number) return []
  if (canonical !== inclusion.block.hash) return [{ do: 'reopen', transaction }]
  // The block stands, yet its nonce is not spent: the observation mixes the views of two nodes. The next one decides.
  if (observation.nonce <= nonce) return []
  if (confirmations(head, inclusion.block) < policy.requiredConfirmations) return []
  if (!isFinal(inclusion.block.number, observation, policy)) {
    if (confirmedAt !== undefined) return explainStalled(transaction, policy, now)
    return mayConfirm(work, observation) ? [{ do: 'confirm', transaction }] : []
  }
  const lostToForeign = spenderKind(inclusion) === 'foreign' && !transaction.cancellation
  // A gap filler has nothing left to fill.
  const waitsAgain = lostToForeign && transaction.origin === 'client'
  return [{ do: waitsAgain ? 'requeue' : 'settle', transaction }]
}

function hasExpired(transaction: Transaction, now: TimestampMs): boolean {
  return transaction.validUntil !== undefined && transaction.validUntil <= now
}
