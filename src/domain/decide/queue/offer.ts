// What one transaction of the queue gets now: a nonce at a price, an end, or a wait. Each line of offerFor may be the last, and their order is
// the promise.
import { roughly } from '../../condition.ts'
import { type Fees, feeCap, type Market } from '../../fees.ts'
import { forbids } from '../../forbid.ts'
import { gasMaxOf } from '../../four-eyes.ts'
import { gasRulesOf, refusalOfGas } from '../../intrinsic-gas.ts'
import { l1FeeOf } from '../../l1-fee.ts'
import { type Estimate, estimatedGas } from '../../observation.ts'
import type { NetworkPolicy, Relayer } from '../../relayer.ts'
import type { InPhase, Transaction } from '../../transaction.ts'
import type { Gas, Nonce, Wei } from '../../units.ts'
import type { Reason } from '../../wait-facts.ts'
import type { Decision } from '../plan/decision.ts'
import type { Fact } from '../plan/lacks.ts'
import { inFlightOf, type Situation } from '../plan/work.ts'
import { blockedByGas, blockedByReserve, lagOf } from '../rules/gas-reserve.ts'
import { refusalOfNewReceiver } from '../rules/new-receiver.ts'
import { limitReach } from '../rules/reach.ts'
import { blockedByPayment, minBalanceFor, refusalOfEmpty, wasCheckedWhole, withSweptValue } from '../rules/sweeps.ts'
import { firstPrice, withTipOf } from '../terms/first-price.ts'
import { upfrontCost } from '../terms/funds.ts'
import { factsOfUnknownGas, gasBetweenIn } from '../waits/unknown-gas.ts'

/** What the transactions before it leave for the next one. */
export interface Purse {
  readonly market: Market
  /** The next free nonce. */
  readonly nonce: Nonce
  /** The balance of the account. */
  readonly balance: Wei
  /** The part of the balance that pays for a transaction now. */
  readonly counted: Wei
  /** The rest of that part, without the reserve. */
  readonly wallet: Wei
  /** The balance that sends leave for cancellations: the network's own reserve (rules/gas-reserve.ts) counts it in. */
  readonly reserve: Wei
  /** The funds for gas beside that of others. Undefined where nothing limits it. */
  readonly gasFunds: Wei | undefined
  /** Why the pool's count keeps a nonce from being bound: it lies too far above the account's nonce. */
  readonly blockedByPool: (nonce: Nonce) => Reason | undefined
  /** The decisions about those before it. */
  readonly decided: readonly Decision[]
}

export interface Offer {
  readonly fees: Fees
  readonly gasLimit: Gas
}

/** `transaction`: as it would be signed now. */
export type Offered = { readonly transaction: InPhase<'queued'> } & (
  | { readonly is: 'refused'; readonly reason: string }
  | { readonly is: 'waits'; readonly reason: Reason }
  /** Its estimated gas needs a second key. */
  | { readonly is: 'held' }
  /** A fact is missing. Undefined: the next observation has its estimate. */
  | { readonly is: 'unknown'; readonly lacks: Fact | undefined }
  | ({ readonly is: 'offer' } & Offer)
)

export function offerFor(stored: InPhase<'queued'>, purse: Purse, situation: Omit<Situation, 'now'>): Offered {
  const { observation, policy } = situation
  // The value of a sweep comes before the policies, which may limit it.
  const transaction = withSweptValue(stored, purse.wallet, purse.market, situation)
  const refusal = refusalAtOnce(transaction, situation, purse.decided)
  if (refusal !== undefined) return { is: 'refused', transaction, reason: refusal }
  const before = { nonce: purse.nonce, balance: purse.wallet + purse.reserve, gasFunds: purse.gasFunds }
  const kept = blockedByPayment(transaction, purse, policy) ?? blockedByReserve(transaction.payload, before, situation)
  const estimate = observation.estimates.get(transaction.id)
  // A node may report a revert that only the network's reserve causes, so such a revert ends nothing.
  const failing = judgeFailure(transaction, estimate, kept, purse, situation)
  if (failing) return failing
  const gasLimit = transaction.payload.gasLimit ?? estimatedGas(transaction, observation)
  if (gasLimit === undefined && estimate === undefined) return { is: 'unknown', transaction, lacks: undefined }
  if (gasLimit !== undefined && gasLimit > gasMaxOf(situation.work.relayer, stored)) return { is: 'held', transaction }
  const offer = fundedOffer(transaction, gasLimit, estimate, purse, situation)
  if ('condition' in offer) return { is: 'waits', transaction, reason: offer }
  // A shortage of money is said before the reserve's wait, and both before a doubt about the nonce.
  const wait =
    kept ??
    blockedByGas(upfrontCost(0n, offer.gasLimit, offer.fees), before, situation) ??
    purse.blockedByPool(purse.nonce)
  if (wait) return { is: 'waits', transaction, reason: wait }
  const { isWithin, blockedBy, lacks } = limitReach(purse.nonce, situation)
  if (blockedBy) return { is: 'waits', transaction, reason: blockedBy }
  return isWithin ? { is: 'offer', transaction, ...offer } : { is: 'unknown', transaction, lacks }
}

