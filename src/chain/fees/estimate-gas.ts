// Estimates the gas of a payload by one endpoint: the node's estimate plus a margin, or the reason why it would fail. Linea's price
// depends on the data, so its nodes estimate that, too.
import { type GasFigures, transferGas } from '../../domain/gas-figures.ts'
import { dataFloorGas } from '../../domain/intrinsic-gas.ts'
import type { Estimate, EstimateRequest } from '../../domain/observation.ts'
import type { NetworkProfile } from '../../domain/profile.ts'
import type { BlockNumber, Gas, Wei } from '../../domain/units.ts'
import { memberOf } from '../../ops/member.ts'
import type { Answer, Call, SendCall } from '../nodes/call.ts'
import { toBigInt, toHex, toNumber } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { failureReason, revertReason } from '../nodes/revert-reason.ts'

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

/** What one endpoint says. `fails`: the execution fails otherwise than by a revert, in words of the node's own. */
export type Said = Extract<Estimate, { kind: 'gas' | 'reverts' }> | { readonly kind: 'fails'; readonly reason: string }

/**
 * Undefined when the node did not answer, or failed for a reason of its own. `block`: the state at its end counts, and not the one that the
 * node has now.
 */
export async function estimateBy(
  { call }: Pick<Endpoint, 'call'>,
  request: EstimateRequest,
  rules: EstimateRules,
  most: Gas | undefined,
  block?: BlockNumber,
): Promise<Said | undefined> {
  let failed: Said | undefined
  for (const { method, params } of estimateCalls(request, rules)) {
    const at = block === undefined ? params : [...params, toHex(block)]
    const said = toEstimate(await estimateWithin(call, { method, params: at }, most), request, rules)
    if (said && said.kind !== 'fails') return said
    failed ??= said
  }
  return failed
}

function toEstimate(answer: Answer, request: EstimateRequest, rules: EstimateRules): Said | undefined {
  if (answer.kind === 'value') {
    const { gas, tip } = readEstimate(answer.value)
    if (gas === undefined) return undefined
    const floor = rules.floorGas ? dataFloorGas(request, rules.gasFigures ?? {}) : 0
    const bare = Math.max(floor, gas)
    return { ...withMargin(bare, rules), ...(tip !== undefined && { tip }) }
  }
  const reverted = revertReason(answer)
  if (reverted !== undefined) return { kind: 'reverts', reason: reverted }
  const failed = failureReason(answer)
  return failed === undefined ? undefined : { kind: 'fails', reason: failed }
}

/** A number; or of `linea_estimateGas` an object with `gasLimit`, `baseFeePerGas` and `priorityFeePerGas`. */
export function readEstimate(value: unknown): { readonly gas?: Gas | undefined; readonly tip?: Wei | undefined } {
  if (typeof value === 'string') return { gas: toNumber(value) }
  return { gas: toNumber(memberOf(value, 'gasLimit')), tip: toBigInt(memberOf(value, 'priorityFeePerGas')) }
}

function withMargin(bare: Gas, { charges }: EstimateRules): Extract<Estimate, { kind: 'gas' }> {
  if (bare === transferGas || charges === 'gas_limit') return { kind: 'gas', gas: bare }
  return { kind: 'gas', gas: Math.ceil((bare * (100 + marginPercent)) / 100), bare }
}

/** Limits as of the last head. */
export interface GasLimits {
  readonly figures: () => GasFigures
  /** The gas limit of one transaction. Undefined where nothing limits it. */
  readonly most: () => Gas | undefined
}
