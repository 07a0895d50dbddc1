// Assigns nonces to the queue. Nonces are bound late, lowest first, and no gap stays behind.
import { roughly } from '../../condition.ts'
import { type Fees, feeCap, type Market } from '../../fees.ts'
import { forbids } from '../../forbid.ts'
import { gasMaxOf } from '../../four-eyes.ts'
import { gasRulesOf, refusalOfGas } from '../../intrinsic-gas.ts'
import { l1FeeOf, lacksL1Fee } from '../../l1-fee.ts'
import { estimatedGas, type Observation } from '../../observation.ts'
import { isPaused, pauseFacts } from '../../pause.ts'
import type { NetworkPolicy, Relayer } from '../../relayer.ts'
import { type InPhase, isInPhase, type Transaction } from '../../transaction.ts'
import type { Gas, Nonce, Wei } from '../../units.ts'
import type { FactsOf, Reason } from '../../wait-facts.ts'
import { type Assignments, type Decision, type Explanation, explain, nothing } from '../plan/decision.ts'
import { type Fact, lacking } from '../plan/lacks.ts'
import { inFlightOf, type Situation, type Work } from '../plan/work.ts'
import { explainRefusedGapFiller, fillGaps, lookedAtMax } from '../rules/gap-fillers.ts'
import {
  type Before,
  blockedByGas,
  blockedByReserve,
  countedBalance,
  gasFundsOf,
  isBrief,
  lagOf,
} from '../rules/gas-reserve.ts'
import { paysAhead, refusalOfNewReceiver } from '../rules/new-receiver.ts'
import { limitReach } from '../rules/reach.ts'
import {
  blockedByPayment,
  boundValueOf,
  frontOf,
  isHeldByPause,
  isSweepWaiting,
  minBalanceFor,
  refusalOfEmpty,
  reserveBeside,
  wasCheckedWhole,
  withSweptValue,
} from '../rules/sweeps.ts'
import { firstPrice, withTipOf } from '../terms/first-price.ts'
import {
  type FreeNonces,
  foreignNonceUsableFrom,
  freeNonces,
  gapsBelow,
  highestWaiting,
  isPoolBeyond,
  lowestGap,
  mayUseForeignNonce,
} from '../terms/free-nonces.ts'
import { minedAhead, spendable, upfrontCost } from '../terms/funds.ts'
import { roomIn } from '../terms/window.ts'
import { explainPoolBeyond, explainPoolUnseen } from '../waits/explain-waits.ts'

export function assignNonces(situation: Omit<Situation, 'now'>): Assignments {
  const { work, observation, policy } = situation
  const { market, nonce, pendingNonce } = observation
  if (!market)
    return { ...nothing, decisions: explainFirst(work, { condition: 'facts_missing', facts: { fact: 'price' } }) }
  if (nonce < work.floor.spentBelow) return { ...nothing, decisions: explainBehind(work, nonce) }

  const free = freeNonces(work, observation, policy)
  const highest = highestWaiting(work)
  const gap = lowestGap(work, observation)
  if (gap !== undefined && pendingNonce === undefined && !mayUseForeignNonce(work, observation, policy)) {
    if (!observation.isPoolUnseen) return { ...nothing, lacks: lacking('pendingNonce') }
    return { ...nothing, decisions: waitForForeign(gap, situation) }
  }

  const { decisions, observeAgainAtOnce, lacks } = assignQueue(market, free, situation)
  if (lacks) return { ...nothing, lacks: lacking(lacks) }
  // The next observation may give a nonce to a queued transaction. Until then no no-op is paid for it.
  const gaps = observeAgainAtOnce ? [] : gapsBelow(highest, free, work, lookedAtMax(work))
  const filled = fillGaps(gaps, market, situation)
  if (filled.lacks) return { ...nothing, lacks: lacking(filled.lacks) }
  return {
    ...nothing,
    decisions: [...decisions, ...filled.decisions, ...explainRefusedGapFiller(work)],
    // A signer that fails would be called again and again.
    observeAgainAtOnce: observeAgainAtOnce || (filled.hasMore && !work.signing),
    isPoolBeyond: isPoolBeyond(work, observation),
  }
}

