// How an attempt stands on the chain.
import { type Attempt, recordedMomentOf } from '../../attempt.ts'
import { feeCap } from '../../fees.ts'
import type { Observation } from '../../observation.ts'
import { isOver, type Patience } from '../../patience.ts'
import type { Situation } from '../plan/work.ts'

/** Whether the attempt has had so much patience since it was recorded. */
export function hasHad(
  patience: Patience,
  attempt: Attempt,
  { observation: { head }, now }: Pick<Situation, 'observation' | 'now'>,
): boolean {
  return isOver(patience, recordedMomentOf(attempt, head.number), { block: head.number, ms: now })
}

/** The same for one block: it may cure a node of a refusal. Less time than before another no-op proves little. */
export function hasHadBlock(attempt: Attempt, situation: Pick<Situation, 'observation' | 'now' | 'policy'>): boolean {
  return hasHad({ blocks: 1, ms: situation.policy.cancelBumpAfter.ms }, attempt, situation)
}

export function isBelowBaseFee(attempt: Attempt, { head }: Pick<Observation, 'head'>): boolean {
  return head.baseFee !== undefined && feeCap(attempt.fees) < head.baseFee
}
