// The calls of clients to one endpoint, apart from those of the engine: on connections of their own, opened when first needed.
import type { Answer, Call, SendCall } from './call.ts'
import { answerLimits, expectedMember } from './expected-answer.ts'
import { type Forwarder, openForwarder } from './forward.ts'
import { isObject, leftOut, matchIds, toAnswer } from './response-body.ts'
import type { OpenTransport, Transport, TransportOptions } from './transport.ts'

/**
 * Sends one call in a request of its own, so that it neither waits for other calls nor delays them. Never rejects. `bytesMax`: of the answer, in place of the
 * transport's own limit.
 */
export async function callAlone(transport: Transport, call: Call, bytesMax?: number): Promise<Answer> {
  const { method, params } = call
  const expected = bytesMax === undefined ? undefined : { bytesMax, calls: [expectedMember(1, call)] }
  const posted = await transport.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), expected)
  if (posted.kind !== 'body') return posted
  const isMixed = isObject(posted.json) && matchIds([posted.json], [1]).areMixed
  return isMixed ? leftOut : toAnswer(posted.json, transport.redact)
}

/** A few at a time, and no answer so large that reading it would hold up the process. */
const asideLimits = { connectionsMax: 4, answerBytesMax: 8 * 1024 * 1024 }

interface Aside {
  readonly call: SendCall
  readonly forward: Forwarder['forward']
  close(): Promise<void>
}

export function openAside(openTransport: OpenTransport, addressed: TransportOptions): Aside {
  let transport: Transport | undefined
  let forwarder: Forwarder | undefined
  return {
    call: (one) => {
      transport ??= openTransport({ ...addressed, ...asideLimits })
      return callAlone(transport, one, one.keeps && answerLimits.largestBytes)
    },
    forward: (read) => {
      forwarder ??= openForwarder(addressed)
      return forwarder.forward(read)
    },
    close: async () => {
      await Promise.all([transport?.close(), forwarder?.close()])
    },
  }
}
