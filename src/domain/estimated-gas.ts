// The gas limit by an estimate: with its margin, as far as a block and its fork allow it.
import type { Observation } from './observation.ts'
import type { Transaction } from './transaction.ts'
import type { Gas } from './units.ts'

/** Undefined where there is no estimate. */
export function estimatedGas(
  { id }: Pick<Transaction, 'id'>,
  { estimates, gasLimitMax = Number.POSITIVE_INFINITY }: Pick<Observation, 'estimates' | 'gasLimitMax'>,
): Gas | undefined {
  const estimate = estimates.get(id)
  return estimate?.kind === 'gas' ? Math.min(estimate.gas, gasLimitMax) : undefined
}
