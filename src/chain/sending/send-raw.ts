// Sends signed bytes to one endpoint by the method that the profile names, or by eth_sendRawTransaction where the node
// does not have that method.
import type { NetworkProfile } from '../../domain/profile.ts'
import type { BroadcastRequest } from '../chain.ts'
import type { Answer, Call } from '../nodes/call.ts'
import type { Endpoint } from '../nodes/endpoint.ts'

export type SendMethods = Pick<NetworkProfile, 'sendSync' | 'sendConditional'>

/** JSON-RPC 2.0: "method not found" and "invalid params". Nothing was done. */
const unsupported: readonly number[] = [-32601, -32602]

export async function sendRaw(endpoint: Endpoint, request: BroadcastRequest, methods: SendMethods): Promise<Answer> {
  const preferred = preferredCall(request, methods)
  const answer = preferred && (await endpoint.call(preferred))
  const isAnswered = answer && !(answer.kind === 'rpcError' && unsupported.includes(answer.code))
  return isAnswered ? answer : endpoint.call({ method: 'eth_sendRawTransaction', params: [request.raw] })
}

function preferredCall({ raw, validUntil }: BroadcastRequest, methods: SendMethods): Call | undefined {
  if (methods.sendConditional && validUntil !== undefined) {
    // In whole seconds, so that the sequencer never orders it later than its client allows.
    const timestampMax = `0x${Math.floor(validUntil / 1_000).toString(16)}`
    return { method: 'eth_sendRawTransactionConditional', params: [raw, { timestampMax }] }
  }
  return methods.sendSync ? { method: 'eth_sendRawTransactionSync', params: [raw] } : undefined
}
