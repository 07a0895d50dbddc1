// A bid for a nonce: the facts about the bidder, and the result.
import type { Attempt } from '../attempt.ts'
import type { Fees, Speed } from '../fees.ts'
import type { InPhase } from '../transaction.ts'
import type { Gas, Wei } from '../units.ts'

export interface Bidder {
  readonly transaction: InPhase<'inFlight'>
  /** The attempts of the same purpose, oldest first: the payload's, or the no-ops. */
  readonly own: readonly Attempt[]
  readonly speed: Speed
  readonly gas: Gas
  /** The most that a policy allows per gas. */
  readonly cap: Wei | undefined
  /** What the account can pay for gas. Absent: no balance was read. */
  readonly funds: Wei | undefined
}

export type Bid =
  | { readonly kind: 'sign'; readonly fees: Fees }
  /** An earlier attempt has the same bytes. */
  | { readonly kind: 'repeat'; readonly attempt: Attempt }
  /** `wanted`: the fees without that limit; where funds are short, the lowest fees that would suffice. */
  | { readonly kind: 'wait'; readonly until: 'cap' | 'funds' | 'market' | 'double'; readonly wanted: Fees }