/**
 * Explains the wait for a foreign transaction that may have a gap's nonce where no pool shows one. A payload with this nonce would race
 * it, and one that loses begins anew only at finality. So the queue waits as long as for a visible foreign transaction. The
 * wait costs no time: nothing above the gap is mined before.
 */
function waitForForeign(gap: Nonce, { work, observation, policy }: Omit<Situation, 'now'>): Decision[] {
  const from = foreignNonceUsableFrom(work, observation, policy)
  const behind = inFlightOf(work).find(({ lifecycle }) => lifecycle.nonce > gap)
  const [next] = work.queued
  if (!behind || from === undefined) return []
  const explained = explainPoolUnseen(behind, gap, from)
  if (isPaused(work.relayer)) return [...explained, ...explainPaused(work)]
  return next ? [...explained, ...explainPoolUnseen(next, gap, from)] : explained
}

/** Whether the balance is a remembered one, and may have been topped up since. */
function isRemembered({ head, balanceReadAt }: Observation): boolean {
  return balanceReadAt !== undefined && balanceReadAt !== head.number
}

/** Explains that the node is behind the final part of the chain, so its next nonce is already spent. */
function explainBehind(work: Work, nonce: Nonce): Decision[] {
  return explainFirst(work, { condition: 'node_behind', facts: { nonce, settledBelow: work.floor.spentBelow } })
}

/** Explains the first of the queue only: the others wait for it. */
function explainFirst({ queued: [first] }: Work, reason: Reason): Decision[] {
  return first ? explain(first, reason) : []
}

/** Explains that a pause holds the first of the queue. A sweep does not wait for the end of the pause. */
function explainPaused(work: Work): Decision[] {
  const [first] = work.queued
  return first && !isHeldByPause(first)
    ? []
    : explainFirst(work, { condition: 'paused', facts: pauseFacts(work.relayer) })
}

interface Assigned {
  readonly decisions: Decision[]
  readonly observeAgainAtOnce: boolean
  readonly lacks?: Fact | undefined
}

function assignQueue(market: Market, free: FreeNonces, situation: Omit<Situation, 'now'>): Assigned {
  const { work, observation, policy } = situation
  const most = Math.min(roomIn(work, observation.delegated), work.bindsMax ?? Number.POSITIVE_INFINITY)
  const candidates = isSweepWaiting(work) ? [] : frontOf(work)
  if (isPaused(work.relayer) && candidates.length === 0)
    return { decisions: explainPaused(work), observeAgainAtOnce: false }
  const counted = countedBalance(work, observation, market, policy)
  const missing = most > 0 ? missingFact(market, counted, situation) : undefined
  if (missing !== undefined) {
    return {
      decisions: explainFirst(work, { condition: 'facts_missing', facts: { fact: missing } }),
      observeAgainAtOnce: false,
    }
  }
  return assignEach(candidates, { most, counted: counted ?? 0n }, market, free, situation)
}

