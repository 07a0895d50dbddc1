// A no-op to be signed before anybody cancels its transaction.
import type { Fees } from '../../fees.ts'
import type { Hash } from '../../ids.ts'
import type { InPhase } from '../../transaction.ts'
import type { Gas } from '../../units.ts'

export interface PresignOrder {
  readonly transaction: InPhase<'inFlight'>
  readonly fees: Fees
  readonly gasLimit: Gas
  /** Stored no-ops of this nonce that no pool would take any more. */
  readonly outdated: readonly Hash[]
  /** A higher price of the payload waits for it. */
  readonly isUrgent?: true
}
