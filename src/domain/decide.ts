// What a relayer does next. A pure function of what is stored, what the chain said, the rules, and the time.
//
// A transaction waits in the queue until there is room for it in flight; only then does it get a nonce, so that most
// cancellations cost nothing. From there on its nonce, not its hash, is what we watch: every attempt ever signed for
// the nonce may be the one that is mined, and the chain alone says which. While the nonce is open, the payload is
// handed over again where it may have been lost, and priced anew where it is stuck; once it is canceled the payload
// is never handed over again, and a no-op races it at rising fees. A nonce that the chain has spent is an inclusion;
// an inclusion deep enough in the canonical chain is final; one whose block fell out of the chain is open again.
import { apply } from './apply.ts'
import { assignNonces } from './assign-nonces.ts'
import { isNoOp } from './attempt.ts'
import { race } from './cancel-race.ts'
import { type Assignments, type Decision, needsSignature, type Plan } from './decision.ts'
import { tellUnproven } from './hindrance.ts'
import type { Hash, TransactionId } from './ids.ts'
import { confirmations, type Observation } from './observation.ts'
import { pursue } from './pursue.ts'
import type { NetworkPolicy } from './relayer.ts'
import { include } from './settle.ts'
import { conditionsOf, news, takeBack } from './tell.ts'
import { type InPhase, isInPhase, type Transaction, tookTheNonce } from './transaction.ts'
import type { TimestampMs } from './units.ts'
import { isHeldUp, type Work } from './work.ts'

export function decide(work: Work, observation: Observation, policy: NetworkPolicy, now: TimestampMs): Plan {
  const followUps = work.open
    .flatMap((transaction) => followUp(transaction, work, observation, policy, now))
    .filter((decision) => mayGoNow(decision, work))
  const expiries = work.expiring.flatMap((transaction): Decision[] =>
    isInPhase(transaction, 'queued') && hasExpired(transaction, now) ? [{ do: 'expire', transaction }] : [],
  )
  // Nonces are bound in view of what this step settles and drops: the room that it makes is used at once.
  const ahead = foresee(work, [...followUps, ...expiries], now)
  // A nonce that comes back is for whoever is next by then.
  const unbinds = followUps.some(({ do: what }) => what === 'unbind')
  const assignments = isHeldUp(work) || unbinds ? nothing : assignNonces(ahead, observation, policy)
  // What the chain gave back is pursued at once, and a race begins at once: the next block may be the rival's.
  const pressing: readonly Decision['do'][] = ['reopen', 'requeue', 'unbind', 'expire', 'giveUp']
  const returned = followUps.some(({ do: what }) => pressing.includes(what))
  const decisions = [...followUps, ...expiries, ...assignments.decisions]
  const again = assignments.again || returned
  // Without prices, held up, or before the next look, it is not known of all what holds them up.
  const told = again || isHeldUp(work) || !observation.market ? [] : takeBack(looked(work, observation), decisions)
  return { ...assignments, decisions: [...news(decisions), ...told], again, conditions: conditionsOf(work, decisions) }
}

/** Those of which a plan tells what holds them up, if anything does. */
function looked(work: Work, observation: Observation): readonly Transaction[] {
  const live = work.open.filter((each) => isInPhase(each, 'inFlight') && each.lifecycle.nonce >= observation.nonce)
  return [...live, ...work.queued]
}

const nothing: Assignments = { decisions: [], needsPendingNonce: false, needsBalance: false, again: false }

/**
 * While a node keeps us waiting, only no-ops are handed over: a race is lost by waiting, and a payload that overtakes
 * one before it may be refused for the gap. What is on its way is not sent twice.
 */
function mayGoNow(decision: Decision, work: Work): boolean {
  if (!isHeldUp(work)) return true
  if (decision.do === 'bump' || decision.do === 'replace') return false
  return decision.do !== 'rebroadcast' || (isNoOp(decision.attempt) && !work.underWay?.has(decision.attempt.hash))
}

/** The work as it will be once the decisions that need no signature are recorded. */
function foresee(work: Work, decisions: readonly Decision[], now: TimestampMs): Work {
  const changed = new Map<TransactionId, Transaction>()
  for (const decision of decisions) {
    if (decision.do === 'fillGap' || needsSignature(decision)) continue
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

function followUp(
  transaction: Transaction,
  work: Work,
  observation: Observation,
  policy: NetworkPolicy,
  now: TimestampMs,
): Decision[] {
  if (isInPhase(transaction, 'mined')) {
    const { block } = transaction.lifecycle.inclusion
    return onceMined(transaction, observation.canonical.get(block.number), observation, policy)
  }
  if (!isInPhase(transaction, 'inFlight')) return []

  const { nonce } = transaction.lifecycle
  if (nonce < observation.nonce) {
    const inclusion = observation.inclusions.get(nonce)
    // Spent, but nobody can show by what: the node lags behind itself, and the next block asks again.
    if (!inclusion) return tellUnproven(transaction, observation, policy)
    const included = include(transaction, inclusion)
    const settled = isInPhase(included, 'mined') ? onceMined(included, inclusion.block.hash, observation, policy) : []
    return [{ do: 'include', transaction, inclusion }, ...settled]
  }
  if (!transaction.cancellation && hasExpired(transaction, now)) return [{ do: 'expire', transaction }]
  return transaction.cancellation
    ? race(transaction, work, observation, policy, now)
    : pursue(transaction, work, observation, policy, now)
}

/** `canonical`: the hash of the canonical block at the inclusion's height, where it could be read. */
function onceMined(
  transaction: InPhase<'mined'>,
  canonical: Hash | undefined,
  observation: Observation,
  policy: NetworkPolicy,
): Decision[] {
  const { inclusion, nonce } = transaction.lifecycle
  const { head } = observation
  if (canonical === undefined || head.number < inclusion.block.number) return []
  if (canonical !== inclusion.block.hash) return [{ do: 'reopen', transaction }]
  // The block stands, yet its nonce is not spent: two nodes' views in one observation. The next one is of one piece.
  if (observation.nonce <= nonce) return []
  if (confirmations(head, inclusion.block) < policy.requiredConfirmations) return []
  const lostToAStranger = tookTheNonce(inclusion) === 'stranger' && !transaction.cancellation
  // A filler of a gap has nothing left to fill.
  const waitsAgain = lostToAStranger && transaction.origin === 'client'
  return [{ do: waitsAgain ? 'requeue' : 'settle', transaction }]
}

function hasExpired(transaction: Transaction, now: TimestampMs): boolean {
  return transaction.validUntil !== undefined && transaction.validUntil <= now
}
