// A second endpoint's word on a payload that an estimate calls reverting: such a payload ends without a nonce, so one false estimate
// would end it.
import type { Hash } from '../../domain/ids.ts'
import type { Estimate, EstimateRequest } from '../../domain/observation.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import type { EstimateGas } from './estimate-once.ts'

/** The time of silence after which the only endpoint that answers is enough. */
const silenceMaxMs = 600_000

/**
 * The estimate of another endpoint than `by`, which called the payload reverting. If there is none, or none has answered for ten
 * minutes, `first` stands. Undefined until then.
 */
export type SecondEstimate = (
  first: Estimate,
  request: EstimateRequest,
  head: Hash,
  by: Endpoint,
) => Promise<Estimate | undefined>

export function readingSecondEstimates(
  endpoints: Endpoints,
  estimateGas: EstimateGas,
  clock: Pick<Clock, 'elapsed'>,
): SecondEstimate {
  /** The first request since another endpoint answered. By `clock.elapsed()`. */
  let silentSince: number | undefined

  return async (first, request, head, by) => {
    const others = endpoints.order(by).filter((each) => each !== by)
    if (others.length === 0) return first
    for (const endpoint of others) {
      const isReady = endpoint.fit() && (await endpoint.ready()) === undefined
      const estimate = isReady ? await estimateGas(endpoint, request, head) : undefined
      if (estimate === undefined) continue
      silentSince = undefined
      return estimate
    }
    silentSince ??= clock.elapsed()
    return clock.elapsed() - silentSince >= silenceMaxMs ? first : undefined
  }
}
