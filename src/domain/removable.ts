// Which ended transactions nothing needs any more. The history check after a restore reads some of them.
import type { Nonce } from './units.ts'

/** A transaction that can no longer change, as far as its removal depends on it. */
export interface RemovalCandidate {
  /** Absent if the transaction ended without a nonce. */
  readonly nonce?: Nonce
  /** An event of it is still to be delivered, or is a dead letter. */
  readonly hasDelivery: boolean
}

/** The facts of its relayer. */
export interface RemovalContext {
  /** Every nonce below is spent and explained: no history check reads about it. */
  readonly explainedBelow: Nonce
  /** A look for foreign uses of the key reads about every nonce from here on. Absent: about none of these. */
  readonly lookedBelow?: Nonce
  /** The highest nonce that any of the relayer's transactions has, or had when it ended. */
  readonly highestNonce?: Nonce
  /** False while a history check may compare open transactions with those that ended without a nonce. */
  readonly isChecked: boolean
}

export function isRemovable(
  ended: RemovalCandidate,
  { explainedBelow, lookedBelow = Number.POSITIVE_INFINITY, highestNonce, isChecked }: RemovalContext,
): boolean {
  const { nonce, hasDelivery } = ended
  if (hasDelivery) return false
  if (nonce === undefined) return isChecked
  if (nonce >= lookedBelow) return false
  return nonce < explainedBelow && nonce !== highestNonce
}