/** Why a transaction can never be sent as it is. It ends here, without a pool's word, so it does not block later ones. */
function refusalAtOnce(
  transaction: InPhase<'queued'>,
  { work, observation, policy }: Omit<Situation, 'now'>,
  decided: readonly Decision[],
): string | undefined {
  const empty = refusalOfEmpty(transaction, observation)
  if (empty !== undefined) return empty
  const forbidden = forbids(work.relayer, transaction.payload)
  // The policies changed after it was accepted.
  if (forbidden !== undefined) return sinceChanged(transaction, forbidden)
  const rules = gasRulesOf(policy.profile, observation)
  return (
    refusalOfGas(transaction.payload, observation.gasLimitMax, rules) ??
    refusalOfNewReceiver(transaction, { observation, rules, work, decided })
  )
}

/** The refusal of a payload that policies forbid. */
function sinceChanged(transaction: Transaction, forbidden: string): string {
  return wasCheckedWhole(transaction) ? `the policies changed since it was accepted: ${forbidden}` : forbidden
}

/**
 * A payload that nodes say would revert, or fail in another way. A client that names its gas limit takes that risk itself. Undefined: it
 * may go.
 */
function judgeFailure(
  transaction: InPhase<'queued'>,
  estimate: Estimate | undefined,
  kept: Reason | undefined,
  { balance, decided }: Purse,
  { work }: Omit<Situation, 'now'>,
): Offered | undefined {
  const { gasLimit, value } = transaction.payload
  if (estimate?.kind !== 'reverts' && estimate?.kind !== 'fails') return undefined
  if (gasLimit !== undefined || value > balance) return undefined
  // It may need an earlier transaction, an approval for example. Once it is first, its own result counts.
  const isAhead = inFlightOf(work).length > 0 || decided.some(({ do: what }) => what === 'assignNonce')
  const { reason: words } = estimate
  // The node's words are shown, and not the reserve's wait: a payload that fails by itself would say no more than that.
  if (estimate.kind === 'fails') {
    if (estimate.isLasting && !isAhead && !kept)
      return { is: 'refused', transaction, reason: `its gas can't be estimated: ${words}` }
    return {
      is: 'waits',
      transaction,
      reason: { condition: 'gas_unknown', facts: factsOfUnknownGas('send', estimate) },
    }
  }
  if (isAhead || kept)
    return { is: 'waits', transaction, reason: { condition: 'would_revert', facts: { of: 'send', words } } }
  return { is: 'refused', transaction, reason: `it would revert: ${words}` }
}

function fundedOffer(
  transaction: InPhase<'queued'>,
  gasLimit: Gas | undefined,
  estimate: Estimate | undefined,
  purse: Purse,
  { work: { relayer }, policy }: Omit<Situation, 'now'>,
): Offer | Reason {
  const { balance, wallet } = purse
  const market = withTipOf(purse.market, estimate)
  const { gasPriceCap } = relayer.policies
  const minBalance = minBalanceFor(transaction, relayer)
  const { pricing, value } = transaction.payload
  const fees = firstPrice(transaction, relayer, market, policy)
  const l1Fee = l1FeeOf(transaction.payload, market)
  const unpaid = value + l1Fee - wallet
  // No node estimates the gas of a value that the balance does not cover.
  if (gasLimit === undefined && unpaid > 0n)
    return explainShort(transaction, purse, { short: unpaid, l1Fee }, relayer, policy)
  if (gasLimit === undefined) return { condition: 'gas_unknown', facts: factsOfUnknownGas('send', estimate) }
  if (!fees) {
    const isNamed = pricing.kind !== 'speed'
    const price = isNamed ? feeCap(pricing) : roughly(market.baseFee ?? 0n)
    return { condition: 'gas_price_cap', facts: { of: 'send', cap: gasPriceCap, price, isNamed } }
  }
  if (balance < minBalance) return { condition: 'balance_below_minimum', facts: { balance, minBalance } }
  const short = upfrontCost(value + l1Fee, gasLimit, fees) - wallet
  return short > 0n ? explainShort(transaction, purse, { short, l1Fee, estimate }, relayer, policy) : { fees, gasLimit }
}

/** The shortage as a reason. With skip_unfunded it omits the balance, so that many rows need not be rewritten when it changes. */
function explainShort(
  { payload: { value, gasLimit } }: InPhase<'queued'>,
  { balance, counted }: Purse,
  { short, l1Fee, estimate }: { readonly short: Wei; readonly l1Fee: Wei; readonly estimate?: Estimate | undefined },
  { policies }: Relayer,
  { profile }: NetworkPolicy,
): Reason {
  const gasBetween = gasLimit === undefined ? gasBetweenIn(estimate) : undefined
  const missing = { value, paysL1: l1Fee > 0n, ...(gasBetween && { gasBetween }) }
  if (policies.skipUnfunded) return { condition: 'balance_short', facts: { of: 'passed', ...missing } }
  const lagBlocks = lagOf(profile)
  const isLate = lagBlocks > 0 && short <= balance - counted
  const facts = isLate
    ? ({ of: 'late', balance: counted, lagBlocks, ...missing } as const)
    : ({ of: 'send', balance, ...missing } as const)
  return { condition: 'balance_short', facts }
}
