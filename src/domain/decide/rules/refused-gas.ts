// A gas limit of the service's own choice that every endpoint refuses. Chains cap the gas of a transaction (EIP-7825), and no table has every
// cap: a fifth above an estimate of 14.6 million is above a cap of 2^24. Without this file such a payload would be given up, and a no-op paid.
// The promise: the service signs once more with the bare estimate, and once an endpoint takes that, no margin reaches the refused limit for an
// hour. What a client named is neither lowered nor refused by it. Where no endpoint refuses a limit each function answers undefined.
import { type Attempt, invalidReasonOf, isNoOp, mayBeKnown, newest, wasTaken } from '../../attempt.ts'
import { transferGas } from '../../gas-figures.ts'
import { gasRulesOf, leastGasInFlight } from '../../intrinsic-gas.ts'
import type { RefusedPayload } from '../../observation.ts'
import type { InPhase } from '../../transaction.ts'
import type { Gas } from '../../units.ts'
import type { Situation } from '../plan/work.ts'
import type { Contender } from '../terms/contender.ts'

/** The bare estimate where every endpoint refused a limit above it. `unknown`: a payload's estimate was not read. */
export function lowerGas(
  { transaction, wants, own }: Contender,
  { observation, policy }: Situation,
): Gas | 'unknown' | undefined {
  const { refusedByAll, market, estimates } = observation
  const latest = own.at(-1)
  if (!latest || !refusedByAll?.has(latest.hash) || refusedAbove(own, latest).length > 0) return undefined
  const lower = (bare: Gas, least: Gas) => (bare >= least && bare < latest.gasLimit ? bare : undefined)
  if (wants === 'noOp') return lower(market?.noOpGas ?? latest.gasLimit, policy.profile.floorGas ? transferGas : 0)
  if (wants !== 'payload' || transaction.payload.gasLimit !== undefined) return undefined
  const { kind, ...estimate } = estimates.get(transaction.id) ?? { kind: 'unknown' }
  if (kind === 'unknown') return 'unknown'
  const rules = gasRulesOf(policy.profile, observation)
  return 'gas' in estimate ? lower(estimate.bare ?? estimate.gas, leastGasInFlight(transaction, rules)) : undefined
}

/** The gas of the next no-op: those after a lowered one keep to it. `usual`: with its margin. */
export function gasOfNextNoOp(contender: Contender, situation: Situation, usual: Gas | undefined): Gas | undefined {
  const lower = lowerGas(contender, situation)
  if (typeof lower === 'number') return lower
  const latest = contender.own.at(-1)
  if (!latest || refusedAbove(contender.own, latest).length === 0) return usual
  return Math.max(latest.gasLimit, situation.observation.market?.noOpGas ?? 0)
}

/** The least limit of our choice that all refused while one took the same bytes with less gas. */
export function leastRefusedGas(inFlight: readonly InPhase<'inFlight'>[]): Gas | undefined {
  const refused = inFlight.flatMap(({ payload, lifecycle: { attempts } }) => {
    const own = attempts.filter((attempt) => payload.gasLimit === undefined || isNoOp(attempt))
    return own.filter(wasTaken).flatMap((taken) => refusedAbove(own, taken))
  })
  return refused.length === 0 ? undefined : Math.min(...refused)
}

/** The higher limits of the same payload, or of no-ops, that were refused. */
function refusedAbove(own: readonly Attempt[], { kind, revision, gasLimit }: Attempt): readonly Gas[] {
  return own.flatMap((each) => {
    const isSame = each.kind === kind && each.revision === revision
    return isSame && each.gasLimit > gasLimit && invalidReasonOf(each) !== undefined ? [each.gasLimit] : []
  })
}

/** No-ops with a margin that nodes call invalid: each endpoint's word about them is read. A pool may hold their payloads. */
export function refusedNoOps(inFlight: readonly InPhase<'inFlight'>[]): readonly RefusedPayload[] {
  return inFlight.flatMap(({ lifecycle: { attempts } }) => {
    const latest = newest(attempts)
    if (!isNoOp(latest) || latest.gasLimit <= transferGas || invalidReasonOf(latest) === undefined) return []
    return [
      {
        newest: latest.hash,
        live: attempts
          .filter(isNoOp)
          .filter(mayBeKnown)
          .map(({ hash }) => hash),
      },
    ]
  })
}
