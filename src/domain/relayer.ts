// A relayer: one signer on one network. It is one nonce sequence, and so the unit of mutual exclusion.
import type { Market } from './fees.ts'
import type { FinalityRule } from './finality.ts'
import type { GasFigures } from './gas-figures.ts'
import type { Address, NetworkName, RelayerId } from './ids.ts'
import type { Patience } from './patience.ts'
import type { Policies } from './policy-table.ts'
import type { NetworkProfile } from './profile.ts'
import type { WitnessRule } from './second-witness.ts'
import type { Nonce, Wei } from './units.ts'

export interface Relayer {
  readonly id: RelayerId
  readonly name: string
  readonly network: NetworkName
  readonly chainId: number
  readonly address: Address
  readonly signerId: string
  readonly notificationId?: string
  /** The relayer's own pause. domain/pause.ts has both. */
  readonly paused: boolean
  /** The relayer's network is paused. Absent: it is not. */
  readonly networkPaused?: true
  readonly policies: Policies
}

/** The marks of the relayer's row about its nonces. */
export interface NonceFloor {
  /** Every nonce below is spent for good. */
  readonly spentBelow: Nonce
  /** Every nonce below is spent for good, and its spender is on record: a new owner's history check begins here. */
  readonly explainedBelow: Nonce
}

/** The part of a network's profile that decisions follow. */
export type DecisionProfile = Pick<
  NetworkProfile,
  | 'pool'
  | 'priceSource'
  | 'noOpGas'
  | 'floorGas'
  | 'gasRules'
  | 'l1Fee'
  | 'charges'
  | 'tipFloor'
  | 'maxTransactionBytes'
  | 'reserveBalance'
  | 'balanceLagBlocks'
  | 'keepsFutureNonceMs'
  | 'finality'
  | 'finalityStalledAfterMs'
>

/** The rules that a send is checked against. `market`: as this process observed it last. */
export type SendProfile = DecisionProfile & { readonly figures: GasFigures; readonly market?: Market }

/** The rules of a network that decisions follow. Prices wait for blocks; only repeated broadcasts wait for time. */
export interface NetworkPolicy extends FinalityRule, WitnessRule {
  readonly chainId: number
  readonly eip1559: boolean
  /** What a send gets before it is priced anew. */
  readonly bumpAfter: Patience
  /** What a no-op gets before it is priced anew. */
  readonly cancelBumpAfter: Patience
  /** The tip to offer when blocks have room and do not take a transaction. Absent: no minimum is documented. */
  readonly raisedTip?: Wei
  readonly profile: DecisionProfile
  /** After this an accepted attempt is broadcast again, in case the pools lost it. Its row has no block, so blocks count by their time. */
  readonly rebroadcastAfter: Patience
  /** The configured block time. A measured one takes precedence. */
  readonly averageBlocktimeMs: number
}
