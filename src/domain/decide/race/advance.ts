// What a contender for a nonce does next. Every kind of contender walks this one ladder:
//
// 1. Nothing is signed: it bids.
// 2. Every node that answers calls its payload invalid, or refuses it for long in words that no table has, or a fork raised the least gas
//    above the limit that its client named: it is given up.
// 3. Its newest attempt has its chance: it waits, and its bytes go out again where they may be lost.
// 4. Its newest attempt had its chance: it bids again, within its limits.
import { type Attempt, mayBeKnown, newest } from '../../attempt.ts'
import { type Fees, feeCap, type Market } from '../../fees.ts'
import { isNonEmpty, type NonEmpty } from '../../ids.ts'
import type { InPhase } from '../../transaction.ts'
import type { Gas, Wei } from '../../units.ts'
import type { Decision, Steps } from '../plan/decision.ts'
import type { Lack } from '../plan/lacks.ts'
import type { Situation } from '../plan/work.ts'
import { mayBeLeftOut } from '../rules/arrival-order.ts'
import { countedBalance, explainReserve } from '../rules/gas-reserve.ts'
import { judgeRefusals } from '../rules/give-up.ts'
import type { Bid, ReasonToBid } from '../terms/bidder.ts'
import { type Contender, purposeOf } from '../terms/contender.ts'
import { isRemembered } from '../terms/funds.ts'
import { usualFees } from '../terms/rivals.ts'
import {
  explainBarred,
  explainIdle,
  explainLimit,
  explainOwnPrice,
  explainShort,
  explainUnestimated,
} from './explain-contender.ts'
import { gasOf } from './gas-and-funds.ts'
import { price } from './price.ts'
import { reasonToBid } from './reason-to-bid.ts'
import { rebroadcastIfDue, repeatDearerIfDue } from './rebroadcast.ts'

export function advance(contender: Contender, situation: Situation): Steps {
  // Of two reasons the later counts.
  return [...explainBelowBaseFee(contender, situation), ...nextSteps(contender, situation)]
}

function nextSteps(contender: Contender, situation: Situation): Steps {
  const { transaction, own, named } = contender
  if (!isNonEmpty(own)) return enter(contender, situation)
  const latest = newest(own)
  const { market } = situation.observation
  const { givenUp, lacks = [], mayBid } = judgeRefusals(contender, situation)
  if (givenUp) return givenUp
  const again = [...lacks, ...repeatOrReadBalance(transaction, own, situation)]
  const why = mayBid && mayBeKnown(latest) ? reasonToBid(contender, latest, situation) : undefined
  if (!why || !market) return [...explainIdle(contender, situation), ...again]
  // A payload that needs other gas bids at fees that its client named, too: only the gas is ours to choose.
  if (!named || why === 'gas') return bidAgain(contender, why, market, situation, again)
  return [...(why === 'unfunded' ? explainShort(contender, market) : explainOwnPrice(transaction, named)), ...again]
}

/** Signs the first attempt. A no-op needs no balance for that: the read would cost a call and time. */
function enter(contender: Contender, situation: Situation): Steps {
  const { market } = situation.observation
  const balance = balanceOf(situation)
  const barred = contender.wants === 'replacement' ? explainBarred(contender, situation) : []
  if (barred.length > 0 || !market) return barred
  const gas = gasOf(contender, market, situation)
  if (gas === undefined) return explainUnestimated(contender, situation)
  // Where gas is free an account may be empty, so its first no-op has to offer nothing, too.
  const readsBalance = purposeOf(contender) === 'payload' || market.gasPrice === 0n
  if (readsBalance && balance === undefined) return lacksBalance
  const blocked =
    contender.wants === 'replacement' ? explainReserve(contender.transaction, balance ?? 0n, market, situation) : []
  if (blocked.length > 0) return blocked
  const bid = price(contender, { gas, market, balance }, situation)
  if (bid.kind === 'sign') return [sign(contender, bid.fees, gas)]
  return bid.kind === 'wait' ? waitAtLimit(contender, bid, { gas, market }, situation) : []
}

