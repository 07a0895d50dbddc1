// Assigns nonces to the queue. Nonces are bound late, lowest first, and no gap stays behind.
import { isOfMoney } from '../../condition.ts'
import type { Market } from '../../fees.ts'
import { l1FeeOf, lacksL1Fee } from '../../l1-fee.ts'
import { isPaused, pauseFacts } from '../../pause.ts'
import { type InPhase, isInPhase, type Transaction } from '../../transaction.ts'
import type { Nonce, Wei } from '../../units.ts'
import type { FactsOf, Reason } from '../../wait-facts.ts'
import { type Assignments, type Decision, type Explanation, explain, nothing } from '../plan/decision.ts'
import { lacking } from '../plan/lacks.ts'
import type { Situation, Work } from '../plan/work.ts'
import { roomOnArrival } from '../rules/arrival-order.ts'
import { awaitHidden, blockingPool, leftToOthers } from '../rules/foreign-nonces.ts'
import { explainRefusedGapFiller, fillGaps, lookedAtMax } from '../rules/gap-fillers.ts'
import { countedBalance, gasFundsOf } from '../rules/gas-reserve.ts'
import { boundValueOf, frontOf, isSweepWaiting, obeysPause, reserveBeside } from '../rules/sweeps.ts'
import { type FreeNonces, freeNonces, highestWaiting, lowestGap } from '../terms/free-nonces.ts'
import { isRemembered, minedAhead, paidBelow, spendable, upfrontCost } from '../terms/funds.ts'
import { roomIn } from '../terms/window.ts'
import { nodeBehind } from '../waits/no-progress.ts'
import { type Offer, type Offered, offerFor, type Purse } from './offer.ts'

export function assignNonces(situation: Situation): Assignments {
  const { work, observation } = situation
  const { market, nonce } = observation
  if (!market)
    return { ...nothing, decisions: explainFirst(work, { condition: 'facts_missing', facts: { fact: 'price' } }) }
  if (nonce < work.floor.spentBelow) return { ...nothing, decisions: explainFirst(work, nodeBehind(work, observation)) }

  const free = freeNonces(work, observation, leftToOthers(situation))
  const highest = highestWaiting(work)
  const gap = lowestGap(work, observation)
  const hidden = gap === undefined ? undefined : awaitHidden(gap, situation)
  if (hidden === 'unread') return { ...nothing, lacks: lacking('pendingNonce') }
  if (hidden) return { ...nothing, decisions: [...hidden, ...(isPaused(work.relayer) ? explainPaused(work) : [])] }

  const assigned = assignQueue(market, free, situation)
  if (assigned.lacks.size > 0) return { ...nothing, lacks: assigned.lacks }
  // The next observation may give a nonce to a queued transaction. Until then no no-op is paid for it.
  const gaps = assigned.observeAgainAtOnce ? [] : free.lowestBelow(highest, lookedAtMax(work))
  const filled = fillGaps(gaps, market, situation)
  if (filled.lacks.size > 0) return { ...nothing, lacks: filled.lacks }
  return {
    ...nothing,
    decisions: [...assigned.decisions, ...filled.decisions, ...explainRefusedGapFiller(work)],
    // A signer that fails would be called again and again.
    observeAgainAtOnce: assigned.observeAgainAtOnce || (filled.observeAgainAtOnce && !work.signing),
  }
}

/** Explains the first of the queue only: the others wait for it. */
function explainFirst({ queued: [first] }: Work, reason: Reason): Decision[] {
  return first ? explain(first, reason) : []
}

/** Explains that a pause holds the first of the queue. A sweep does not wait for the end of the pause. */
function explainPaused(work: Work): Decision[] {
  const [first] = work.queued
  return first && !obeysPause(first) ? [] : explainFirst(work, { condition: 'paused', facts: pauseFacts(work.relayer) })
}

function assignQueue(market: Market, free: FreeNonces, situation: Situation): Assignments {
  const { work, observation, policy } = situation
  const room = roomIn(work, roomOnArrival(work, observation, policy.profile))
  const most = Math.min(room, work.bindsMax ?? Number.POSITIVE_INFINITY)
  const candidates = isSweepWaiting(work) ? [] : frontOf(work)
  if (isPaused(work.relayer) && candidates.length === 0) return { ...nothing, decisions: explainPaused(work) }
  const counted = countedBalance(work, observation, market, policy)
  const missing = most > 0 ? missingFact(market, counted, situation) : undefined
  if (missing !== undefined)
    return { ...nothing, decisions: explainFirst(work, { condition: 'facts_missing', facts: { fact: missing } }) }
  const purse = purseOf(candidates[0], counted ?? 0n, market, free.peek(), situation)
  return assignEach(candidates, most, purse, free, situation)
}

