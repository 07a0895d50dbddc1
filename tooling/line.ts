// The line between the service and its node: open, cut, or with manners of the test's choosing.
import { freePort } from './free-port.ts'
import { same } from './ledger.ts'
import { type Reaction, type RpcCall, type RpcRequest, type RpcServer, startRpcServer } from './rpc-server.ts'

export interface Line extends AsyncDisposable {
  readonly url: string
  /** Passes everything on, from now on. */
  open(): void
  /** How the requests that hold a signed transaction are treated from now on; reading goes on. */
  onSend(reaction: Reaction): void
  onRequest(reaction: (request: RpcRequest) => Reaction): void
  /** Connections are refused from now on, and those that stand are closed. */
  cut(): Promise<void>
  /** Cut by itself after the next look at an account, which a relayer takes at a new head: what it then sends reaches no node. */
  cutBeforeSend(address: string): void
  isCut(): boolean
  /** After a cut. */
  mend(): Promise<void>
  /** The signed transactions that arrived here so far, raw, oldest first, repetitions included. */
  sent(): readonly string[]
  /** Requests since the line was last mended. */
  calls(method: string): readonly RpcCall[]
}

export async function openLine(nodeUrl: string): Promise<Line> {
  // Its own, so that nobody else is there while it is cut.
  const port = await freePort()
  let server: RpcServer = await startRpcServer({ forwardTo: nodeUrl, port })
  const { url } = server
  const earlier: string[] = []
  let cut = false

  const sentNow = () => server.calls('eth_sendRawTransaction').map(({ params }) => String(params[0]))
  return {
    url,
    open: () => server.react({ do: 'forward' }),
    onSend: (reaction) => server.react((request) => (isSend(request) ? reaction : { do: 'forward' })),
    onRequest: (reaction) => server.react(reaction),
    cut: async () => {
      cut = true
      await server.stop()
    },
    cutBeforeSend: (address) =>
      server.react((request) => {
        const looks = request.calls.some(({ method, params: [of] }) => {
          return method === 'eth_getTransactionCount' && same(String(of), address)
        })
        if (!looks) return { do: 'forward' }
        cut = true
        return { do: 'forwardAndStop' }
      }),
    isCut: () => cut,
    mend: async () => {
      await server.stop()
      earlier.push(...sentNow())
      server = await startRpcServer({ forwardTo: nodeUrl, port })
      cut = false
    },
    sent: () => [...earlier, ...sentNow()],
    calls: (method) => server.calls(method),
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

function isSend({ calls }: RpcRequest): boolean {
  return calls.some(({ method }) => method === 'eth_sendRawTransaction')
}
