// Assigns nonces to the queue. Nonces are bound late, lowest first, and no gap stays behind.
import { roughly } from '../../condition.ts'
import { estimatedGas } from '../../estimated-gas.ts'
import { type Fees, feeCap, firstFees, lowered, type Market, marketFees } from '../../fees.ts'
import { forbids } from '../../forbid.ts'
import { gasRulesOf, refusalOfGas } from '../../intrinsic-gas.ts'
import { l1FeeOf } from '../../l1-fee.ts'
import { withLeastTip } from '../../least-tip.ts'
import { noOpGasLimit } from '../../no-op.ts'
import type { Observation } from '../../observation.ts'
import { priceCeiling } from '../../price-ceiling.ts'
import type { NetworkPolicy, Relayer } from '../../relayer.ts'
import { type InPhase, isInPhase } from '../../transaction.ts'
import type { Gas, Nonce, Wei } from '../../units.ts'
import type { Reason } from '../../wait-facts.ts'
import { type Assignments, type Decision, type Explanation, explain } from '../plan/decision.ts'
import type { Situation } from '../plan/situation.ts'
import { inFlightOf, type Work } from '../plan/work.ts'
import { explainPoolBeyond, explainPoolUnseen, explainUnestimatedGapFiller } from '../waits/hindrance.ts'
import {
  type FreeNonces,
  freeNonces,
  gapsBelow,
  highestWaiting,
  isPoolBeyond,
  lowestGap,
  takenFrom,
  takesFromForeign,
} from './free-nonces.ts'
import { minedAhead, spendable, upfrontCost, usesEip1559 } from './funds.ts'
import { explainHeldGap, type Filling, fillsPerStepMax, limitGapFillers } from './limit-gap-fillers.ts'
import { limitReach, type Reach } from './limit-reach.ts'
import { paysAhead, refusalOfNewReceiver } from './new-receiver.ts'
import { explainRefusedGapFiller } from './refused-gap-filler.ts'
import { roomIn } from './window.ts'

export function assignNonces(situation: Omit<Situation, 'now'>): Assignments {
  const { work, observation, policy } = situation
  const { market, nonce, pendingNonce } = observation
  const wait: Assignments = { decisions: [], needsPendingNonce: false, needsBalance: false, again: false }
  if (!market)
    return { ...wait, decisions: explainFirst(work, { condition: 'facts_missing', facts: { fact: 'price' } }) }
  if (nonce < work.floor.spentBelow) return { ...wait, decisions: explainBehind(work, nonce) }

  const free = freeNonces(work, observation, policy)
  const highest = highestWaiting(work)
  const gap = lowestGap(work, observation)
  if (gap !== undefined && pendingNonce === undefined && !takesFromForeign(work, observation, policy)) {
    if (!observation.isPoolUnseen) return { ...wait, needsPendingNonce: true }
    return { ...wait, decisions: waitForForeign(gap, situation) }
  }

  const { decisions, again, lacksFunds, lacked } = assignQueue(market, free, situation)
  if (lacked) return { ...wait, ...needsOf(lacked) }
  if (lacksFunds && isRemembered(observation)) return { ...wait, needsBalance: true }
  const gaps: Decision[] = []
  // The next observation may give a nonce to a queued transaction. Until then no no-op is paid for it.
  const gasLimit = noOpGasLimit(market, policy.profile)
  const open = again ? [] : gapsBelow(highest, free, work, (work.gapRecord?.perStepMax ?? fillsPerStepMax) + 1)
  const [lowest] = open
  if (lowest !== undefined && gasLimit === undefined) gaps.push(...explainUnestimatedGapFiller(work, lowest))
  const filling = limitGapFillers(gasLimit === undefined ? [] : open, { work, observation })
  const needs = needsOf(filling)
  if (Object.values(needs).includes(true)) return { ...wait, ...needs }
  if (gasLimit !== undefined) gaps.push(...fillGaps(filling, gapFillerFees(work.relayer, market, policy), gasLimit))
  gaps.push(...explainHeldGap(filling.held, work))
  const explained = [...gaps, ...explainRefusedGapFiller(work)]
  // A signer that fails would be called again and again.
  const isNext = filling.hasMore && !work.signing
  return {
    ...wait,
    decisions: [...decisions, ...explained],
    again: again || isNext,
    isPoolBeyond: isPoolBeyond(work, observation),
  }
}

