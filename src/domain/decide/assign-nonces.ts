// Assigns nonces to the queue. Nonces are bound late, lowest first, and no gap stays behind.
import { type Condition, roughly } from '../condition.ts'
import { type Fees, feeCap, firstFees, lowered, type Market, marketFees, withLeastTip } from '../fees.ts'
import { forbids } from '../forbid.ts'
import { l1FeeOf } from '../l1-fee.ts'
import { noOpGasLimit } from '../no-op.ts'
import type { Observation } from '../observation.ts'
import type { NetworkPolicy, Relayer } from '../relayer.ts'
import { type InPhase, isInPhase } from '../transaction.ts'
import type { Gas, Nonce, Wei } from '../units.ts'
import { type Assignments, type Decision, type Explanation, explain } from './decision.ts'
import { blocksOurs, type FreeNonces, freeNonces, highestWaiting, lowestGap, takenFrom } from './free-nonces.ts'
import { minedAhead, spendable, upfrontCost, usesEip1559 } from './funds.ts'
import { explainPoolUnseen, explainUnestimatedGapFiller } from './hindrance.ts'
import { explainRefusedGapFiller, makeWay } from './refused-gap-filler.ts'
import type { Situation } from './situation.ts'
import { inFlightOf, openRoomIn, roomIn, type Work } from './work.ts'

