// What an owner began in earlier steps, and does not wait for.
import type { BroadcastsUnderWay } from './broadcasts-under-way.ts'
import type { Presigning } from './presign.ts'
import type { SignaturesUnderWay } from './signatures-under-way.ts'

export interface UnderWay {
  readonly broadcasts: BroadcastsUnderWay
  readonly signatures: SignaturesUnderWay
  readonly presigning: Presigning
}
