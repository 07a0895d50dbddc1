// Decides about the transactions that have a nonce: what each of them needs next, by nonce.
import { isNoOp, mayBeKnown } from '../attempt.ts'
import { isFinal } from '../finality.ts'
import type { Hash } from '../ids.ts'
import { confirmations } from '../observation.ts'
import { type InPhase, isInPhase, returnsToQueue, spenderKind, type Transaction } from '../transaction.ts'
import { mayConfirm } from './facts/confirmed-not-final.ts'
import { include } from './facts/inclusion.ts'
import { shownByLostNoOp } from './lost-history/lost-cancellation.ts'
import type { Decision, Steps } from './plan/decision.ts'
import type { FollowUps } from './plan/followed.ts'
import type { Fact } from './plan/lacks.ts'
import { traits } from './plan/traits.ts'
import { payloadsAwaitAnswer, type Situation, type Work } from './plan/work.ts'
import { cancelInFlight } from './race/cancel-in-flight.ts'
import { pursue } from './race/pursue.ts'
import { mayBroadcastNow, mayRaceForCounted } from './rules/arrival-order.ts'
import { awaitWitness, finalizeBy, judgeContradiction, mayConfirmBy, racesOn } from './rules/second-witness.ts'
import { hasExpired } from './terms/expired.ts'
import { addedBy } from './terms/funds.ts'
import { explainStalled, explainUnproven } from './waits/explain-waits.ts'

/** Decides about one transaction after the other, by nonce: the cost of one's attempt is not left for the next. */
export function followAll(situation: Situation, stepsOf: typeof followUp = followUp): FollowUps {
  const { work, observation, policy } = situation
  const followUps: Decision[] = []
  const lacks = new Set<Fact>()
  let unsignedCost = 0n
  let current = situation
  for (const transaction of work.open) {
    for (const each of stepsOf(transaction, current)) {
      if ('lacks' in each) {
        lacks.add(each.lacks)
        continue
      }
      if (!mayRunBesideBroadcasts(each, work) || !mayBroadcastNow(each, work, policy)) continue
      followUps.push(each)
      const added = observation.market ? addedBy(each, observation.market) : 0n
      if (added === 0n) continue
      unsignedCost += added
      current = { ...situation, work: { ...work, unsignedCost } }
    }
  }
  return { followUps, lacks, unsignedCost }
}

/** Whether a decision may be performed while broadcasts are on their way. A no-op does not wait for them: a race is lost by waiting. */
function mayRunBesideBroadcasts(decision: Decision, work: Work): boolean {
  if (decision.do === 'rebroadcast' && work.underWay?.has(decision.attempt.hash)) return false
  if (decision.do === 'rebroadcast' && isNoOp(decision.attempt)) return true
  return !traits[decision.do].waitsForAnswers || !payloadsAwaitAnswer(work)
}

function followUp(transaction: Transaction, situation: Situation): Steps {
  const { observation, now } = situation
  if (isInPhase(transaction, 'mined')) {
    const { block } = transaction.lifecycle.inclusion
    return onceMined(transaction, observation.canonical.get(block.number), situation)
  }
  if (!isInPhase(transaction, 'inFlight')) return []

  const { nonce } = transaction.lifecycle
  if (nonce < observation.nonce) {
    if (observation.unread?.has(nonce)) return []
    const lost = shownByLostNoOp(transaction, observation)
    if (lost && 'do' in lost) return [lost]
    const inclusion = lost ?? observation.inclusions.get(nonce)
    // The nonce is spent, but no node shows the spender: the node lags behind itself, and the next block reads again.
    if (!inclusion) return [...explainUnproven(transaction, situation), ...raceOn(transaction, situation)]
    if (racesOn(transaction, inclusion, observation)) return raceOn(transaction, situation)
    const included = include(transaction, inclusion)
    const onward = isInPhase(included, 'mined') ? onceMined(included, inclusion.block.hash, situation) : []
    return [{ do: 'include', transaction, inclusion }, ...onward]
  }
  if (!transaction.cancellation && hasExpired(transaction, now)) return [{ do: 'expire', transaction }]
  if (!transaction.cancellation) return pursue(transaction, situation)
  return cancelInFlight(transaction, situation)
}

/**
 * The race for a nonce that one endpoint calls spent, and nothing else proves it: it counts as unspent. A no-op too many costs nothing, as
 * nodes refuse it where the nonce is spent. Without one the payload may be executed.
 */
function raceOn(transaction: InPhase<'inFlight'>, situation: Situation): Steps {
  const { cancellation, lifecycle } = transaction
  const isSpentForGood = lifecycle.nonce < situation.work.floor.spentBelow
  if (isSpentForGood || !cancellation || cancellation.origin === 'refusal') return []
  if (!mayRaceForCounted(situation.policy)) return []
  // A copy may have lost what nodes have: nothing is dropped here.
  if (!lifecycle.attempts.some(mayBeKnown)) return []
  const observation = { ...situation.observation, nonce: lifecycle.nonce }
  const steps = cancelInFlight(transaction, { ...situation, observation })
  return steps.filter((each) => 'lacks' in each || each.do !== 'drop')
}

/** Decides about a mined transaction. `canonical`: the hash of the canonical block at its height, if it could be read. */
function onceMined(
  transaction: InPhase<'mined'>,
  canonical: Hash | undefined,
  situation: Situation,
): readonly Decision[] {
  const { work, observation, policy, now } = situation
  const { inclusion, nonce, confirmedAt } = transaction.lifecycle
  const { head } = observation
  if (canonical === undefined || head.number < inclusion.block.number) return []
  if (canonical !== inclusion.block.hash) return [{ do: 'reopen', transaction, why: 'reorganized' }]
  const contradicted = judgeContradiction(transaction, situation)
  if (contradicted) return contradicted
  // The block stands, yet its nonce is not spent: the observation mixes the views of two nodes. The next one decides.
  if (observation.nonce <= nonce) return []
  if (confirmations(head, inclusion.block) < policy.requiredConfirmations) return []
  if (!isFinal(inclusion.block.number, observation, policy)) {
    if (confirmedAt !== undefined) return explainStalled(transaction, policy, now)
    const isShown = mayConfirm(work, observation) && mayConfirmBy(transaction, situation)
    return isShown ? [{ do: 'confirm', transaction }] : []
  }
  const unwitnessed = awaitWitness(transaction, situation)
  if (unwitnessed) return unwitnessed
  const spender = spenderKind(inclusion)
  const lostToForeign = spender === 'foreign' && !transaction.cancellation
  const isGivenUpForNow = spender !== 'payload' && returnsToQueue(transaction)
  // A gap filler has nothing left to fill.
  const waitsAgain = (lostToForeign || isGivenUpForNow) && transaction.origin !== 'gap'
  return [waitsAgain ? { do: 'requeue', transaction } : finalizeBy(transaction, situation)]
}
