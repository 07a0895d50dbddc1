// The race for a canceled transaction's nonce: our no-op against everything a node may hold, until one is mined.
import { type Attempt, isNoOp, mayBeKnown, newest, rejectionOf } from './attempt.ts'
import type { Decision } from './decision.ts'
import { replacementFees } from './fees.ts'
import { isNonEmpty } from './ids.ts'
import type { Observation } from './observation.ts'
import { attemptsMax, dueAgain, explain, isStuck, outpriced } from './pursue.ts'
import type { NetworkPolicy } from './relayer.ts'
import type { InPhase } from './transaction.ts'
import type { TimestampMs } from './units.ts'
import type { Work } from './work.ts'

/** The gas of a transfer to an account without code (EIP-2028): what a no-op needs. */
export const noOpGas = 21_000

export function race(
  transaction: InPhase<'inFlight'>,
  work: Work,
  observation: Observation,
  policy: NetworkPolicy,
  now: TimestampMs,
): Decision[] {
  const { attempts } = transaction.lifecycle
  const rivals = attempts.filter(mayBeKnown)
  if (!isNonEmpty(rivals)) return [{ do: 'drop', transaction }]

  const noOps = attempts.filter(isNoOp)
  if (!isNonEmpty(noOps)) return takeOver(transaction, rivals, noOps, work, observation)
  const latest = newest(noOps)
  const again: Decision[] = dueAgain(latest, policy, now) ? [{ do: 'rebroadcast', transaction, attempt: latest }] : []
  if (latest.handOver.state === 'held' || noOps.length >= attemptsMax) return again
  // A dearer no-op is no answer to a balance that can't pay for this one.
  if (rejectionOf(latest)?.code === 'insufficientFunds') {
    return [...explain(transaction, 'canceled; the balance does not cover the no-op: top it up'), ...again]
  }
  const waitsTooLong = isStuck(latest, observation, policy.cancelBumpAfterBlocks)
  if (waitsTooLong || outpriced(latest, observation)) {
    const raised = takeOver(transaction, rivals, noOps, work, observation)
    // At its cap it still races: the pools may have lost it, and a node that knows it may yet mine it.
    return raised.some(({ do: what }) => what === 'takeOver') ? raised : [...raised, ...again]
  }
  if (latest.handOver.state !== 'refused') return again
  return explain(transaction, `canceled; the node refused the no-op: ${latest.handOver.reason}`)
}

function takeOver(
  transaction: InPhase<'inFlight'>,
  rivals: readonly [Attempt, ...Attempt[]],
  noOps: readonly Attempt[],
  work: Work,
  observation: Observation,
): Decision[] {
  if (!observation.market) return []
  // Its own cap, never the sends': a blocked nonce that costs more than the sends' cap would be stuck for ever.
  const cap = work.relayer.policies.cancelGasPriceCap
  const fees = replacementFees(rivals, observation.market, {
    speed: 'fastest',
    tries: noOps.length,
    rule: observation.rule,
    cap,
  })
  if (fees) return [{ do: 'takeOver', transaction, fees }]
  const reason = `canceled; the no-op would need more than cancel_gas_price_cap (${cap} wei), and is tried again each block`
  return explain(transaction, reason)
}