/** Assigns nonces to candidates, first in, first out: one that can't go now holds back later ones. `most`: how many may get one. */
function assignEach(
  candidates: readonly Transaction[],
  most: number,
  first: Omit<Purse, 'decided'>,
  free: FreeNonces,
  situation: Situation,
): Assignments {
  const { work, observation } = situation
  // One list for all: a copy for each of a thousand would cost more than the decisions.
  const decided: Decision[] = []
  let [purse, left]: [Purse, number] = [{ ...first, decided }, most]
  /** Transactions that others pass, with `skip_unfunded`. */
  const passed: Explanation[] = []
  const stop = (explained: readonly Decision[], isShort = passed.length > 0): Assignments =>
    // The balance may have been topped up since it was read.
    isShort && isRemembered(observation)
      ? { ...nothing, lacks: lacking('balance') }
      : { ...nothing, decisions: [...decided, ...passed, ...explained] }
  for (const stored of candidates) {
    if (left === 0) break
    if (!isInPhase(stored, 'queued')) continue
    left -= 1
    const offered = offerFor(stored, purse, situation)
    const { transaction } = offered
    switch (offered.is) {
      case 'refused':
        decided.push({ do: 'refuse', transaction, reason: offered.reason })
        break
      case 'held':
        decided.push({ do: 'hold', transaction: stored })
        break
      case 'unknown':
        return offered.lacks ? { ...nothing, lacks: lacking(offered.lacks) } : { ...stop([]), observeAgainAtOnce: true }
      case 'waits': {
        const { reason } = offered
        if (!mayBePassed(reason, work))
          return stop(explain(transaction, reason), passed.length > 0 || isOfMoney(reason))
        passed.push({ do: 'explain', transaction, ...reason, isPassed: true })
        left += 1
        break
      }
      case 'offer':
        decided.push(assignment(stored, offered, free.take()))
        purse = paidFrom(purse, offered, free.peek())
    }
  }
  const hasMoreRoom = decided.some(({ do: what }) => what === 'refuse' || what === 'hold')
  // Once the passed transactions are on record, the next step loads those behind them.
  const isNews = passed.some(({ transaction }) => transaction.wait?.condition !== 'balance_short')
  return { ...stop([]), observeAgainAtOnce: hasMoreRoom || isNews }
}

/** The purse before the first transaction of the queue. */
function purseOf(
  first: Transaction | undefined,
  counted: Wei,
  market: Market,
  nonce: Nonce,
  situation: Situation,
): Omit<Purse, 'decided'> {
  const { work, observation, policy } = situation
  const reserve = first ? reserveBeside(first, work.relayer, market, policy) : 0n
  return {
    market,
    nonce,
    balance: observation.balance ?? 0n,
    counted,
    wallet:
      spendable(work, counted, market, reserve, paidBelow(observation)) - minedAhead(work, observation.nonce, market),
    reserve,
    gasFunds: gasFundsOf(work, observation, policy),
    blockedByPool: blockingPool(situation),
  }
}

function assignment(
  stored: InPhase<'queued'>,
  { transaction, fees, gasLimit }: Offer & Pick<Offered, 'transaction'>,
  nonce: Nonce,
): Decision {
  return { do: 'assignNonce', transaction: stored, nonce, fees, gasLimit, ...boundValueOf(stored, transaction) }
}

/** The purse after an offer is paid. `nonce`: the next free one. */
function paidFrom(
  purse: Purse,
  { transaction: { payload }, fees, gasLimit }: Offer & Pick<Offered, 'transaction'>,
  nonce: Nonce,
): Purse {
  const gas = upfrontCost(0n, gasLimit, fees)
  return {
    ...purse,
    nonce,
    wallet: purse.wallet - gas - payload.value - l1FeeOf(payload, purse.market),
    gasFunds: purse.gasFunds === undefined ? undefined : purse.gasFunds - gas,
  }
}

/** Whether others pass a transaction that waits for this reason. */
function mayBePassed(reason: Reason, { relayer }: Work): boolean {
  return relayer.policies.skipUnfunded === true && reason.condition === 'balance_short'
}

/** The fact that the step lacks. `counted`: the part of the balance that pays for a transaction now. */
function missingFact(
  market: Market,
  counted: Wei | undefined,
  { work, observation, policy }: Situation,
): FactsOf['facts_missing']['fact'] | undefined {
  if (work.queued.length > 0 && observation.balance === undefined) return 'balance'
  if (work.queued.length > 0 && counted === undefined) return 'laggedBalance'
  // Without the L1 fee the reserve can't be computed.
  return lacksL1Fee(policy.profile, market) ? 'l1Fee' : undefined
}
