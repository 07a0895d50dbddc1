// The ways in which gateways refuse a JSON-RPC batch, as an HTTP status and a body.
import type { Reaction, RpcCall, RpcRequest } from './rpc-server.ts'

export interface Refusal {
  readonly name: string
  readonly status: number
  body(calls: readonly Pick<RpcCall, 'id'>[]): string
}

const tooLarge = { code: -32600, message: 'batch too large' }
const refusal = (id: unknown, error: object = tooLarge) => ({ jsonrpc: '2.0', id, error })
const always = (name: string, status: number, body: string): Refusal => ({ name, status, body: () => body })

export const refusals: readonly Refusal[] = [
  always('HTTP 400 and text', 400, 'Bad Request'),
  always('HTTP 400 and a JSON-RPC error', 400, JSON.stringify(refusal(null))),
  always('HTTP 403 and a page', 403, '<html><body>403 Forbidden</body></html>'),
  always('HTTP 405 and text', 405, 'Method Not Allowed'),
  always('HTTP 413 and a page', 413, '<html><body>413 Request Entity Too Large</body></html>'),
  always('HTTP 413 and a limit exceeded', 413, JSON.stringify(refusal(null, { code: -32005, message: 'too many' }))),
  always('HTTP 415 and no body', 415, ''),
  always('HTTP 422 and JSON of its own', 422, '{"detail":"expected an object"}'),
  always('HTTP 500 and an invalid request', 500, JSON.stringify(refusal(null))),
  always('HTTP 501 and text', 501, 'Not Implemented'),
  always('a bare object', 200, '{}'),
  always('a lone error', 200, JSON.stringify(refusal(null, { code: -32000, message: 'batch limit 10 exceeded' }))),
  always('a lone error in a list', 200, JSON.stringify([refusal(null)])),
  always('an empty list', 200, '[]'),
  always('a JSON null', 200, 'null'),
  always('a JSON text', 200, '"batches are not supported"'),
  // geth's --rpc.batch-request-limit: one error for the whole, under the id of the first call.
  { name: 'an error for the first call', status: 200, body: (calls) => JSON.stringify([refusal(calls[0]?.id)]) },
  { name: 'errors without ids', status: 200, body: (calls) => JSON.stringify(calls.map(() => refusal(null))) },
]

/** A gateway that refuses batches of more than `callsMax` calls, and treats the rest as `otherwise` says. */
export function refusing(how: Refusal, callsMax: number, otherwise: Reaction): (request: RpcRequest) => Reaction {
  return ({ calls, batch }) =>
    batch && calls.length > callsMax ? { do: 'say', status: how.status, body: how.body(calls) } : otherwise
}
