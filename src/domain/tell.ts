// What is worth telling of what was decided. A reason that passes is true as of the last look at the chain: told when it
// begins, told anew when the figure that decides it has changed, taken back when it is over. Any other is history, and stays.
import { cancelReasons } from './cancel.ts'
import { type Condition, openings } from './condition.ts'
import type { Decision } from './decision.ts'
import { replacedReason } from './replace.ts'
import { withReason } from './settle.ts'
import { isInPhase, revisionOf, type Transaction } from './transaction.ts'
import type { Work } from './work.ts'

/** Of several that hold one transaction up the last is told: it goes deepest. */
export function oneReasonEach(decisions: readonly Decision[]): readonly Decision[] {
  const last = new Map(decisions.flatMap((each) => (each.do === 'explain' ? [[each.transaction.id, each]] : [])))
  return decisions.filter((each) => each.do !== 'explain' || last.get(each.transaction.id) === each)
}

/** Without what is told already: each telling is a row written. */
export function news(decisions: readonly Decision[]): readonly Decision[] {
  return decisions.filter(
    (decision) =>
      decision.do !== 'explain' ||
      withReason(decision.transaction, decision.reason).statusReason !== decision.transaction.statusReason,
  )
}

/** For those whose reason passes, and of which `decisions` tell none any more. */
export function takeBack(transactions: readonly Transaction[], decisions: readonly Decision[]): Decision[] {
  const touched = new Set(
    decisions.flatMap((decision) =>
      decision.do === 'fillGap' || leavesReason.includes(decision.do) ? [] : [decision.transaction.id],
    ),
  )
  return transactions
    .filter(({ id, statusReason }) => passes(statusReason) && !touched.has(id))
    .map((transaction) => ({ do: 'explain', transaction, ...standing(transaction) }))
}

const leavesReason: readonly Decision['do'][] = ['rebroadcast', 'bump', 'replace', 'takeOver']

export function passes(reason: string | undefined): boolean {
  return openings.some((opening) => reason?.startsWith(opening))
}

/** What is to say of it where nothing holds it up. */
function standing(transaction: Transaction): { reason?: string } {
  if (transaction.cancellation) return { reason: cancelReasons[transaction.cancellation.origin] }
  return revisionOf(transaction) > 0 ? { reason: replacedReason } : {}
}

export function conditionsOf({ relayer, open, suspected }: Work, decisions: readonly Decision[]): readonly Condition[] {
  const found = new Set(
    decisions.flatMap((decision) => (decision.do === 'explain' && decision.condition ? [decision.condition] : [])),
  )
  if (relayer.paused) found.add('paused')
  if (suspected.length > 0) found.add('cancellation_unclear')
  if (open.some((each) => isInPhase(each, 'mined') && each.lifecycle.inclusion.by === 'external')) {
    found.add('nonce_taken')
  }
  return [...found]
}