export function needsOf({
  needsGapRecord = false,
  needsSecondCount = false,
  needsShownNonce = false,
}: Pick<Filling, 'needsGapRecord' | 'needsSecondCount' | 'needsShownNonce'>) {
  return { needsGapRecord, needsSecondCount, needsShownNonce }
}

export function fillGaps({ fill }: Filling, fees: Fees, gasLimit: Gas): Decision[] {
  return fill.map((each) => ({ do: 'fillGap', ...each, fees, gasLimit }))
}

/**
 * If no pool explains a gap, a foreign transaction may wait for its nonce. Whatever takes the nonce races that one, and
 * a payload that loses begins anew only at finality. So the queue waits as long as it would for a visible foreign
 * transaction. The wait costs no time: nothing above the gap is mined before.
 */
function waitForForeign(gap: Nonce, { work, observation, policy }: Omit<Situation, 'now'>): Decision[] {
  const from = takenFrom(work, observation, policy)
  const behind = inFlightOf(work).find(({ lifecycle }) => lifecycle.nonce > gap)
  const [next] = work.queued
  if (!behind || from === undefined) return []
  const explained = explainPoolUnseen(behind, gap, from)
  if (work.relayer.paused) return [...explained, ...explainPaused(work)]
  return next ? [...explained, ...explainPoolUnseen(next, gap, from)] : explained
}

/** A gap filler is a no-op, so the no-ops' cap limits it, or the ceiling. */
export function gapFillerFees(relayer: Relayer, market: Market, policy: NetworkPolicy): Fees {
  const most = relayer.policies.cancelGasPriceCap ?? priceCeiling(market, 'fast', 'noOp', policy.profile)
  return lowered(marketFees(market, 'fast', usesEip1559(relayer, policy)), most)
}

/** A remembered balance may have been topped up since. */
function isRemembered({ head, balanceReadAt }: Observation): boolean {
  return balanceReadAt !== undefined && balanceReadAt !== head.number
}

/** The node is behind the settled part of the chain, so its next nonce is already spent. */
function explainBehind(work: Work, nonce: Nonce): Decision[] {
  return explainFirst(work, { condition: 'node_behind', facts: { nonce, settledBelow: work.floor.spentBelow } })
}

/** Explains the first of the queue only: the others wait for it. */
function explainFirst({ queued: [first] }: Work, reason: Reason): Decision[] {
  return first ? explain(first, reason) : []
}

function explainPaused(work: Work): Decision[] {
  return explainFirst(work, { condition: 'paused', facts: {} })
}

