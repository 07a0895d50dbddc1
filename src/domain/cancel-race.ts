// The race for a canceled transaction's nonce: our no-op against everything a node may hold, until one is mined.
import { type Attempt, isNoOp, mayBeKnown, newest, rejectionOf } from './attempt.ts'
import { explain, roughly } from './condition.ts'
import type { Decision } from './decision.ts'
import { feeCap, replacementFees } from './fees.ts'
import { lasting } from './hindrance.ts'
import { isNonEmpty } from './ids.ts'
import type { Observation } from './observation.ts'
import { dueAgain, isSpent, isStuck, outpriced, refusedOverAStranger } from './pursue.ts'
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
  if (latest.handOver.state === 'held') {
    const reason = `canceled; the no-op could not reach a node: ${latest.handOver.reason}`
    return [...explain(transaction, 'node_unreachable', reason), ...again]
  }
  // A dearer no-op is no answer to a balance that can't pay for this one.
  const rejection = rejectionOf(latest)
  if (rejection?.code === 'insufficientFunds') {
    const cost = BigInt(latest.gasLimit) * feeCap(latest.fees)
    const reason = `canceled; the balance does not cover the no-op, which may cost ${cost} wei: top it up`
    return [...explain(transaction, 'cancel_unfunded', reason), ...again]
  }
  const waitsTooLong = isStuck(latest, observation, policy.cancelBumpAfterBlocks)
  if (waitsTooLong || outpriced(latest, observation)) {
    const raised = takeOver(transaction, rivals, noOps, work, observation)
    // At its cap it still races: the pools may have lost it, and a node that knows it may yet mine it.
    return raised.some(({ do: what }) => what === 'takeOver') ? raised : [...raised, ...again]
  }
  if (latest.handOver.state === 'refused') {
    return explain(transaction, 'node_refuses', `canceled; the node refused the no-op: ${latest.handOver.reason}`)
  }
  if (!rejection || !lasting.includes(rejection.code)) return again
  const reason = `canceled; the node refuses the no-op for now, and is handed it again: ${rejection.message}`
  return [...explain(transaction, 'node_refuses', reason), ...again]
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
  const latest = noOps.at(-1)
  const refused = latest && refusedOverAStranger(latest)
  const options = { speed: 'fastest', tries: noOps.length, rule: observation.rule, refused } as const
  const fees = replacementFees(rivals, observation.market, { ...options, cap })
  if (fees && latest && isSpent(noOps.length, fees, latest)) {
    const reason = `canceled; none of ${noOps.length} no-ops for nonce ${latest.nonce} was mined: they are handed over again, and another is signed once the price doubles`
    return explain(transaction, 'attempts_exhausted', reason)
  }
  if (fees) return [{ do: 'takeOver', transaction, fees }]
  const wanted = replacementFees(rivals, observation.market, { ...options, cap: undefined })
  const price = wanted ? ` (up to ${roughly(feeCap(wanted))} wei per gas)` : ''
  const reason = `canceled; the no-op would need more${price} than cancel_gas_price_cap (${cap} wei), and is tried again each block: raise the cap, if it must win`
  return explain(transaction, 'cancel_gas_price_cap', reason)
}
