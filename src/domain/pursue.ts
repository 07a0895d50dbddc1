// A transaction in flight that nobody canceled: handed over again where it may be lost, priced anew where it is stuck.
import { type Attempt, mayBeKnown, newest, rejectionOf, wasTaken } from './attempt.ts'
import type { Decision } from './decision.ts'
import { type Fees, feeCap, isDouble, replacementFees } from './fees.ts'
import { type PriceCap, tellCapped, tellExhausted, tellHindrance, tellOwnPrice, tellUnfunded } from './hindrance.ts'
import { isNonEmpty } from './ids.ts'
import type { Observation } from './observation.ts'
import type { NetworkPolicy, Policies } from './relayer.ts'
import { awaitsReplacement, takeOverWithPayload } from './replace.ts'
import { type InPhase, neverReachedANode } from './transaction.ts'
import type { BlockNumber, TimestampMs } from './units.ts'
import type { Work } from './work.ts'

/**
 * Attempts for one nonce, of one purpose: at a quarter more each, far beyond any market. Beyond them only what doubles the
 * price is tried: the count keeps rows few, and never keeps a price from what the cap allows.
 */
export const attemptsMax = 64

export function pursue(
  transaction: InPhase<'inFlight'>,
  work: Work,
  observation: Observation,
  policy: NetworkPolicy,
  now: TimestampMs,
): Decision[] {
  const { attempts } = transaction.lifecycle
  const latest = newest(attempts)
  // From the replacement on, nothing of the old payload is handed over again.
  if (awaitsReplacement(transaction)) {
    return neverReachedANode(transaction)
      ? [{ do: 'unbind', transaction }]
      : takeOverWithPayload(transaction, work, observation)
  }
  if (latest.handOver.state === 'refused' && !attempts.some(mayBeKnown)) {
    return [{ do: 'refuse', transaction, reason: `the node refused it: ${latest.handOver.reason}` }]
  }

  const again: Decision[] = dueAgain(latest, policy, now) ? [{ do: 'rebroadcast', transaction, attempt: latest }] : []
  const waitsTooLong = isStuck(latest, observation, policy.bumpAfterBlocks)
  const invalid = reasonOfInvalid(latest)
  if (waitsTooLong && invalid !== undefined) {
    return [{ do: 'giveUp', transaction, reason: `a no-op takes its nonce, as the node refuses it: ${invalid}` }]
  }
  if (rejectionOf(latest)?.code === 'insufficientFunds') return [...tellUnfunded(transaction), ...again]
  const stuck = mayBeKnown(latest) && (waitsTooLong || outpriced(latest, observation))
  // Fees that the client named itself are its limit: such a transaction waits at its price, and can be canceled.
  const { pricing } = transaction.payload
  if (stuck && pricing.kind !== 'speed') return [...tellOwnPrice(transaction, pricing), ...again]
  const rivals = attempts.filter(mayBeKnown)
  if (!stuck || pricing.kind !== 'speed' || !isNonEmpty(rivals) || !observation.market) {
    return [...tellHindrance(transaction, work, observation, policy), ...again]
  }

  const tries = attempts.length
  const refused = refusedOverAStranger(latest)
  const options = { speed: pricing.speed, tries, rule: observation.rule, refused }
  const limit = capFor(transaction, work.relayer.policies)
  const fees = replacementFees(rivals, observation.market, { ...options, cap: limit.cap })
  if (fees && isSpent(tries, fees, latest)) return [...tellExhausted(transaction), ...again]
  if (fees) return [{ do: 'bump', transaction, fees }]
  const wanted = replacementFees(rivals, observation.market, { ...options, cap: undefined })
  return [...tellCapped(transaction, limit, wanted), ...again]
}

/** What fills a gap is a no-op, and cancellations may wait behind it: the cap of the sends must not trap them. */
function capFor({ origin }: InPhase<'inFlight'>, { gasPriceCap, cancelGasPriceCap }: Policies): PriceCap {
  return origin === 'gap'
    ? { name: 'cancel_gas_price_cap', cap: cancelGasPriceCap }
    : { name: 'gas_price_cap', cap: gasPriceCap }
}

/** What a node said is for ever wrong with it; that an earlier hand-over may have succeeded does not make it right. */
function reasonOfInvalid(attempt: Attempt): string | undefined {
  if (attempt.handOver.state === 'refused') return attempt.handOver.reason
  const rejection = rejectionOf(attempt)
  return rejection?.code === 'invalid' ? rejection.message : undefined
}

/** Priced for a block that has passed, or the next in line and still not mined. */
export function isStuck(attempt: Attempt, observation: Observation, patienceBlocks: number): boolean {
  const { head, nonce } = observation
  if (blocksWaited(attempt, head.number) < patienceBlocks) return false
  return attempt.nonce === nonce || (head.baseFee !== undefined && feeCap(attempt.fees) < head.baseFee)
}

/** Whether so many were tried that it takes another order of price to try once more. */
export function isSpent(tries: number, fees: Fees, latest: Attempt): boolean {
  return tries >= attemptsMax && !isDouble(fees, latest.fees)
}

/** What we price outbids all that is ours, so what a pool prefers to it is somebody else's. */
export function refusedOverAStranger(latest: Attempt): Fees | undefined {
  return rejectionOf(latest)?.code === 'replacementUnderpriced' ? latest.fees : undefined
}

/** A node said that its price is too low to be held: waiting would not help. At most one answer a block. */
export function outpriced(attempt: Attempt, observation: Observation): boolean {
  const code = rejectionOf(attempt)?.code
  return (
    (code === 'replacementUnderpriced' || code === 'feeTooLow') && blocksWaited(attempt, observation.head.number) >= 1
  )
}

function blocksWaited(attempt: Attempt, head: BlockNumber): number {
  return head - attempt.recordedAtBlock
}

/** Whether to hand the same bytes over once more: soon where they may not have arrived, seldom where they were taken. */
export function dueAgain(attempt: Attempt, policy: NetworkPolicy, now: TimestampMs): boolean {
  const { handOver } = attempt
  switch (handOver.state) {
    case 'held':
    case 'sending':
      return true
    case 'handed': {
      const waitedMs = now - handOver.at
      // Ahead of the clock: it was set back, and how long ago that was is anybody's guess.
      return waitedMs < 0 || waitedMs >= (wasTaken(attempt) ? policy.rebroadcastAfterMs : policy.retryAfterMs)
    }
    case 'refused':
    case 'withdrawn':
      return false
  }
}
