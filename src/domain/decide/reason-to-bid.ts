// Decides whether the newest attempt of a nonce has had its chance, and why another price is needed.
import { type Attempt, newest, rejectionOf } from '../attempt.ts'
import { feeCap, type Speed } from '../fees.ts'
import type { Observation } from '../observation.ts'
import type { NetworkPolicy } from '../relayer.ts'
import type { InPhase } from '../transaction.ts'
import type { BlockNumber, TimestampMs } from '../units.ts'
import { wantsRaisedTip } from './bid.ts'
import type { Situation } from './situation.ts'

/**
 * - `outpriced`: a node rejected its price as too low to be held, so waiting would not help.
 * - `unfunded`: a node reported that the balance does not cover it. A cheaper one may suffice now.
 * - `outpaced`: the base fee has risen above its fee cap.
 * - `tip`: its nonce has been next for long, blocks have room, and its tip is close to zero.
 * - `waited`: blocks hold the transactions of others, and not this one.
 */
export type ReasonToBid = 'outpriced' | 'unfunded' | 'outpaced' | 'tip' | 'waited'

export interface Patience {
  readonly blocks: number
  /** On fast chains, after a few blocks it is too soon to bid against ourselves. */
  readonly ms: number
}

/** At most one bid a block. */
export function reasonToBid(
  transaction: InPhase<'inFlight'>,
  latest: Attempt,
  speed: Speed,
  patience: Patience,
  { observation, policy, now }: Situation,
): ReasonToBid | undefined {
  const { head, nonce, market } = observation
  const waited = blocksWaited(latest, head.number)
  const code = rejectionOf(latest)?.code
  // A price buys nothing where transactions are ordered as they come, as long as it is above the base fee.
  if (policy.profile.pool === 'fcfs' && waited >= 1 && isOutpaced(latest, observation)) return 'outpaced'
  if (code === 'insufficientFunds') return waited >= 1 ? 'unfunded' : undefined
  if (policy.profile.pool === 'fcfs') return undefined
  if (code === 'replacementUnderpriced' || code === 'feeTooLow') return waited >= 1 ? 'outpriced' : undefined
  if (waited < patience.blocks) return undefined
  if (isOutpaced(latest, observation)) return 'outpaced'
  if (latest.nonce !== nonce) return undefined
  if (wantsRaisedTip(transaction, latest, speed, observation, policy)) return 'tip'
  // If no transaction at all is mined, a higher price changes nothing.
  if (market?.blocks?.areUsed === false) return undefined
  const waitedMs = now - latest.recordedAt
  // A time ahead of the clock: the clock was set back, by an unknown amount.
  return waitedMs < 0 || waitedMs >= patience.ms ? 'waited' : undefined
}

/**
 * The time at which the first in line has waited long enough, if enough blocks have passed. Without it no further block
 * may trigger the step. Undefined if the time has passed, or if blocks are still to come.
 */
export function patienceEndsAt(
  [first]: readonly InPhase<'inFlight'>[],
  head: BlockNumber,
  policy: NetworkPolicy,
  now: TimestampMs,
): TimestampMs | undefined {
  if (!first) return undefined
  const latest = newest(first.lifecycle.attempts)
  const blocks = first.cancellation ? policy.cancelBumpAfterBlocks : policy.bumpAfterBlocks
  const end = latest.recordedAt + (first.cancellation ? policy.cancelBumpAfterMs : policy.bumpAfterMs)
  return blocksWaited(latest, head) >= blocks && end > now ? end : undefined
}

/** Its fee cap is below the base fee, or it is next and still not mined. */
export function isStuck(attempt: Attempt, observation: Observation, patienceBlocks: number): boolean {
  if (blocksWaited(attempt, observation.head.number) < patienceBlocks) return false
  return attempt.nonce === observation.nonce || isOutpaced(attempt, observation)
}

export function isOutpaced(attempt: Attempt, { head }: Observation): boolean {
  return head.baseFee !== undefined && feeCap(attempt.fees) < head.baseFee
}

export function blocksWaited(attempt: Attempt, head: BlockNumber): number {
  return head - attempt.recordedAtBlock
}
