// The work that an owner has under way beside its steps.
import type { Bell } from '../ops/bell.ts'
import type { BroadcastsUnderWay } from './broadcasts-under-way.ts'
import type { Presigning } from './presign.ts'
import type { SignaturesUnderWay } from './signatures-under-way.ts'

/** The work that an owner began in earlier steps, and does not wait for. */
export interface UnderWay {
  /** Begins the next step: an answer has come that a step did not wait for. */
  wake(): void
  /** Rings for what waits for no reading: a client's change, a signature, or an answer to a broadcast. */
  readonly urgent: Bell
  readonly broadcasts: BroadcastsUnderWay
  readonly signatures: SignaturesUnderWay
  readonly presigning: Presigning
}
