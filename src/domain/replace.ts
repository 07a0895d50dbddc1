// Replaces a transaction's payload. In the queue the new payload takes the old one's place; in flight it races the old
// one for their nonce. Only the chain shows which was executed, and never both: they share the nonce.
import { newest } from './attempt.ts'
import { nextBid, rivalsOf } from './decide/bid.ts'
import { type Decision, explain } from './decide/decision.ts'
import { withReason } from './decide/settle.ts'
import type { Work } from './decide/work.ts'
import { type ErrorCode, RescindError } from './errors.ts'
import { type Fees, feeCap, type Market, replacementFloor, type Speed, tipOf } from './fees.ts'
import { forbids } from './forbid.ts'
import { isNonEmpty } from './ids.ts'
import type { Observation } from './observation.ts'
import type { SendRequest } from './submit.ts'
import {
  type InPhase,
  neverReachedANode,
  payloadAttempts,
  revisionOf,
  type Status,
  statusOf,
  type Transaction,
} from './transaction.ts'
import type { Gas, Wei } from './units.ts'

/**
 * Throws TRANSACTION_ALREADY_MINED, _CONFIRMED, _FAILED, _CANCELED or _EXPIRED: nothing is left to replace. checkSend
 * checks the request, as for a send.
 */
export function replace(transaction: Transaction, request: SendRequest): Transaction {
  const status = statusOf(transaction)
  const refusal = transaction.cancellation?.origin === 'refusal' ? 'TRANSACTION_ALREADY_FAILED' : refusals[status]
  if (refusal) throw new RescindError(refusal, `transaction ${transaction.id} is already ${status}; send a new one`)
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

/** Whether no attempt carries the current payload yet: an older one still leads. */
export function awaitsReplacement(transaction: InPhase<'inFlight'>): boolean {
  const signed = payloadAttempts(transaction.lifecycle.attempts).map(({ revision }) => revision ?? 0)
  return Math.max(...signed) < revisionOf(transaction)
}

/** Signs the new payload over every attempt of the old ones, or explains why that has to wait. */
export function takeOverWithPayload(
  transaction: InPhase<'inFlight'>,
  work: Work,
  observation: Observation,
): Decision[] {
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

  const cap = work.relayer.policies.gasPriceCap
  const { pricing } = transaction.payload
  const rivals = rivalsOf(attempts)
  const floor = isNonEmpty(rivals) ? replacementFloor(rivals, market, observation.rule) : undefined
  const fees =
    pricing.kind === 'speed'
      ? firstBid(transaction, pricing.speed, gasLimit, cap, { ...observation, market })
      : ownFees(pricing, floor, cap)
  if (fees) return [{ do: 'replace', transaction, fees, gasLimit }]
  const needed = floor ? `${feeCap(floor)} wei per gas, ${tipOf(floor)} of it as tip` : 'more'
  const isCapped = pricing.kind === 'speed' || exceeds(pricing, cap)
  return explain(
    transaction,
    isCapped ? 'gas_price_cap' : 'own_price',
    `waits: over ${newest(attempts).hash} it needs ${needed}, which the replacement's fee or gas_price_cap forbids`,
  )
}

/** The new payload has no attempt yet. */
function firstBid(
  transaction: InPhase<'inFlight'>,
  speed: Speed,
  gas: Gas,
  cap: Wei | undefined,
  observation: Observation & { readonly market: Market },
): Fees | undefined {
  const bidder = { transaction, own: [], speed, gas, cap, funds: observation.balance }
  const bid = nextBid(bidder, observation, observation.market, {})
  return bid.kind === 'sign' ? bid.fees : undefined
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
