// Estimates the gas of a payload before it gets a nonce: the node's estimate plus a margin, or the reason why it would
// revert. Linea's price depends on the data, so its nodes estimate that, too.
import { type GasFigures, transferGas } from '../../domain/gas-figures.ts'
import { dataFloorGas } from '../../domain/intrinsic-gas.ts'
import type { Estimate, EstimateRequest } from '../../domain/observation.ts'
import type { NetworkProfile } from '../../domain/profile.ts'
import type { Gas, Wei } from '../../domain/units.ts'
import { memberOf } from '../../ops/member.ts'
import type { Answer, Call, SendCall } from '../nodes/call.ts'
import { toBigInt, toHex, toNumber } from '../nodes/decode.ts'
import { revertReason } from '../nodes/revert-reason.ts'

/** State may change between the estimate and the block. */
const marginPercent = 20

export type EstimateRules = Pick<NetworkProfile, 'charges' | 'floorGas' | 'priceSource'> & {
  readonly gasFigures?: GasFigures
}

/** The calls to try, one after the other. */
export function estimateCalls(request: EstimateRequest, { priceSource }: EstimateRules): readonly Call[] {
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
export function toEstimate(answer: Answer, request: EstimateRequest, rules: EstimateRules): Estimate | undefined {
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
