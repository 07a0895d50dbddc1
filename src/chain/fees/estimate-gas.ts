// Estimates the gas of a payload before it gets a nonce: the node's estimate plus a margin, or the reason why it would
// revert. Linea's price depends on the data, so its nodes estimate that, too. A second endpoint confirms a revert.
import { hash } from 'node:crypto'
import { type GasFigures, transferGas } from '../../domain/gas-figures.ts'
import type { Hash } from '../../domain/ids.ts'
import { dataFloorGas } from '../../domain/intrinsic-gas.ts'
import type { Estimate, EstimateRequest } from '../../domain/observation.ts'
import type { NetworkProfile } from '../../domain/profile.ts'
import { aloneAfterMs } from '../../domain/second-witness.ts'
import type { Gas, Wei } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import { memberOf } from '../../ops/member.ts'
import type { Answer, Call, SendCall } from '../nodes/call.ts'
import { toBigInt, toHex, toNumber } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { type Endpoints, firstFitAnswer, othersThan } from '../nodes/endpoints.ts'
import { revertReason } from '../nodes/revert-reason.ts'
import { measureSilence } from '../nodes/silence.ts'

/** State may change between the estimate and the block. */
const marginPercent = 20

export type EstimateRules = Pick<NetworkProfile, 'charges' | 'floorGas' | 'priceSource'> & {
  readonly gasFigures?: GasFigures
}

/** The calls to try, one after the other. */
function estimateCalls(request: EstimateRequest, { priceSource }: EstimateRules): readonly Call[] {
  const { from, to, value, data, accessList } = request
  const transaction = {
    from,
    ...(to !== undefined && { to }),
    value: `0x${value.toString(16)}`,
    data,
    ...(accessList && { accessList }),
  }
  const call = { method: 'eth_estimateGas', params: [transaction] }
  return priceSource === 'linea_estimate_gas' ? [{ ...call, method: 'linea_estimateGas' }, call] : [call]
}

/**
 * A node whose own choice of gas is above the most that a transaction may name refuses it as if it were the payload's (reth, issue
 * 25469). It gets the call again with `most`.
 */
export async function estimateWithin(send: SendCall, call: Call, most: Gas | undefined): Promise<Answer> {
  const answer = await send(call)
  const isOwnChoice = answer.kind === 'rpcError' && /gas (?:limit )?too high/i.test(answer.message)
  if (!isOwnChoice || most === undefined) return answer
  const [transaction, ...rest] = call.params
  return send({ ...call, params: [{ ...Object(transaction), gas: toHex(most) }, ...rest] })
}

/** Undefined when the node did not answer, or failed for a reason of its own. */
function toEstimate(answer: Answer, request: EstimateRequest, rules: EstimateRules): Estimate | undefined {
  if (answer.kind === 'value') {
    const { gas, tip } = readEstimate(answer.value)
    if (gas === undefined) return undefined
    const floor = rules.floorGas ? dataFloorGas(request, rules.gasFigures ?? {}) : 0
    return { kind: 'gas', gas: withMargin(Math.max(floor, gas), rules), ...(tip !== undefined && { tip }) }
  }
  const reason = revertReason(answer)
  return reason === undefined ? undefined : { kind: 'reverts', reason }
}

/** A number; or of `linea_estimateGas` an object with `gasLimit`, `baseFeePerGas` and `priorityFeePerGas`. */
export function readEstimate(value: unknown): { readonly gas?: Gas | undefined; readonly tip?: Wei | undefined } {
  if (typeof value === 'string') return { gas: toNumber(value) }
  return { gas: toNumber(memberOf(value, 'gasLimit')), tip: toBigInt(memberOf(value, 'priorityFeePerGas')) }
}

function withMargin(gas: Gas, { charges }: EstimateRules): Gas {
  if (gas === transferGas || charges === 'gas_limit') return gas
  return Math.ceil((gas * (100 + marginPercent)) / 100)
}

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

/** Estimates gas once per head. Every send wakes a relayer whose queue waits, and each step would repeat all of its estimates. */
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

/**
 * The estimate of another endpoint than `by`, which called the payload reverting. One false estimate must not end a payload, which then
 * gets no nonce. If there is no other endpoint, or none has answered for ten minutes, `first` stands. Undefined until then.
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
  const silence = measureSilence(clock)

  return async (first, request, head, by) => {
    const others = othersThan(by, endpoints)
    if (others.length === 0) return first
    const second = await firstFitAnswer(others, (endpoint) => estimateGas(endpoint, request, head))
    silence.note(second === undefined)
    return second ?? (silence.ms() >= aloneAfterMs ? first : undefined)
  }
}
