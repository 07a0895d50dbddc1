// A bid for a nonce: the facts about the bidder, and the result.
import { type Attempt, invalidReasonOf } from '../../attempt.ts'
import { type Fees, feeCap, isSame, type Market, type Speed } from '../../fees.ts'
import type { Head, Observation } from '../../observation.ts'
import type { CeilingRules, Purpose } from '../../price-ceiling.ts'
import type { NetworkPolicy } from '../../relayer.ts'
import type { InPhase } from '../../transaction.ts'
import type { Gas, TimestampMs, Wei } from '../../units.ts'

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

type Signed = Pick<Bidder, 'own' | 'gas'>

/** The attempt that another one at these fees would repeat, byte for byte or with less gas than one that is not refused as invalid. */
export function equalAttempt(bidder: Signed, fees: Fees): Attempt | undefined {
  return equalPayloads(bidder).find((attempt) => isSame(attempt.fees, fees))
}

/** Whether an attempt at these fees is below the next base fee, as is an earlier one that will be mined no later. */
export function isVainBelowBaseFee(bidder: Signed, fees: Fees, { baseFee }: Market): boolean {
  if (baseFee === undefined || feeCap(fees) >= baseFee) return false
  return equalPayloads(bidder).some((attempt) => feeCap(attempt.fees) >= feeCap(fees))
}

/** The attempts that differ from the next one by nothing but their fees. */
function equalPayloads({ own, gas }: Signed): readonly Attempt[] {
  const revision = own.at(-1)?.revision
  const hasGas = (attempt: Attempt) =>
    attempt.gasLimit === gas || (attempt.gasLimit > gas && invalidReasonOf(attempt) === undefined)
  return own.filter((attempt) => attempt.revision === revision && hasGas(attempt))
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

/** The facts that bids follow, beside the prices. */
export type BidFacts = Pick<Observation, 'nonce' | 'rule' | 'balance'> & {
  readonly head: Pick<Head, 'number'>
  readonly now: TimestampMs
}

/** The rules of a network that bids follow. */
export type BidRules = Pick<NetworkPolicy, 'raisedTip' | 'bumpAfter'> & { readonly profile: CeilingRules }

/** The highest price at which the funds pay for the gas. */
export function affordablePrice({ funds, gas }: Pick<Bidder, 'funds' | 'gas'>): Wei | undefined {
  return funds === undefined ? undefined : funds < 0n ? 0n : funds / BigInt(gas)
}

/**
 * - `outpriced`: a node rejected its price as too low to be held, so waiting would not help.
 * - `unfunded`: the balance does not cover it: a node reported so, or it was read at a sequencer. A cheaper one may suffice now.
 * - `belowBaseFee`: the base fee has risen above its fee cap.
 * - `tip`: its nonce has been next for long, blocks have room, and its tip is close to zero.
 * - `waited`: blocks hold the transactions of others, and not this one.
 * - `refused`: only of a race: nodes refuse it again and again, and their words may mean the price.
 * - `gas`: a no-op, or a payload whose gas is ours to choose, has too little gas by now, or all refuse its limit as it is.
 */
export type ReasonToBid = 'outpriced' | 'unfunded' | 'belowBaseFee' | 'tip' | 'waited' | 'refused' | 'gas'