function assignQueue(
  market: Market,
  free: FreeNonces,
  { work, observation, policy }: Omit<Situation, 'now'>,
): { decisions: Decision[]; again: boolean; lacksFunds?: boolean; lacked?: Reach } {
  const { balance } = observation
  let most = Math.min(roomIn(work, observation.delegated), work.bindsMax ?? Number.POSITIVE_INFINITY)
  if (work.relayer.paused) return { decisions: explainPaused(work), again: false }
  if (most > 0 && work.queued.length > 0 && balance === undefined) {
    return { decisions: explainFirst(work, { condition: 'facts_missing', facts: { fact: 'balance' } }), again: false }
  }
  // Without it a send could spend the reserve.
  if (most > 0 && policy.profile.l1Fee === 'op_stack' && market.noOpL1Fee === undefined) {
    return { decisions: explainFirst(work, { condition: 'facts_missing', facts: { fact: 'l1Fee' } }), again: false }
  }
  const rules = gasRulesOf(policy.profile, observation)
  const { skipUnfunded = false } = work.relayer.policies
  const decisions: Decision[] = []
  /** With `skip_unfunded`. */
  const passed: Explanation[] = []
  const stop = (explained: readonly Decision[]) => ({
    decisions: [...decisions, ...passed, ...explained],
    again: false,
    lacksFunds: passed.length > 0,
  })
  const isBeyond = isPoolBeyond(work, observation) && !takesFromForeign(work, observation, policy)
  let wallet = spendable(work, balance ?? 0n, market, policy) - minedAhead(work, observation.nonce, market)
  for (const transaction of work.queued) {
    if (most === 0) break
    if (!isInPhase(transaction, 'queued')) continue
    most -= 1
    // The policies changed after it was accepted. It ends here, so it does not hold up later transactions.
    const forbidden = forbids(work.relayer, transaction.payload)
    if (forbidden !== undefined) {
      decisions.push({ do: 'refuse', transaction, reason: `the policies changed since it was accepted: ${forbidden}` })
      continue
    }
    // No pool has to say so.
    const unfit = refusalOfGas(transaction.payload, observation.gasLimitMax, rules)
    if (unfit !== undefined) {
      decisions.push({ do: 'refuse', transaction, reason: unfit })
      continue
    }
    const short = refusalOfNewReceiver(transaction, { observation, rules, ahead: paysAhead(work, decisions) })
    if (short !== undefined) {
      decisions.push({ do: 'refuse', transaction, reason: short })
      continue
    }
    const estimate = observation.estimates.get(transaction.id)
    // A client that names its gas limit takes that risk itself.
    const { value } = transaction.payload
    if (estimate?.kind === 'reverts' && transaction.payload.gasLimit === undefined && value <= (balance ?? 0n)) {
      // It may need an earlier transaction, an approval for example. Once it is first, its own result counts.
      const isAhead = inFlightOf(work).length > 0 || decisions.some(({ do: what }) => what === 'assignNonce')
      if (isAhead)
        return stop(explain(transaction, { condition: 'would_revert', facts: { of: 'send', words: estimate.reason } }))
      decisions.push({ do: 'refuse', transaction, reason: `it would revert: ${estimate.reason}` })
      continue
    }
    const gasLimit = transaction.payload.gasLimit ?? estimatedGas(transaction, observation)
    // First in, first out: a transaction that can't go now holds back later ones.
    if (gasLimit === undefined && estimate === undefined) return { ...stop([]), again: true }
    const least = estimate?.kind === 'gas' ? estimate.tip : undefined
    const offer = price(transaction, gasLimit, balance ?? 0n, wallet, work, withLeastTip(market, least), policy)
    if ('condition' in offer) {
      const { condition } = offer
      if (skipUnfunded && condition === 'balance_short') {
        passed.push(...explain(transaction, offer))
        most += 1
        continue
      }
      const lacksFunds = condition === 'balance_below_minimum' || condition === 'balance_short'
      return { ...stop(explain(transaction, offer)), lacksFunds }
    }
    if (isBeyond) return stop(explainPoolBeyond(transaction, observation))
    const { isWithin, held, ...needs } = limitReach(free.peek(), { work, observation })
    if (held) return stop(explain(transaction, held))
    if (!isWithin) return { ...stop([]), lacked: { isWithin, ...needs } }
    decisions.push({ do: 'assignNonce', transaction, nonce: free.take(), ...offer })
    wallet -= upfrontCost(value + l1FeeOf(transaction.payload, market), offer.gasLimit, offer.fees)
  }
  const refused = decisions.some(({ do: what }) => what === 'refuse')
  // Once this is on record, the next step loads the transactions behind it.
  const again = refused || passed.some(({ transaction }) => transaction.wait?.condition !== 'balance_short')
  return { ...stop([]), again }
}

function price(
  transaction: InPhase<'queued'>,
  gasLimit: Gas | undefined,
  balance: Wei,
  wallet: Wei,
  { relayer }: Work,
  market: Market,
  policy: NetworkPolicy,
): { fees: Fees; gasLimit: Gas } | Reason {
  const { minBalance, gasPriceCap, eip1559Pricing } = relayer.policies
  const { pricing, value } = transaction.payload
  // Fees that the client named have no ceiling.
  const ceiling = pricing.kind === 'speed' ? priceCeiling(market, pricing.speed, 'payload', policy.profile) : undefined
  const fees = firstFees(pricing, market, policy.eip1559 && eip1559Pricing, gasPriceCap ?? ceiling)
  const l1Fee = l1FeeOf(transaction.payload, market)
  const unpaid = value + l1Fee - wallet
  // No node estimates the gas of a value that the balance does not cover.
  if (gasLimit === undefined && unpaid > 0n) return explainShort(transaction, balance, unpaid, l1Fee, relayer)
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
  return short > 0n ? explainShort(transaction, balance, short, l1Fee, relayer) : { fees, gasLimit }
}

/** Many may be passed, and each change of a text is a write: their texts do not follow the balance. */
function explainShort(
  { payload: { value } }: InPhase<'queued'>,
  balance: Wei,
  short: Wei,
  l1Fee: Wei,
  { policies }: Relayer,
): Reason {
  const missing = { value, short: roughly(short), paysL1: l1Fee > 0n }
  const facts = policies.skipUnfunded
    ? ({ of: 'passed', ...missing } as const)
    : ({ of: 'send', balance, ...missing } as const)
  return { condition: 'balance_short', facts }
}
