// How an attempt stands on the chain.
import { type Attempt, recordedAtBlockOf } from '../../attempt.ts'
import { feeCap } from '../../fees.ts'
import type { Observation } from '../../observation.ts'
import type { BlockNumber } from '../../units.ts'

export function blocksWaited(attempt: Attempt, head: BlockNumber): number {
  return head - recordedAtBlockOf(attempt, head)
}

export function isBelowBaseFee(attempt: Attempt, { head }: Pick<Observation, 'head'>): boolean {
  return head.baseFee !== undefined && feeCap(attempt.fees) < head.baseFee
}
