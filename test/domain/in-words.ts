// Explanations with their sentences beside the facts, as people read them.
import { decide } from '../../src/domain/decide/decide.ts'
import type { Decision, Plan } from '../../src/domain/decide/plan/decision.ts'
import type { Situation } from '../../src/domain/decide/plan/work.ts'
import { sentenceOf } from '../../src/domain/wait-sentence.ts'

type InWords =
  | Exclude<Decision, { do: 'explain' }>
  | (Extract<Decision, { do: 'explain' }> & { readonly reason: string })

export function inWords(decisions: readonly Decision[]): readonly InWords[] {
  return decisions.map((each) =>
    each.do === 'explain' ? { ...each, reason: sentenceOf(each, each.transaction.cancellation !== undefined) } : each,
  )
}

export function decideInWords(situation: Situation): Plan & { readonly decisions: readonly InWords[] } {
  const plan = decide(situation)
  return { ...plan, decisions: inWords(plan.decisions) }
}