function bidAgain(contender: Contender, why: ReasonToBid, market: Market, situation: Situation, again: Steps): Steps {
  const { transaction, own } = contender
  const balance = balanceOf(situation)
  const latest = own.at(-1)
  const gas = gasOf(contender, market, situation)
  if (gas === undefined) return [...explainUnestimated(contender, situation), ...again]
  // The service signs nothing that the account can't pay for: a node would reject it.
  if (balance === undefined) {
    const unlimited = price(contender, { gas, market, balance }, situation)
    // Below the cap, the ceiling or a bound no balance helps, and each reading of it is a call.
    const waits = why !== 'unfunded' && unlimited.kind === 'wait' ? unlimited : undefined
    const isCapped = waits !== undefined && notOfBalance.includes(waits.until)
    const first = isCapped ? explainLimit(contender, waits, { gas, market }, situation) : lacksBalance
    return [...first, ...again]
  }
  const bid = price(contender, { gas, market, balance }, situation)
  switch (bid.kind) {
    case 'sign': {
      // A higher price is no answer to a node that reports a short balance.
      const isDearer = latest !== undefined && feeCap(bid.fees) >= feeCap(latest.fees)
      if (why === 'unfunded' && isDearer) return [...explainShort(contender, market), ...again]
      return [sign(contender, bid.fees, gas)]
    }
    case 'repeat': {
      const repeated = repeatDearerIfDue(transaction, bid.attempt, latest, situation)
      return repeated.length > 0 ? repeated : [...explainIdle(contender, situation), ...again]
    }
    case 'wait':
      // At its limit it still races: pools may have lost it, and a node that has it may still mine it.
      return [...waitAtLimit(contender, bid, { gas, market }, situation), ...again]
  }
}

/**
 * Explains the limit that keeps the newest attempt, or the first one, below the next base fee: until that falls, neither time nor the bid
 * that this step may sign gets it mined.
 */
function explainBelowBaseFee(contender: Contender, situation: Situation): readonly Decision[] {
  const { transaction, own, named } = contender
  const { market } = situation.observation
  const latest = own.at(-1)
  const isBelow = ({ fees }: { readonly fees: Fees }) => market?.baseFee !== undefined && feeCap(fees) < market.baseFee
  if (!market || (latest ? !isBelow(latest) : contender.wants === 'replacement')) return []
  if (named) return explainOwnPrice(transaction, named)
  const gas = gasOf(contender, market, situation)
  const bid = gas === undefined ? undefined : price(contender, { gas, market }, situation)
  if (gas === undefined || !bid) return []
  const at = { gas, market }
  if (bid.kind === 'wait') return explainLimit(contender, bid, at, situation)
  if (!isBelow(bid.kind === 'sign' ? bid : bid.attempt)) return []
  return explainLimit(contender, { kind: 'wait', until: 'cap', wanted: usualFees(contender, market) }, at, situation)
}

/** Explains the limit. A remembered balance may have been topped up since, so it is read again before it keeps anything back. */
function waitAtLimit(
  contender: Contender,
  bid: Extract<Bid, { kind: 'wait' }>,
  at: { readonly gas: Gas; readonly market: Market },
  situation: Situation,
): Steps {
  const isStale = bid.until === 'funds' && isRemembered(situation.observation)
  return [...explainLimit(contender, bid, at, situation), ...(isStale ? lacksBalance : [])]
}

/** The balance that counts. Where payments count later, and no node shows the earlier balance, a race does not wait for it. */
function balanceOf({ work, observation, policy }: Situation): Wei | undefined {
  const { market, balance } = observation
  return (market && countedBalance(work, observation, market, policy)) ?? balance
}

const notOfBalance: readonly Extract<Bid, { kind: 'wait' }>['until'][] = ['cap', 'ceiling', 'bound', 'l1Fee']

const lacksBalance: readonly Lack[] = [{ lacks: 'balance' }]

/** Repeats the bytes. A sequencer that accepts before it orders drops in silence what the balance does not cover, so that is read. */
function repeatOrReadBalance(transaction: InPhase<'inFlight'>, own: NonEmpty<Attempt>, situation: Situation): Steps {
  const again = rebroadcastIfDue(transaction, own, situation)
  const isUnread = again.length > 0 && situation.observation.balance === undefined
  return isUnread && mayBeLeftOut(newest(own), situation) ? [...lacksBalance, ...again] : again
}

const signing = { payload: 'bump', gapFiller: 'bump', replacement: 'replace', noOp: 'signNoOp' } as const

function sign({ transaction, wants }: Contender, fees: Fees, gasLimit: Gas): Decision {
  return { do: signing[wants], transaction, fees, gasLimit }
}
