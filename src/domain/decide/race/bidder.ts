// A bid for a nonce: the facts about the bidder, and the result.
import type { Attempt } from '../../attempt.ts'
import { type Fees, isSame, type Speed } from '../../fees.ts'
import type { Head, Observation } from '../../observation.ts'
import type { CeilingRules, Purpose } from '../../price-ceiling.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { InPhase } from '../../transaction.ts'
import type { Gas, Wei } from '../../units.ts'

export interface Bidder {
  readonly transaction: InPhase<'inFlight'>
  /** The attempts of the same purpose, oldest first: the payload's, or the no-ops. */
  readonly own: readonly Attempt[]
  readonly purpose: Purpose
  readonly speed: Speed
  readonly gas: Gas
  /** The most that a policy allows per gas. Absent: the ceiling of prices holds. */
  readonly cap: Wei | undefined
  /** The funds of the account for gas. Absent: no balance was read. */
  readonly funds: Wei | undefined
}

/** The attempt that another one at these fees would repeat, byte for byte or with less gas. */
export function equalAttempt({ own, gas }: Pick<Bidder, 'own' | 'gas'>, fees: Fees): Attempt | undefined {
  const revision = own.at(-1)?.revision
  return own.find((attempt) => isSame(attempt.fees, fees) && attempt.revision === revision && attempt.gasLimit >= gas)
}

export type Bid =
  | { readonly kind: 'sign'; readonly fees: Fees }
  /** An earlier attempt has the same bytes. */
  | { readonly kind: 'repeat'; readonly attempt: Attempt }
  /** `wanted`: the fees without that limit; where funds are short, the lowest fees that would suffice. */
  | {
      readonly kind: 'wait'
      readonly until: 'cap' | 'named' | 'ceiling' | 'funds' | 'market' | 'double' | 'bound' | 'l1Fee'
      readonly wanted: Fees
    }

/** The facts of the chain that bids follow, beside the prices. */
export type BidFacts = Pick<Observation, 'nonce' | 'rule' | 'balance'> & { readonly head: Pick<Head, 'number'> }

/** The rules of a network that bids follow. */
export type BidRules = Pick<NetworkPolicy, 'raisedTip'> & { readonly profile: CeilingRules }
