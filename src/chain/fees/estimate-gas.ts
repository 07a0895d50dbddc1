// Estimates the gas of a payload before it gets a nonce: the node's estimate plus a margin, or the reason why it would
// revert.
import type { Estimate, EstimateRequest } from '../../domain/observation.ts'
import type { Answer, Call } from '../nodes/call.ts'
import { toNumber } from '../nodes/decode.ts'
import { revertReason } from '../nodes/revert-reason.ts'

/** A plain transfer (Yellow Paper, G_transaction) always costs exactly this. */
const transferGas = 21_000
/** State may change between the estimate and the block. */
const marginPercent = 20

export function estimateCall(request: EstimateRequest): Call {
  const { from, to, value, data, accessList } = request
  const transaction = {
    from,
    ...(to !== undefined && { to }),
    value: `0x${value.toString(16)}`,
    data,
    ...(accessList && { accessList }),
  }
  return { method: 'eth_estimateGas', params: [transaction] }
}

/** Undefined when the node did not answer, or failed for a reason of its own. */
export function toEstimate(answer: Answer): Estimate | undefined {
  if (answer.kind === 'value') {
    const gas = toNumber(answer.value)
    return gas === undefined ? undefined : { kind: 'gas', gas: withMargin(gas) }
  }
  const reason = revertReason(answer)
  return reason === undefined ? undefined : { kind: 'reverts', reason }
}

function withMargin(gas: number): number {
  return gas === transferGas ? gas : Math.ceil((gas * (100 + marginPercent)) / 100)
}
