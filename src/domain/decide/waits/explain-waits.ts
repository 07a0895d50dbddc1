// Reduces a plan's waits to changes. A wait is true as of the last observation: it is written when it begins or when a
// figure of it changes, and cleared when it is over.
import type { Condition } from '../../condition.ts'
import { isPaused } from '../../pause.ts'
import { isInPhase, type Transaction } from '../../transaction.ts'
import { sentenceOf } from '../../wait-sentence.ts'
import type { Decision } from '../plan/decision.ts'
import type { Work } from '../plan/work.ts'

/** Keeps one reason for each transaction: the last, which goes deepest. */
export function oneReasonEach(decisions: readonly Decision[]): readonly Decision[] {
  const last = new Map(decisions.flatMap((each) => (each.do === 'explain' ? [[each.transaction.id, each]] : [])))
  return decisions.filter((each) => each.do !== 'explain' || last.get(each.transaction.id) === each)
}

/** Removes waits that are already recorded: each one is a row written. */
export function withoutRepeats(decisions: readonly Decision[]): readonly Decision[] {
  return decisions.filter((decision) => {
    if (decision.do !== 'explain') return true
    const { wait, cancellation } = decision.transaction
    return wait?.condition !== decision.condition || wait.text !== sentenceOf(decision, cancellation !== undefined)
  })
}

/** Clears the waits that `decisions` do not renew. */
export function clearStaleWaits(transactions: readonly Transaction[], decisions: readonly Decision[]): Decision[] {
  const touched = new Set(
    decisions.flatMap((decision) =>
      decision.do === 'fillGap' || saysNothing.includes(decision.do) ? [] : [decision.transaction.id],
    ),
  )
  return transactions
    .filter(({ id, wait }) => wait && !touched.has(id))
    .map((transaction) => ({ do: 'clearWait', transaction }))
}

/** Decisions that say nothing about the wait, which is then over. */
const saysNothing: readonly Decision['do'][] = ['rebroadcast', 'bump', 'replace', 'signNoOp', 'usePresigned']

export function conditionsOf(
  { relayer, open, suspected, confirmedNotFinal }: Work,
  decisions: readonly Decision[],
): readonly Condition[] {
  const found = new Set<Condition>(
    decisions.flatMap((decision) => (decision.do === 'explain' ? [decision.condition] : [])),
  )
  if (isPaused(relayer)) found.add('paused')
  if (suspected.length > 0) found.add('cancellation_unclear')
  if (confirmedNotFinal?.isStalled) found.add('finality_stalled')
  if (open.some((each) => isInPhase(each, 'mined') && each.lifecycle.inclusion.by === 'external')) {
    found.add('nonce_taken')
  }
  return [...found]
}
