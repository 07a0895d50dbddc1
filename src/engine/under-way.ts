// The work that an owner began in earlier steps, and does not wait for.
import type { BroadcastsUnderWay } from './broadcasts-under-way.ts'
import type { Presigning } from './presign.ts'
import type { SignaturesUnderWay } from './signatures-under-way.ts'

export interface UnderWay {
  /** Begins the next step: an answer has come that a step did not wait for. */
  wake(): void
  readonly broadcasts: BroadcastsUnderWay
  readonly signatures: SignaturesUnderWay
  readonly presigning: Presigning
}
