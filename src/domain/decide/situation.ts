// All that a decision depends on. It is the same for every transaction of a step.
import type { Observation } from '../observation.ts'
import type { NetworkPolicy } from '../relayer.ts'
import type { TimestampMs } from '../units.ts'
import type { Work } from './work.ts'

export interface Situation {
  /** What is stored. */
  readonly work: Work
  /** What the chain said. */
  readonly observation: Observation
  /** The rules of the network. The relayer's own policies are part of the work. */
  readonly policy: NetworkPolicy
  readonly now: TimestampMs
}
