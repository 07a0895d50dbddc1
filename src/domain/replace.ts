// Replaces a transaction's payload. In the queue the new payload takes the old one's place; in flight it races the old
// one for their nonce. Only the chain shows which was executed, and never both: they share the nonce.
import { type Attempt, isNonceTaken, newest, wasTaken } from './attempt.ts'
import { nextBid, rivalsOf } from './decide/bid.ts'
import type { Bid } from './decide/bidder.ts'
import { type Decision, explain, type NeedsBalance } from './decide/decision.ts'
import { promisedTo, spendable, upfrontCost } from './decide/funds.ts'
import { explainUnfunded } from './decide/hindrance.ts'
import { isFcfs, isOrdered } from './decide/ordered.ts'
import { withReason } from './decide/settle.ts'
import type { Situation } from './decide/situation.ts'
import { type ErrorCode, RescindError } from './errors.ts'
import { type Fees, feeCap, marketFees, replacementFloor, tipOf } from './fees.ts'
import { forbids } from './forbid.ts'
import { isNonEmpty, type NonEmpty } from './ids.ts'
import { l1FeeOf } from './l1-fee.ts'
import type { PoolKind } from './profile.ts'
import type { SendRequest } from './submit.ts'
import {
  type InPhase,
  isInPhase,
  neverReachedANode,
  payloadAttempts,
  revisionOf,
  type Status,
  statusOf,
  type Transaction,
} from './transaction.ts'
import type { Gas, Wei } from './units.ts'

/**
 * Throws TRANSACTION_ALREADY_MINED, _CONFIRMED, _FAILED, _CANCELED, _EXPIRED or _ORDERED: nothing is left to replace. And
 * TRANSACTION_IS_GAP_FILLER: caps, reserve and bulk cancellations treat it as the service's own, never as a client's.
 * checkSend checks the request, as for a send.
 */
export function replace(transaction: Transaction, request: SendRequest, pool: PoolKind): Transaction {
  if (transaction.origin === 'gap') {
    throw new RescindError(
      'TRANSACTION_IS_GAP_FILLER',
      `transaction ${transaction.id} is the service's own no-op, for a nonce that was given up; send a new transaction`,
    )
  }
  const status = statusOf(transaction)
  const refusal = transaction.cancellation?.origin === 'refusal' ? 'TRANSACTION_ALREADY_FAILED' : refusals[status]
  if (refusal) throw new RescindError(refusal, `transaction ${transaction.id} is already ${status}; send a new one`)
  if (pool === 'fcfs' && wasOrdered(transaction)) {
    const why = payloadAttempts(transaction.lifecycle.attempts).some(wasTaken)
      ? 'the sequencer accepted it, and on this chain, which is first come, first served, nothing replaces it; send a new one'
      : 'the sequencer says that its nonce is spent; wait for the block that shows which transaction used it: if that was another one, a PUT is possible again'
    throw new RescindError('TRANSACTION_ALREADY_ORDERED', `transaction ${transaction.id}: ${why}`)
  }
  const { validUntil, ...payload } = request
  // The client wants this payload sent, whatever the lost history did with the transaction.
  const { validUntil: _, suspectedNoOp: __, ...rest } = transaction
  const replaced: Transaction = {
    ...rest,
    payload: { ...payload, from: transaction.payload.from },
    earlier: transaction.earlier ? [...transaction.earlier, transaction.payload] : [transaction.payload],
    ...(validUntil !== undefined && { validUntil }),
  }
  // No node had the old payload. Its nonce, if it had one, returns to the first in the queue.
  const queued = neverReachedANode(transaction) ? { ...replaced, lifecycle: { phase: 'queued' as const } } : replaced
  return withReason(queued, 'replaced on request')
}

const refusals: Partial<Record<Status, ErrorCode>> = {
  mined: 'TRANSACTION_ALREADY_MINED',
  confirmed: 'TRANSACTION_ALREADY_CONFIRMED',
  failed: 'TRANSACTION_ALREADY_FAILED',
  canceled: 'TRANSACTION_ALREADY_CANCELED',
  expired: 'TRANSACTION_ALREADY_EXPIRED',
}

/** Whether a sequencer that orders first come, first served has accepted a payload of it, or calls its nonce spent. */
function wasOrdered(transaction: Transaction): transaction is InPhase<'inFlight'> {
  return isInPhase(transaction, 'inFlight') && payloadAttempts(transaction.lifecycle.attempts).some(isNonceTaken)
}

/** Whether no attempt carries the current payload yet: an older one still leads. */
export function awaitsReplacement(transaction: InPhase<'inFlight'>): boolean {
  const signed = payloadAttempts(transaction.lifecycle.attempts).map(({ revision }) => revision ?? 0)
  return Math.max(...signed) < revisionOf(transaction)
}

