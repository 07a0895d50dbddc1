// Explains waits for the chain and for nodes, and reduces all waits of a plan to changes.
//
// A wait is true as of the last observation: it is written when it begins or when a figure of it changes, and cleared when it is over.
// race/explain-contender.ts explains the waits of a contender, and queue/ those of the queue.
import {
  type Attempt,
  invalidReasonOf,
  newest,
  type RejectionCode,
  rejectionOf,
  unrecognizedErrorOf,
} from '../../attempt.ts'
import type { Condition } from '../../condition.ts'
import { stalledAfterMinutes } from '../../finality.ts'
import { isPaused } from '../../pause.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import { type InPhase, isInPhase, type Transaction } from '../../transaction.ts'
import type { TimestampMs } from '../../units.ts'
import { isSameReason } from '../../wait.ts'
import type { Reason, Refusal } from '../../wait-facts.ts'
import { type Decision, explain } from '../plan/decision.ts'
import { traits } from '../plan/traits.ts'
import { inFlightOf, type Situation, type Work } from '../plan/work.ts'
import { foreignPatience } from '../rules/foreign-nonces.ts'
import { hasHad } from '../terms/attempts.ts'
import { isHeadStalled } from './head-stalled.ts'

/** Keeps one reason for each transaction: the last, which goes deepest. */
export function oneReasonEach(decisions: readonly Decision[]): readonly Decision[] {
  const last = new Map(decisions.flatMap((each) => (each.do === 'explain' ? [[each.transaction.id, each]] : [])))
  return decisions.filter((each) => each.do !== 'explain' || last.get(each.transaction.id) === each)
}

/** Removes waits that are already recorded: each one is a row written. */
export function withoutRepeats(decisions: readonly Decision[]): readonly Decision[] {
  return decisions.filter((decision) => {
    if (decision.do !== 'explain') return true
    const { wait, wasPassed } = decision.transaction
    return !wait || !isSameReason(wait, decision) || (decision.isPassed && !wasPassed)
  })
}

/** Clears the waits that `decisions` do not renew. */
export function clearStaleWaits(transactions: ReadonlySet<Transaction>, decisions: readonly Decision[]): Decision[] {
  const touched = new Set(
    decisions.flatMap((decision) =>
      decision.do === 'fillGap' || traits[decision.do].isSilent ? [] : [decision.transaction.id],
    ),
  )
  return [...transactions]
    .filter(({ id, wait }) => wait && !touched.has(id))
    .map((transaction) => ({ do: 'clearWait', transaction }))
}

export function conditionsOf(
  { work: { relayer, open, suspected, confirmedNotFinal }, ...seen }: Situation,
  decisions: readonly Decision[],
): readonly Condition[] {
  const found = new Set<Condition>(
    decisions.flatMap((decision) => (decision.do === 'explain' ? [decision.condition] : [])),
  )
  if (isPaused(relayer)) found.add('paused')
  if (isHeadStalled({ open }, seen.observation, seen.now)) found.add('head_stalled')
  if (suspected.length > 0) found.add('cancellation_unclear')
  if (confirmedNotFinal?.isStalled) found.add('finality_stalled')
  if (open.some((each) => isInPhase(each, 'mined') && each.lifecycle.inclusion.by === 'external')) {
    found.add('nonce_taken')
  }
  return [...found]
}

type InFlight = InPhase<'inFlight'>

/** The node's refusal of the last broadcast. Undefined if it is about the price, the balance or the nonce. */
export function refusalOf(attempt: Attempt): Refusal | undefined {
  const error = unrecognizedErrorOf(attempt)
  if (error !== undefined) return { kind: 'error', words: error }
  const invalid = invalidReasonOf(attempt)
  if (invalid !== undefined) return { kind: 'invalid', words: invalid }
  const rejection = rejectionOf(attempt)
  return rejection && lasting.includes(rejection.code) ? { kind: 'forNow', words: rejection.message } : undefined
}

/** Refusals that are not about the price, and may be over the next time. */
const lasting: readonly RejectionCode[] = ['poolFull', 'typeConflict', 'nodeLimit', 'nonceGap']

/** Explains that a nonce was spent long ago, but no node returns a receipt of ours or a block with a foreign transaction. */
export function explainUnproven(transaction: InFlight, situation: Situation): Decision[] {
  const { nonce: spent, attempts } = transaction.lifecycle
  const isOpen = spent >= situation.observation.nonce
  if (isOpen || !hasHad(foreignPatience(situation.policy), newest(attempts), situation)) return []
  return explain(transaction, { condition: 'nonce_unproven', facts: { nonce: spent } })
}

/** Explains that the nodes' tag has not passed a block for long. The wait ends at finality, or by a reorganization. */
export function explainStalled(
  transaction: InPhase<'mined'>,
  { finality, profile }: NetworkPolicy,
  now: TimestampMs,
): Decision[] {
  const { confirmedAt, inclusion } = transaction.lifecycle
  const limitMs = profile.finalityStalledAfterMs
  const minutes = confirmedAt === undefined ? undefined : stalledAfterMinutes(finality, confirmedAt, now, limitMs)
  if (minutes === undefined) return []
  return explain(transaction, {
    condition: 'finality_stalled',
    facts: { block: inclusion.block.number, minutes, tag: finality },
  })
}

/** Explains that no node answers at all. */
export function explainUnreachable(work: Work, why: string): Decision[] {
  return explainStandstill(work, { condition: 'node_unreachable', facts: { of: 'network', words: why } })
}

/** Explains to the first in flight that no block follows. */
export function explainStalledHead({ work, observation, now }: Situation): Decision[] {
  const [first] = inFlightOf(work)
  if (!first || !isHeadStalled(work, observation, now)) return []
  return explain(first, { condition: 'head_stalled', facts: { block: observation.head.number } })
}

/** Explains that another service of the database has the account. */
export function explainAccountInUse(work: Work): Decision[] {
  return explainStandstill(work, { condition: 'account_in_use', facts: {} })
}

/** Explains a standstill to the first transaction in flight and the first in the queue. */
function explainStandstill({ open, queued, relayer }: Work, reason: Reason): Decision[] {
  const [inFlight] = open.filter((each) => isInPhase(each, 'inFlight'))
  const [next] = isPaused(relayer) ? [] : queued
  return [inFlight, next].flatMap((transaction) => (transaction ? explain(transaction, reason) : []))
}
