// The arguments of a decision. They are the same for every transaction of a step.
import type { Observation } from '../../observation.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { TimestampMs } from '../../units.ts'
import type { Work } from './work.ts'

export interface Situation {
  /** The stored rows. */
  readonly work: Work
  /** The state of the chain. */
  readonly observation: Observation
  /** The rules of the network. The relayer's own policies are part of the work. */
  readonly policy: NetworkPolicy
  readonly now: TimestampMs
}
