// The race for a canceled transaction's nonce: our no-op against every attempt that a node may hold, until one is
// mined.
import { type Attempt, isNoOp, mayBeKnown, newest, rejectionOf, unrecognizedErrorOf } from '../attempt.ts'
import { roughly } from '../condition.ts'
import { escalationMultiple, feeCap, type Market } from '../fees.ts'
import { isNonEmpty } from '../ids.ts'
import { lacksGas, noOpCost, noOpGasLimit } from '../no-op.ts'
import type { InPhase } from '../transaction.ts'
import type { Wei } from '../units.ts'
import { nextBid } from './bid.ts'
import type { Bid } from './bidder.ts'
import { type Decision, explain, type NeedsBalance } from './decision.ts'
import { lasting } from './hindrance.ts'
import { isOutpaced, reasonToBid } from './reason-to-bid.ts'
import { rebroadcastIfDue, repeatDearerIfDue } from './rebroadcast.ts'
import type { Situation } from './situation.ts'

/** A canceled transaction's nonce is urgent, whatever its payload was to pay. */
const speed = 'fastest'

export function race(transaction: InPhase<'inFlight'>, situation: Situation): (Decision | NeedsBalance)[] {
  const { observation, policy } = situation
  const { attempts } = transaction.lifecycle
  if (!attempts.some(mayBeKnown)) return [{ do: 'drop', transaction }]

  const noOps = attempts.filter(isNoOp)
  const { balance } = observation
  // Where gas is free an account may be empty, so its first no-op has to offer nothing, too.
  const isFree = observation.market?.gasPrice === 0n
  if (noOps.length === 0 && isFree && balance === undefined) return [{ do: 'readBalance' }]
  if (!isNonEmpty(noOps)) return takeOver(transaction, noOps, balance, situation)
  const latest = newest(noOps)
  const again = rebroadcastIfDue(transaction, noOps, situation)
  if (latest.broadcast.state === 'held') {
    const reason = `canceled; the no-op could not reach a node: ${latest.broadcast.reason}`
    return [...explain(transaction, 'node_unreachable', reason), ...again]
  }
  const error = unrecognizedErrorOf(latest)
  if (error !== undefined && !isOutpaced(latest, observation)) {
    const reason = `canceled; a node answers the no-op with an unknown error, so it is broadcast again: ${error}`
    return [...explain(transaction, 'node_refuses', reason), ...again]
  }
  const rejection = rejectionOf(latest)
  const isTooTight = isCalledInvalid(latest) && lacksGas(latest, observation.market)
  if (isTooTight) {
    const wider = takeOver(transaction, noOps, balance, situation)
    if (wider[0]?.do === 'takeOver') return wider
  }
  const patience = { blocks: policy.cancelBumpAfterBlocks, ms: policy.cancelBumpAfterMs }
  const why = reasonToBid(transaction, latest, speed, patience, situation)
  if (why) {
    // The service signs nothing that the account can't pay for: a node would reject it.
    if (balance === undefined) return [{ do: 'readBalance' }, ...again]
    const raised = takeOver(transaction, noOps, balance, situation)
    const [decision] = raised
    // A higher price is no answer to a node that reports a short balance.
    const isDearer = decision?.do === 'takeOver' && feeCap(decision.fees) >= feeCap(latest.fees)
    if (why === 'unfunded' && (!decision || isDearer))
      return [...explainUnfundedNoOp(transaction, latest, situation.observation.market), ...again]
    // At its cap it still races: pools may have lost it, and a node that has it may still mine it.
    const goesOut = decision?.do === 'takeOver' || decision?.do === 'rebroadcast'
    return goesOut ? raised : [...raised, ...explainRefusedNoOp(transaction, latest), ...again]
  }
  if (rejection?.code === 'insufficientFunds')
    return [...explainUnfundedNoOp(transaction, latest, situation.observation.market), ...again]
  if (latest.broadcast.state === 'refused') return [...explainRefusedNoOp(transaction, latest), ...again]
  if (!rejection || !lasting.includes(rejection.code)) return again
  const reason = `canceled; the node refuses the no-op for now, and it is broadcast again: ${rejection.message}`
  return [...explain(transaction, 'node_refuses', reason), ...again]
}