/** Assigns nonces to candidates. `most`: how many may get one. `counted`: the part of the balance that pays for a transaction now. */
function assignEach(
  candidates: readonly Transaction[],
  limit: { readonly most: number; readonly counted: Wei },
  market: Market,
  free: FreeNonces,
  { work, observation, policy }: Omit<Situation, 'now'>,
): Assigned {
  const { balance = 0n } = observation
  const { counted } = limit
  let { most } = limit
  const { skipUnfunded = false } = work.relayer.policies
  const decisions: Decision[] = []
  /** Transactions that others pass, with `skip_unfunded`. */
  const passed: Explanation[] = []
  /** Where money is short: the balance may have been topped up since it was read. */
  const unlessRead: Fact | undefined = isRemembered(observation) ? 'balance' : undefined
  const stop = (explained: readonly Decision[]) => ({
    decisions: [...decisions, ...passed, ...explained],
    observeAgainAtOnce: false,
    lacks: passed.length > 0 ? unlessRead : undefined,
  })
  const isBeyond = isPoolBeyond(work, observation) && !mayUseForeignNonce(work, observation, policy)
  const reserve = candidates[0] ? reserveBeside(candidates[0], work.relayer, market, policy) : 0n
  let wallet = spendable(work, counted, market, reserve) - minedAhead(work, observation.nonce, market)
  let gasFunds = gasFundsOf(work, observation, policy)
  for (const stored of candidates) {
    if (most === 0) break
    if (!isInPhase(stored, 'queued')) continue
    most -= 1
    const transaction = withSweptValue(stored, wallet, market, { work, observation, policy })
    const refusal = refusalAtOnce(transaction, { work, observation, policy }, decisions)
    if (refusal !== undefined) {
      decisions.push({ do: 'refuse', transaction, reason: refusal })
      continue
    }
    const before = { nonce: free.peek(), balance: wallet + reserve, gasFunds }
    const funds = { balance, counted, wallet }
    const late = blockedByPayment(transaction, funds, policy)
    const kept = late ?? blockedByReserve(transaction.payload, before, { work, observation, policy })
    const estimate = observation.estimates.get(transaction.id)
    // A client that names its gas limit takes that risk itself.
    const { value } = transaction.payload
    if (estimate?.kind === 'reverts' && transaction.payload.gasLimit === undefined && value <= balance) {
      // It may need an earlier transaction, an approval for example. Once it is first, its own result counts.
      const isAhead = inFlightOf(work).length > 0 || decisions.some(({ do: what }) => what === 'assignNonce')
      if (isAhead || isBrief(kept))
        return stop(explain(transaction, { condition: 'would_revert', facts: { of: 'send', words: estimate.reason } }))
      decisions.push({ do: 'refuse', transaction, reason: `it would revert: ${estimate.reason}` })
      continue
    }
    const gasLimit = transaction.payload.gasLimit ?? estimatedGas(transaction, observation)
    // First in, first out: a transaction that can't go now holds back later ones.
    if (gasLimit === undefined && estimate === undefined) return { ...stop([]), observeAgainAtOnce: true }
    if (gasLimit !== undefined && gasLimit > gasMaxOf(work.relayer, stored)) {
      decisions.push({ do: 'hold', transaction: stored })
      continue
    }
    const priced = price(transaction, gasLimit, funds, work, withTipOf(market, estimate), policy)
    const offer = within(priced, kept, before, { work, observation, policy })
    if ('condition' in offer) {
      const { condition } = offer
      const skips = skipUnfunded && !isBrief(offer)
      if (skips && condition === 'balance_short') {
        passed.push(...explain(transaction, offer))
        most += 1
        continue
      }
      const isShort = condition === 'balance_below_minimum' || condition === 'balance_short'
      return { ...stop(explain(transaction, offer)), lacks: isShort ? unlessRead : undefined }
    }
    if (isBeyond) return stop(explainPoolBeyond(transaction, observation))
    const { isWithin, blockedBy, lacks } = limitReach(free.peek(), { work, observation })
    if (blockedBy) return stop(explain(transaction, blockedBy))
    if (!isWithin) return { ...stop([]), lacks }
    const bound = boundValueOf(stored, transaction)
    decisions.push({ do: 'assignNonce', transaction: stored, nonce: free.take(), ...offer, ...bound })
    wallet -= upfrontCost(value + l1FeeOf(transaction.payload, market), offer.gasLimit, offer.fees)
    if (gasFunds !== undefined) gasFunds -= upfrontCost(0n, offer.gasLimit, offer.fees)
  }
  const hasMoreRoom = decisions.some(({ do: what }) => what === 'refuse' || what === 'hold')
  // Once the passed transactions are on record, the next step loads those behind them.
  const observeAgainAtOnce =
    hasMoreRoom || passed.some(({ transaction }) => transaction.wait?.condition !== 'balance_short')
  return { ...stop([]), observeAgainAtOnce }
}

/** The fact that the step lacks. `counted`: the part of the balance that pays for a transaction now. */
function missingFact(
  market: Market,
  counted: Wei | undefined,
  { work, observation, policy }: Omit<Situation, 'now'>,
): FactsOf['facts_missing']['fact'] | undefined {
  if (work.queued.length > 0 && observation.balance === undefined) return 'balance'
  if (work.queued.length > 0 && counted === undefined) return 'laggedBalance'
  // Without the L1 fee the reserve can't be computed.
  return lacksL1Fee(policy.profile, market) ? 'l1Fee' : undefined
}

