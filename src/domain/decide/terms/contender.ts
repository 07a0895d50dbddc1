// The contenders for a nonce: their bytes, their patience and the limits of their price. The rivals of each are all attempts of
// the nonce.
import { type Attempt, isNoOp } from '../../attempt.ts'
import type { Fees, Speed } from '../../fees.ts'
import type { Patience } from '../../patience.ts'
import type { Purpose } from '../../price-ceiling.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { InPhase } from '../../transaction.ts'
import type { Wei } from '../../units.ts'
import type { Situation, StoredWork } from '../plan/work.ts'

export interface Contender {
  readonly transaction: InPhase<'inFlight'>
  /**
   * The bytes that shall be mined. A replacement is the payload of a PUT until it is signed. A gap filler is a no-op of the
   * service's own, in a transaction of its own.
   */
  readonly wants: 'payload' | 'replacement' | 'gapFiller' | 'noOp'
  /** The contender's own attempts, oldest first. */
  readonly own: readonly Attempt[]
  readonly speed: Speed
  /** What the newest attempt gets before another bid. */
  readonly patience: Patience
  readonly limit: PriceCap
  /** The fees that the client named. They are its limit: the service never raises them. */
  readonly named?: Fees
}

/** A policy that limits what may be paid per gas. */
interface PriceCap {
  readonly name: 'gas_price_cap' | 'cancel_gas_price_cap'
  readonly cap: Wei | undefined
}

/** The contender of a client's payload, or of a gap filler's no-op. */
export function payloadContender(transaction: InPhase<'inFlight'>, { work, policy }: Situation): Contender {
  const { pricing } = transaction.payload
  const { gasPriceCap, cancelGasPriceCap } = work.relayer.policies
  const isGap = transaction.origin === 'gap'
  return {
    transaction,
    wants: isGap ? 'gapFiller' : 'payload',
    own: transaction.lifecycle.attempts,
    speed: pricing.kind === 'speed' ? pricing.speed : 'average',
    patience: policy.bumpAfter,
    // Cancellations may wait behind a gap filler: the sends' cap must not block them.
    limit: isGap
      ? { name: 'cancel_gas_price_cap', cap: cancelGasPriceCap }
      : { name: 'gas_price_cap', cap: gasPriceCap },
    ...(pricing.kind !== 'speed' && { named: pricing }),
  }
}

/** The contender of a PUT's payload. Nothing of it is signed, and the attempts of the older payloads are among its rivals. */
export function replacementContender(transaction: InPhase<'inFlight'>, situation: Situation): Contender {
  return { ...payloadContender(transaction, situation), wants: 'replacement', own: [] }
}

/** The contender of a canceled transaction's no-op. The nonce is urgent, whatever the payload was to pay. */
export function noOpContender(
  transaction: InPhase<'inFlight'>,
  { work, policy }: { readonly work: Pick<StoredWork, 'relayer'>; readonly policy: NetworkPolicy },
): Contender {
  return {
    transaction,
    wants: 'noOp',
    own: transaction.lifecycle.attempts.filter(isNoOp),
    speed: 'fastest',
    patience: policy.cancelBumpAfter,
    // The no-ops' own cap, not the sends': a blocked nonce that costs more than the sends' cap would be stuck for ever.
    limit: { name: 'cancel_gas_price_cap', cap: work.relayer.policies.cancelGasPriceCap },
  }
}

export function purposeOf({ wants }: Contender): Purpose {
  return wants === 'noOp' || wants === 'gapFiller' ? 'noOp' : 'payload'
}
