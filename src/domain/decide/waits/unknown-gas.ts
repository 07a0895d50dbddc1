// Why the gas of a payload is unknown, or in dispute.
import type { Estimate } from '../../observation.ts'
import type { FactsOf, GasBetween } from '../../wait-facts.ts'

/** Why an estimate is none: in a node's words, or since two providers differ. */
export function factsOfUnknownGas(of: 'send' | 'replacement', estimate: Estimate | undefined): FactsOf['gas_unknown'] {
  if (estimate?.kind === 'differ') return { of: 'differ', lower: estimate.lower, higher: estimate.higher }
  return { of, ...(estimate?.kind === 'fails' && { words: estimate.reason }) }
}

/** The estimates of two providers that differ, where the higher one counts. */
export function gasBetweenIn(estimate: Estimate | undefined): GasBetween | undefined {
  if (estimate?.kind !== 'gas' || estimate.lower === undefined) return undefined
  return { lower: estimate.lower, higher: estimate.gas }
}