/** Why a transaction can never be sent as it is. It ends here, without a pool's word, so it does not block later ones. */
function refusalAtOnce(
  transaction: InPhase<'queued'>,
  { work, observation, policy }: Omit<Situation, 'now'>,
  decisions: readonly Decision[],
): string | undefined {
  const empty = refusalOfEmpty(transaction, observation)
  if (empty !== undefined) return empty
  const forbidden = forbids(work.relayer, transaction.payload)
  // The policies changed after it was accepted.
  if (forbidden !== undefined) return sinceChanged(transaction, forbidden)
  const rules = gasRulesOf(policy.profile, observation)
  return (
    refusalOfGas(transaction.payload, observation.gasLimitMax, rules) ??
    refusalOfNewReceiver(transaction, { observation, rules, ahead: paysAhead(work, decisions) })
  )
}

/** The refusal of a payload that policies forbid. */
function sinceChanged(transaction: Transaction, forbidden: string): string {
  return wasCheckedWhole(transaction) ? `the policies changed since it was accepted: ${forbidden}` : forbidden
}

interface Offer {
  readonly fees: Fees
  readonly gasLimit: Gas
}

/** The offer, unless the chain would let it wait, or revert. */
function within(
  offer: Offer | Reason,
  kept: Reason | undefined,
  before: Before,
  situation: Omit<Situation, 'now'>,
): Offer | Reason {
  if ('condition' in offer) return offer
  return kept ?? blockedByGas(upfrontCost(0n, offer.gasLimit, offer.fees), before, situation) ?? offer
}

/** Funds of the account. `counted`: the balance that pays for a transaction now. `wallet`: the rest after the transactions before it. */
interface Funds {
  readonly balance: Wei
  readonly counted: Wei
  readonly wallet: Wei
}

function price(
  transaction: InPhase<'queued'>,
  gasLimit: Gas | undefined,
  funds: Funds,
  { relayer }: Work,
  market: Market,
  policy: NetworkPolicy,
): Offer | Reason {
  const { balance, wallet } = funds
  const { gasPriceCap } = relayer.policies
  const minBalance = minBalanceFor(transaction, relayer)
  const { pricing, value } = transaction.payload
  const fees = firstPrice(transaction, relayer, market, policy)
  const l1Fee = l1FeeOf(transaction.payload, market)
  const unpaid = value + l1Fee - wallet
  // No node estimates the gas of a value that the balance does not cover.
  if (gasLimit === undefined && unpaid > 0n)
    return explainShort(transaction, funds, { short: unpaid, l1Fee }, relayer, policy)
  if (gasLimit === undefined) {
    return { condition: 'gas_unknown', facts: { of: 'send' } }
  }
  if (!fees) {
    const isNamed = pricing.kind !== 'speed'
    const price = isNamed ? feeCap(pricing) : roughly(market.baseFee ?? 0n)
    return { condition: 'gas_price_cap', facts: { of: 'send', cap: gasPriceCap, price, isNamed } }
  }
  if (balance < minBalance) return { condition: 'balance_below_minimum', facts: { balance, minBalance } }
  const short = upfrontCost(value + l1Fee, gasLimit, fees) - wallet
  return short > 0n ? explainShort(transaction, funds, { short, l1Fee }, relayer, policy) : { fees, gasLimit }
}

/** The shortage as a reason. With skip_unfunded it omits the balance, so that many rows need not be rewritten when it changes. */
function explainShort(
  { payload: { value } }: InPhase<'queued'>,
  { balance, counted }: Funds,
  { short, l1Fee }: { readonly short: Wei; readonly l1Fee: Wei },
  { policies }: Relayer,
  { profile }: NetworkPolicy,
): Reason {
  const missing = { value, short: roughly(short), paysL1: l1Fee > 0n }
  if (policies.skipUnfunded) return { condition: 'balance_short', facts: { of: 'passed', ...missing } }
  const lagBlocks = lagOf(profile)
  const isLate = lagBlocks > 0 && short <= balance - counted
  const facts = isLate
    ? ({ of: 'late', balance: counted, lagBlocks, ...missing } as const)
    : ({ of: 'send', balance, ...missing } as const)
  return { condition: 'balance_short', facts }
}
