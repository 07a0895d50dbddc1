// The calls of clients to one endpoint, apart from those of the engine: on connections of their own, opened when first needed.
import type { SendCall } from './call.ts'
import { callAlone } from './call-alone.ts'
import { answerLimits } from './expected-answer.ts'
import { type Forwarder, openForwarder } from './forward.ts'
import type { OpenTransport, Transport, TransportOptions } from './transport.ts'

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
