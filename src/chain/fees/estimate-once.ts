// Estimates gas once per head. Every send wakes a relayer whose queue waits, and each step would repeat all of its
// estimates.
import { hash } from 'node:crypto'
import type { GasFigures } from '../../domain/gas-figures.ts'
import type { Hash } from '../../domain/ids.ts'
import type { Estimate, EstimateRequest } from '../../domain/observation.ts'
import type { Gas } from '../../domain/units.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { type EstimateRules, estimateCalls, estimateWithin, toEstimate } from './estimate-gas.ts'

/** Limits as of the last head. */
export interface GasLimits {
  readonly figures: () => GasFigures
  /** The gas limit of one transaction. Undefined where nothing limits it. */
  readonly most: () => Gas | undefined
}

/** Undefined when there is no estimate. */
export type EstimateGas = (endpoint: Endpoint, request: EstimateRequest, head: Hash) => Promise<Estimate | undefined>

/** The estimates kept: far more than one head needs where heads follow each other. */
const keptMax = 10_000

export function estimatingOnce(profile: EstimateRules, limits: GasLimits): EstimateGas {
  let under: Hash | undefined
  let known = new Map<string, Estimate>()

  return async (endpoint, request, head) => {
    if (under !== head || known.size >= keptMax) {
      under = head
      known = new Map()
    }
    const rules = { ...profile, gasFigures: limits.figures() }
    const calls = estimateCalls(request, rules)
    const key = hash('sha256', JSON.stringify(calls[0]?.params))
    const estimated = known.get(key)
    if (estimated) return estimated
    let estimate: Estimate | undefined
    for (const call of calls)
      estimate ??= toEstimate(await estimateWithin(endpoint.call, call, limits.most()), request, rules)
    // A payload that reverts is estimated again: it may only depend on a transaction ahead of it, and some nodes
    // estimate on top of their pool.
    if (estimate?.kind === 'gas' && under === head) known.set(key, estimate)
    return estimate
  }
}
