// The step after the decisions about transactions with a nonce.
import type { Nonce, Wei } from '../../units.ts'
import type { Decision } from './decision.ts'
import type { Lacks } from './lacks.ts'
import type { Situation, Work } from './work.ts'

export interface FollowUps {
  readonly followUps: readonly Decision[]
  /** Facts that follow-ups need first. */
  readonly lacks: Lacks
  /** The cost of the follow-ups beyond that of the signed attempts. */
  readonly unsignedCost: Wei
}

export interface Followed extends FollowUps {
  /** The arguments of the step, with the cost of the follow-ups. */
  readonly situation: Situation
  /** The work after the follow-ups that need no signature. */
  readonly followed: Work
  /** Every nonce below is spent for good, by ours. */
  readonly proven: Nonce
  /** No nonce is bound in this step. */
  readonly isBusy: boolean
}
