// Sends one call in a request of its own, so that it neither waits for other calls nor delays them.
import type { Answer, Call } from './call.ts'
import { expectedMember } from './expected-answer.ts'
import { isObject, leftOut, matchIds, toAnswer } from './response-body.ts'
import type { Transport } from './transport.ts'

/** Never rejects. `bytesMax`: the limit of the answer, in place of the transport's own. */
export async function callAlone(transport: Transport, call: Call, bytesMax?: number): Promise<Answer> {
  const { method, params } = call
  const expected = bytesMax === undefined ? undefined : { bytesMax, calls: [expectedMember(1, call)] }
  const posted = await transport.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), expected)
  if (posted.kind !== 'body') return posted
  const isMixed = isObject(posted.json) && matchIds([posted.json], [1]).areMixed
  return isMixed ? leftOut : toAnswer(posted.json, transport.redact)
}
