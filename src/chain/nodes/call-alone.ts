// Sends one call in a request of its own, so that it neither waits for other calls nor delays them.
import type { Answer, Call } from './call.ts'
import { matchIds } from './match-ids.ts'
import { isObject, leftOut, toAnswer } from './response-body.ts'
import type { Transport } from './transport.ts'

/** Never rejects. */
export async function callAlone(transport: Transport, { method, params }: Call): Promise<Answer> {
  const posted = await transport.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  if (posted.kind !== 'body') return posted
  const isMixed = isObject(posted.json) && matchIds([posted.json], [1]).areMixed
  return isMixed ? leftOut : toAnswer(posted.json, transport.redact)
}
