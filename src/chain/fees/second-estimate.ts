// A second endpoint's word on a payload that an estimate calls reverting: such a payload ends without a nonce, so one false estimate
// would end it.
import type { Hash, TransactionId } from '../../domain/ids.ts'
import type { Estimate, EstimateRequest, Inquiry } from '../../domain/observation.ts'
import type { Clock } from '../../ops/clock.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import type { EstimateGas } from './estimate-once.ts'

/** After this time of silence, the only endpoint that answers is enough. */
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

type Estimates = ReadonlyMap<TransactionId, Estimate>

/** Without a second endpoint's word, a payload that would revert has no estimate yet. */
export function confirmingReverts(...of: Parameters<typeof readingSecondEstimates>) {
  const secondEstimate = readingSecondEstimates(...of)
  return async (estimates: Estimates, { estimates: requests }: Inquiry, { head }: TrackedHead, by: Endpoint) => {
    const confirmed = new Map(estimates)
    for (const request of requests) {
      const first = estimates.get(request.transactionId)
      if (first?.kind !== 'reverts') continue
      const second = await secondEstimate(first, request, head.hash, by)
      if (second) confirmed.set(request.transactionId, second)
      else confirmed.delete(request.transactionId)
    }
    return confirmed
  }
}