export function explainRefusedNoOp(transaction: InPhase<'inFlight'>, { broadcast }: Attempt): Decision[] {
  if (broadcast.state !== 'refused') return []
  const reason = `canceled; the node refused the no-op, and it is broadcast again at growing intervals: ${broadcast.reason}`
  return explain(transaction, 'node_refuses', reason)
}

export function explainUnfundedNoOp(
  transaction: InPhase<'inFlight'>,
  { gasLimit, fees }: Pick<Attempt, 'gasLimit' | 'fees'>,
  market: Market | undefined,
): Decision[] {
  const cost = noOpCost(gasLimit, fees, market ?? {})
  const reason = `canceled; the balance does not cover the no-op, which may cost ${cost} wei: top it up`
  return explain(transaction, 'cancel_unfunded', reason)
}

/** Without `balance` a first no-op is signed all the same: the read would cost a call and time. */
export function takeOver(
  transaction: InPhase<'inFlight'>,
  noOps: readonly Attempt[],
  balance: Wei | undefined,
  situation: Situation,
): Decision[] {
  const { work, observation, policy } = situation
  const { market } = observation
  if (!market) return []
  // The no-ops' own cap, not the sends': a blocked nonce that costs more than the sends' cap would be stuck for ever.
  const cap = work.relayer.policies.cancelGasPriceCap
  const gas = noOpGasLimit(market, policy.profile)
  if (gas === undefined) return explainUnestimated(transaction)
  const funds = balance === undefined ? undefined : balance - (market.noOpL1Fee ?? 0n)
  const bidder = { transaction, own: noOps, speed, gas, cap, funds } as const
  const bid = nextBid(bidder, observation, market, policy)
  if (bid.kind === 'sign') return [{ do: 'takeOver', transaction, fees: bid.fees, gasLimit: gas }]
  if (bid.kind === 'repeat') return repeatDearerIfDue(transaction, bid.attempt, noOps.at(-1), situation)
  return explainWait(transaction, noOps, bid, cap, noOpCost(gas, bid.wanted, market))
}

export function explainUnestimated(transaction: InPhase<'inFlight'>): Decision[] {
  const reason =
    'canceled; no node estimates the gas of the no-op, which this chain does not state: the service tries again with each block'
  return explain(transaction, 'gas_unknown', reason)
}

/** Other bytes may be valid: this chain may demand more gas by now. */
function isCalledInvalid(attempt: Attempt): boolean {
  return attempt.broadcast.state === 'refused' || rejectionOf(attempt)?.code === 'invalid'
}

function explainWait(
  transaction: InPhase<'inFlight'>,
  noOps: readonly Attempt[],
  { until, wanted }: Extract<Bid, { kind: 'wait' }>,
  cap: Wei | undefined,
  mostCost: Wei,
): Decision[] {
  const { nonce } = transaction.lifecycle
  switch (until) {
    case 'cap': {
      const reason = `canceled; the no-op would need more (up to ${roughly(feeCap(wanted))} wei per gas) than cancel_gas_price_cap (${cap} wei), and is tried again each block: raise the cap, if it must win`
      return explain(transaction, 'cancel_gas_price_cap', reason)
    }
    case 'funds': {
      const reason = `canceled; the balance does not cover the no-op, which may cost ${roughly(mostCost)} wei: top it up`
      return explain(transaction, 'cancel_unfunded', reason)
    }
    case 'market': {
      const reason = `canceled; no no-op for nonce ${nonce} was mined, and a higher price would be beyond ${escalationMultiple} times the market's price: the last is broadcast again, and a higher price follows once the market's rises`
      return explain(transaction, 'attempts_exhausted', reason)
    }
    case 'double': {
      const reason = `canceled; none of ${noOps.length} no-ops for nonce ${nonce} was mined: they are broadcast again, and another is signed once the price doubles`
      return explain(transaction, 'attempts_exhausted', reason)
    }
  }
}
