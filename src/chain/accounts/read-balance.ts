// Reads a balance at the latest head, for display.
import type { Address } from '../../domain/ids.ts'
import type { Wei } from '../../domain/units.ts'
import { describeAnswer } from '../nodes/call.ts'
import { toBigInt } from '../nodes/decode.ts'
import type { Endpoints } from '../nodes/endpoints.ts'

/** Rejects with ChainUnavailable when no endpoint returns it. */
export async function readBalance(endpoints: Endpoints, address: Address): Promise<Wei> {
  const { value } = await endpoints.firstAnswer(async (endpoint) => {
    const answer = await endpoint.call({ method: 'eth_getBalance', params: [address, 'latest'] })
    const wei = answer.kind === 'value' ? toBigInt(answer.value) : undefined
    return wei === undefined ? { failed: describeAnswer(answer) } : { value: wei }
  })
  return value
}
