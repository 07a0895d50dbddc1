// The signatures that decisions need, and the state of a remote signer that delivers them late.
import type { TransactionId } from '../../ids.ts'
import type { Nonce, TimestampMs } from '../../units.ts'
import type { SigningDecision, SigningPurpose } from './traits.ts'

export interface SignerFailure {
  /** The code of the key service, or ours. */
  readonly code: string
  /** The signer fails until an operator acts. */
  readonly isPermanent: boolean
  /** The key service's id of the work that signs this, where people look it up. */
  readonly activity?: string
  /** No signature is requested before this time. */
  readonly retryAt: TimestampMs
}

/** The state of a remote signer, as an owner sees it. */
export interface Signing {
  readonly underWay: ReadonlySet<SigningPurpose>
  /** Purposes whose group takes longer than with a signer that works. */
  readonly late: ReadonlySet<SigningPurpose>
  /** The last failure of each signature, until it succeeds. */
  readonly failures: ReadonlyMap<SignatureKey, SignerFailure>
  /** The signer signs nothing now. */
  readonly outage?: SignerFailure
  /** No-ops are signed in advance. Absent where they are not, and while their signatures fail. */
  readonly presigns?: true
}

/** A transaction, or the nonce of a gap filler. */
export type SignatureKey = TransactionId | Nonce

export function signatureKey(decision: SigningDecision): SignatureKey {
  return decision.do === 'fillGap' ? decision.nonce : decision.transaction.id
}

export function nonceOf(decision: SigningDecision): Nonce {
  return 'nonce' in decision ? decision.nonce : decision.transaction.lifecycle.nonce
}