/** Signs the new payload over every attempt of the old ones, or explains why that has to wait. */
export function takeOverWithPayload(
  transaction: InPhase<'inFlight'>,
  situation: Situation,
): (Decision | NeedsBalance)[] {
  const { work, observation, policy } = situation
  // The answer came after the PUT.
  if (isFcfs(policy) && isOrdered(transaction, situation)) {
    const reason =
      'waits: the sequencer accepted the earlier payload or calls its nonce spent, and nothing replaces a transaction there: the block that shows which transaction used the nonce ends the wait'
    return explain(transaction, 'already_ordered', reason)
  }
  const forbidden = forbids(work.relayer.policies, transaction.payload)
  if (forbidden !== undefined) {
    return explain(
      transaction,
      'policy',
      `waits: the replacement is forbidden: ${forbidden}; or replace it again, or cancel`,
    )
  }
  const { market, estimates } = observation
  const { attempts } = transaction.lifecycle
  const estimate = estimates.get(transaction.id)
  if (estimate?.kind === 'reverts') {
    return explain(
      transaction,
      'would_revert',
      `waits: the replacement would revert: ${estimate.reason}; replace it again, or cancel`,
    )
  }
  const gasLimit: Gas | undefined =
    transaction.payload.gasLimit ?? (estimate?.kind === 'gas' ? estimate.gas : undefined)
  if (!market) return []
  if (gasLimit === undefined) {
    return estimate
      ? explain(
          transaction,
          'gas_unknown',
          'waits: the node could not estimate the gas of the replacement; name a gas_limit, if this lasts',
        )
      : []
  }

  if (observation.balance === undefined) return [{ do: 'readBalance' }]
  const { value, pricing } = transaction.payload
  const onL1 = l1FeeOf(transaction.payload, market)
  // One of the two payloads is executed, and not both.
  const funds = spendable(work, observation.balance, market, policy) + promisedTo(transaction, market) - value - onL1
  if (funds < 0n) {
    const usual = pricing.kind === 'speed' ? marketFees(market, pricing.speed, isEip1559(attempts)) : pricing
    return explainUnfunded(transaction, market, usual, gasLimit)
  }
  const cap = work.relayer.policies.gasPriceCap
  const { profile } = policy
  const rivals = isFcfs(policy) ? [] : rivalsOf(attempts)
  const floor = isNonEmpty(rivals) ? replacementFloor(rivals, market, observation.rule) : undefined
  const bid =
    pricing.kind === 'speed'
      ? // The new payload has no attempt yet.
        nextBid({ transaction, own: [], speed: pricing.speed, gas: gasLimit, cap, funds }, observation, market, {
          profile,
        })
      : bidAsNamed(pricing, { cap, funds, gasLimit, floor })
  if (bid.kind === 'sign') return [{ do: 'replace', transaction, fees: bid.fees, gasLimit }]
  if (bid.kind === 'wait' && bid.until === 'funds') return explainUnfunded(transaction, market, bid.wanted, gasLimit)
  const needed = floor ? `${feeCap(floor)} wei per gas, ${tipOf(floor)} of it as tip` : 'more'
  const isCapped = pricing.kind === 'speed' || exceeds(pricing, cap)
  return explain(
    transaction,
    isCapped ? 'gas_price_cap' : 'own_price',
    `waits: over ${newest(attempts).hash} it needs ${needed}, which the replacement's fee or gas_price_cap forbids`,
  )
}

function isEip1559([first]: NonEmpty<Attempt>): boolean {
  return first.fees.kind === 'eip1559'
}

/** A client's own price suffices, exceeds the funds, or has to wait. */
function bidAsNamed(
  pricing: Fees,
  { cap, funds, gasLimit, floor }: { cap: Wei | undefined; funds: Wei; gasLimit: Gas; floor: Fees | undefined },
): Bid {
  const fees = ownFees(pricing, floor, cap)
  if (!fees) return { kind: 'wait', until: 'cap', wanted: floor ?? pricing }
  return upfrontCost(0n, gasLimit, fees) > funds
    ? { kind: 'wait', until: 'funds', wanted: fees }
    : { kind: 'sign', fees }
}

/** Fees that the client named are its limit, even if they do not suffice. The cap may be below them by now. */
function ownFees(pricing: Fees, floor: Fees | undefined, cap: Wei | undefined): Fees | undefined {
  if (exceeds(pricing, cap)) return undefined
  if (!floor) return pricing
  const suffices = pricing.kind === floor.kind && feeCap(pricing) >= feeCap(floor) && tipOf(pricing) >= tipOf(floor)
  return suffices ? pricing : undefined
}

function exceeds(fees: Fees, cap: Wei | undefined): boolean {
  return cap !== undefined && feeCap(fees) > cap
}
