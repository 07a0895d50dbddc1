// Gas, asked for once under a head: a relayer whose queue waits is woken by every send, and would ask for all of it again.
import { hash } from 'node:crypto'
import type { Hash } from '../../domain/ids.ts'
import type { Estimate, EstimateRequest } from '../../domain/observation.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { estimateCall, toEstimate } from './estimate-gas.ts'

/** Undefined when nothing is known. */
export type EstimateGas = (endpoint: Endpoint, request: EstimateRequest, head: Hash) => Promise<Estimate | undefined>

/** Far more than is estimated under one head, where there is another one before long. */
const keptMax = 10_000

export function estimatingOnce(): EstimateGas {
  let under: Hash | undefined
  let known = new Map<string, Estimate>()

  return async (endpoint, request, head) => {
    if (under !== head || known.size >= keptMax) {
      under = head
      known = new Map()
    }
    const call = estimateCall(request)
    const key = hash('sha256', JSON.stringify(call.params))
    const estimated = known.get(key)
    if (estimated) return estimated
    const estimate = toEstimate(await endpoint.call(call))
    // What would revert may need no more than what is ahead of it, and some nodes estimate on top of their pool.
    if (estimate?.kind === 'gas' && under === head) known.set(key, estimate)
    return estimate
  }
}
