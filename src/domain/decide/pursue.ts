// Pursues a transaction in flight that is not canceled: broadcasts it again where it may be lost, prices it anew where
// it is stuck.
import { type Attempt, mayBeKnown, newest, rejectionOf, unrecognizedErrorOf } from '../attempt.ts'
import { feeCap, type Market, type Speed } from '../fees.ts'
import { l1FeeOf } from '../l1-fee.ts'
import { noOpGasLimit } from '../no-op.ts'
import type { Policies } from '../policy-table.ts'
import { awaitsReplacement, takeOverWithPayload } from '../replace.ts'
import { type InPhase, neverReachedANode } from '../transaction.ts'
import type { Gas, Wei } from '../units.ts'
import { nextBid } from './bid.ts'
import type { Decision, NeedsBalance } from './decision.ts'
import { promisedTo, spendable } from './funds.ts'
import { refusalOfGapFiller } from './gap-filler.ts'
import {
  explainCapped,
  explainExhausted,
  explainHindrance,
  explainOwnPrice,
  explainUnfunded,
  explainUnrecognized,
  type PriceCap,
} from './hindrance.ts'
import { isOutpaced, isStuck, type ReasonToBid, reasonToBid } from './reason-to-bid.ts'
import { rebroadcastIfDue, repeatDearerIfDue } from './rebroadcast.ts'
import { pursueRefusedGapFiller } from './refused-gap-filler.ts'
import type { Situation } from './situation.ts'

export function pursue(transaction: InPhase<'inFlight'>, situation: Situation): (Decision | NeedsBalance)[] {
  const { observation, policy } = situation
  const { attempts } = transaction.lifecycle
  const latest = newest(attempts)
  // From the replacement on, no attempt of the old payload is broadcast again.
  if (awaitsReplacement(transaction)) {
    return neverReachedANode(transaction)
      ? [{ do: 'unbind', transaction }]
      : takeOverWithPayload(transaction, situation)
  }
  const refusal = refusalOfGapFiller(transaction)
  if (refusal !== undefined) return pursueRefusedGapFiller(transaction, refusal, situation)
  if (latest.broadcast.state === 'refused' && !attempts.some(mayBeKnown)) {
    return [{ do: 'refuse', transaction, reason: `the node refused it: ${latest.broadcast.reason}` }]
  }

  const again = rebroadcastIfDue(transaction, attempts, situation)
  const invalid = reasonOfInvalid(latest)
  if (invalid !== undefined && isStuck(latest, observation, policy.bumpAfterBlocks)) {
    return [{ do: 'giveUp', transaction, reason: `a no-op takes its nonce, as the node refuses it: ${invalid}` }]
  }
  if (unrecognizedErrorOf(latest) !== undefined && !isOutpaced(latest, observation)) {
    return [...explainUnrecognized(transaction), ...again]
  }
  const { pricing } = transaction.payload
  const speed = pricing.kind === 'speed' ? pricing.speed : 'average'
  const patience = { blocks: policy.bumpAfterBlocks, ms: policy.bumpAfterMs }
  const why = mayBeKnown(latest) && reasonToBid(transaction, latest, speed, patience, situation)
  const { market } = observation
  if (!why || !market) {
    const isUnfunded = rejectionOf(latest)?.code === 'insufficientFunds'
    return [...(isUnfunded ? explainUnfunded(transaction, market) : explainHindrance(transaction, situation)), ...again]
  }
  // Fees that the client named are its limit: such a transaction waits at its price, and can be canceled.
  if (pricing.kind !== 'speed') {
    return [
      ...(why === 'unfunded' ? explainUnfunded(transaction, market) : explainOwnPrice(transaction, pricing)),
      ...again,
    ]
  }
  return bidAgain({ transaction, why, speed, market, again }, situation)
}

function bidAgain(
  {
    transaction,
    why,
    speed,
    market,
    again,
  }: { transaction: InPhase<'inFlight'>; why: ReasonToBid; speed: Speed; market: Market; again: Decision[] },
  situation: Situation,
): (Decision | NeedsBalance)[] {
  const { work, observation, policy } = situation
  const { balance } = observation
  const { attempts } = transaction.lifecycle
  const latest = newest(attempts)
  const limit = capFor(transaction, work.relayer.policies)
  const gas = gasFor(transaction, market, situation)
  const bidWith = (funds: Wei | undefined) =>
    nextBid({ transaction, own: attempts, speed, gas, cap: limit.cap, funds }, observation, market, policy)
  // The service signs nothing that the account can't pay for: a node would reject it.
  if (balance === undefined) {
    const unlimited = bidWith(undefined)
    // Below the cap no balance helps, and each reading of it is a call.
    const isCapped = why !== 'unfunded' && unlimited.kind === 'wait' && unlimited.until === 'cap'
    return [
      ...(isCapped ? explainCapped(transaction, limit, unlimited.wanted) : [{ do: 'readBalance' as const }]),
      ...again,
    ]
  }
  const bid = bidWith(fundsFor(transaction, balance, market, situation))
  // A higher price is no answer to a node that reports a short balance.
  const isDearer = bid.kind === 'sign' && feeCap(bid.fees) >= feeCap(latest.fees)
  if (why === 'unfunded' && (bid.kind === 'repeat' || isDearer))
    return [...explainUnfunded(transaction, market), ...again]
  if (bid.kind === 'sign') return [{ do: 'bump', transaction, fees: bid.fees, gasLimit: gas }]
  if (bid.kind === 'repeat') {
    const repeated = repeatDearerIfDue(transaction, bid.attempt, latest, situation)
    return repeated.length > 0 ? repeated : again
  }
  switch (bid.until) {
    case 'cap':
      return [...explainCapped(transaction, limit, bid.wanted), ...again]
    case 'funds':
      return [...explainUnfunded(transaction, market, bid.wanted), ...again]
    case 'market':
    case 'double':
      return [...explainExhausted(transaction, bid.until), ...again]
  }
}

/** A gap filler is a no-op, which may need more gas by now. */
function gasFor({ origin, payload, lifecycle }: InPhase<'inFlight'>, market: Market, { policy }: Situation): Gas {
  const { gasLimit } = newest(lifecycle.attempts)
  if (origin !== 'gap') return payload.gasLimit ?? gasLimit
  return Math.max(gasLimit, noOpGasLimit(market, policy.profile) ?? 0)
}

/** The funds for gas. A gap filler is a no-op, so it may use the reserve. */
function fundsFor(transaction: InPhase<'inFlight'>, balance: Wei, market: Market, { work, policy }: Situation): Wei {
  if (transaction.origin === 'gap') return balance - (market.noOpL1Fee ?? 0n)
  const { payload } = transaction
  return (
    spendable(work, balance, market, policy) +
    promisedTo(transaction, market) -
    payload.value -
    l1FeeOf(payload, market)
  )
}

/** A gap filler is a no-op, and cancellations may wait behind it: the sends' cap must not block them. */
function capFor({ origin }: InPhase<'inFlight'>, { gasPriceCap, cancelGasPriceCap }: Policies): PriceCap {
  return origin === 'gap'
    ? { name: 'cancel_gas_price_cap', cap: cancelGasPriceCap }
    : { name: 'gas_price_cap', cap: gasPriceCap }
}

/** The reason why a node calls it invalid. An earlier broadcast that may have succeeded does not make it valid. */
function reasonOfInvalid(attempt: Attempt): string | undefined {
  if (attempt.broadcast.state === 'refused') return attempt.broadcast.reason
  const rejection = rejectionOf(attempt)
  return rejection?.code === 'invalid' ? rejection.message : undefined
}