export function assignNonces(situation: Omit<Situation, 'now'>): Assignments {
  const { work, observation, policy } = situation
  const { market, nonce, pendingNonce } = observation
  const wait: Assignments = { decisions: [], needsPendingNonce: false, needsBalance: false, again: false }
  if (!market)
    return { ...wait, decisions: explainFirst(work, 'facts_missing', 'waits: no node reports the price of gas') }
  if (nonce < work.floor.spentBelow) return { ...wait, decisions: explainBehind(work, nonce) }

  const free = freeNonces(work, observation, policy)
  const highest = highestWaiting(work)
  const gap = lowestGap(work, observation)
  if (gap !== undefined && pendingNonce === undefined && !blocksOurs(work, observation, policy)) {
    if (!observation.isPoolUnseen) return { ...wait, needsPendingNonce: true }
    return { ...wait, decisions: waitForForeign(gap, situation) }
  }

  const { decisions, again, lacksFunds } = assignQueue(market, free, situation)
  if (lacksFunds && isRemembered(observation)) return { ...wait, needsBalance: true }
  const gaps: Decision[] = []
  // The next observation may give a nonce to a queued transaction. Until then no no-op is paid for it.
  const gasLimit = noOpGasLimit(market, policy.profile)
  while (!again && free.peek() < highest) {
    const nonce = free.take()
    // This nonce has a gap filler that nodes refuse. They would refuse another.
    if (free.gapFillerAt(nonce)) continue
    if (gasLimit === undefined) {
      gaps.push(...explainUnestimatedGapFiller(work, nonce))
      break
    }
    gaps.push({ do: 'fillGap', nonce, fees: gapFillerFees(work.relayer, market, policy), gasLimit })
  }
  const madeWay = decisions.some((each) => each.do === 'refuse' && each.transaction.origin === 'gap')
  return { ...wait, decisions: [...decisions, ...gaps, ...(madeWay ? [] : explainRefusedGapFiller(work))], again }
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

/** A gap filler is a no-op, so the no-ops' cap limits it. */
export function gapFillerFees(relayer: Relayer, market: Market, policy: NetworkPolicy): Fees {
  return lowered(marketFees(market, 'fast', usesEip1559(relayer, policy)), relayer.policies.cancelGasPriceCap)
}

/** A remembered balance may have been topped up since. */
function isRemembered({ head, balanceReadAt }: Observation): boolean {
  return balanceReadAt !== undefined && balanceReadAt !== head.number
}

/** The node is behind the settled part of the chain, so its next nonce is already spent. */
function explainBehind(work: Work, nonce: Nonce): Decision[] {
  const explained = `waits: the node reports nonce ${nonce}, but every nonce below ${work.floor.spentBelow} is settled; it is behind, or its chain was reset and needs a DATABASE_URL of its own`
  return explainFirst(work, 'node_behind', explained)
}

/** Explains the first of the queue only: the others wait for it. */
function explainFirst({ queued: [first] }: Work, condition: Condition, reason: string): Decision[] {
  return first ? explain(first, condition, reason) : []
}

function explainPaused(work: Work): Decision[] {
  return explainFirst(work, 'paused', 'waits: the relayer is paused; unpause it, or cancel this')
}

function assignQueue(
  market: Market,
  free: FreeNonces,
  { work, observation, policy }: Omit<Situation, 'now'>,
): { decisions: Decision[]; again: boolean; lacksFunds?: boolean } {
  const { balance } = observation
  let most = Math.min(roomIn(work, observation.delegated), work.bindsMax ?? Number.POSITIVE_INFINITY)
  if (work.relayer.paused) return { decisions: explainPaused(work), again: false }
  if (most > 0 && work.queued.length > 0 && balance === undefined) {
    return { decisions: explainFirst(work, 'facts_missing', 'waits: no node reports the balance'), again: false }
  }
  // Without it a send could spend the reserve.
  if (most > 0 && policy.profile.l1Fee === 'op_stack' && market.noOpL1Fee === undefined) {
    const reason = 'waits: no node reports the fee for data on L1'
    return { decisions: explainFirst(work, 'facts_missing', reason), again: false }
  }
  const { skipUnfunded = false } = work.relayer.policies
  const decisions: Decision[] = []
  /** With `skip_unfunded`. */
  const passed: Explanation[] = []
  const stop = (explained: readonly Decision[]) => ({
    decisions: [...decisions, ...passed, ...explained],
    again: false,
    lacksFunds: passed.length > 0,
  })
  let room = openRoomIn(work, observation.delegated)
  let wallet = spendable(work, balance ?? 0n, market, policy) - minedAhead(work, observation.nonce, market)
  for (const transaction of work.queued) {
    if (most === 0) break
    if (!isInPhase(transaction, 'queued')) continue
    most -= 1
    // The policies changed after it was accepted. It ends here, so it does not hold up later transactions.
    const forbidden = forbids(work.relayer.policies, transaction.payload)
    if (forbidden !== undefined) {
      decisions.push({ do: 'refuse', transaction, reason: `the policies changed since it was accepted: ${forbidden}` })
      continue
    }
    const estimate = observation.estimates.get(transaction.id)
    // A client that names its gas limit takes that risk itself.
    const { value } = transaction.payload
    if (estimate?.kind === 'reverts' && transaction.payload.gasLimit === undefined && value <= (balance ?? 0n)) {
      // It may need an earlier transaction, an approval for example. Once it is first, its own result counts.
      const isAhead = inFlightOf(work).length > 0 || decisions.some(({ do: what }) => what === 'assignNonce')
      const reason = `waits for the transactions in flight: it would revert now: ${estimate.reason}`
      if (isAhead) return stop(explain(transaction, 'would_revert', reason))
      decisions.push({ do: 'refuse', transaction, reason: `it would revert: ${estimate.reason}` })
      continue
    }
    const gasLimit = transaction.payload.gasLimit ?? (estimate?.kind === 'gas' ? estimate.gas : undefined)
    // First in, first out: a transaction that can't go now holds back later ones.
    if (gasLimit === undefined && estimate === undefined) return { ...stop([]), again: true }
    const least = estimate?.kind === 'gas' ? estimate.tip : undefined
    const offer = price(transaction, gasLimit, balance ?? 0n, wallet, work, withLeastTip(market, least), policy)
    if ('reason' in offer) {
      const { condition, reason } = offer
      if (skipUnfunded && condition === 'balance_short') {
        passed.push({ do: 'explain', transaction, condition, reason })
        most += 1
        continue
      }
      const lacksFunds = condition === 'balance_below_minimum' || condition === 'balance_short'
      return { ...stop(explain(transaction, condition, reason)), lacksFunds }
    }
    // Without room only a gap filler's nonce is available: it passes from the gap filler to the transaction.
    if (room === 0 && !free.gapFillerAt(free.peek())) break
    const nonce = free.take()
    const gapFiller = free.gapFillerAt(nonce)
    if (gapFiller) decisions.push(makeWay(gapFiller))
    else room -= 1
    decisions.push({ do: 'assignNonce', transaction, nonce, ...offer })
    wallet -= upfrontCost(value + l1FeeOf(transaction.payload, market), offer.gasLimit, offer.fees)
  }
  const refused = decisions.some((each) => each.do === 'refuse' && each.transaction.origin === 'client')
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
): { fees: Fees; gasLimit: Gas } | { condition: Condition; reason: string } {
  const { minBalance, gasPriceCap, eip1559Pricing } = relayer.policies
  const { pricing, value } = transaction.payload
  const fees = firstFees(pricing, market, policy.eip1559 && eip1559Pricing, gasPriceCap)
  const l1Fee = l1FeeOf(transaction.payload, market)
  const unpaid = value + l1Fee - wallet
  // No node estimates the gas of a value that the balance does not cover.
  if (gasLimit === undefined && unpaid > 0n) return explainShort(transaction, balance, unpaid, l1Fee, relayer)
  if (gasLimit === undefined) {
    return {
      condition: 'gas_unknown',
      reason: 'waits: the node could not estimate its gas; cancel it and send it with a gas_limit, if this lasts',
    }
  }
  if (!fees) {
    const tooDear =
      pricing.kind === 'speed'
        ? `the base fee (up to ${roughly(market.baseFee ?? 0n)} wei)`
        : `its own fee (${feeCap(pricing)} wei)`
    const reason = `waits: ${tooDear} is above gas_price_cap (${gasPriceCap} wei): raise the cap, wait, or cancel it`
    return { condition: 'gas_price_cap', reason }
  }
  if (balance < minBalance) {
    const reason = `waits: the balance (${balance} wei) is below min_balance (${minBalance} wei): top it up by ${minBalance - balance} wei`
    return { condition: 'balance_below_minimum', reason }
  }
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
): { condition: Condition; reason: string } {
  const onL1 = l1Fee > 0n ? ', its fee for data on L1' : ''
  const cost = `its value (${value} wei)${onL1} and gas beside the transactions in flight and cancel_reserve`
  const reason = policies.skipUnfunded
    ? `waits: the balance does not cover ${cost}, and later transactions pass it (skip_unfunded): top it up by ${roughly(short)} wei`
    : `waits: the balance (${balance} wei) does not cover ${cost}: top it up by ${roughly(short)} wei`
  return { condition: 'balance_short', reason }
}
