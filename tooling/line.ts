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
  /** How often the nonce of an account was read here so far. */
  looksAt(address: string): number
  /** The signed transactions that arrived here so far, raw, oldest first, repetitions included. */
  sent(): readonly string[]
  /** Requests since the line was last mended. */
  calls(method: string): readonly RpcCall[]
  /** The newest block whose prices were read since then. */
  newestPriced(): number
}

export async function openLine(nodeUrl: string): Promise<Line> {
  // Its own, so that nobody else is there while it is cut.
  const port = await freePort()
  let server: RpcServer = await startRpcServer({ forwardTo: nodeUrl, port })
  const { url } = server
  const earlier: string[] = []
  const earlierLooks: RpcCall[] = []
  let cut = false

  const sentNow = () => server.calls('eth_sendRawTransaction').map(({ params }) => String(params[0]))
  const looksNow = () => server.calls('eth_getTransactionCount')
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
        if (!request.calls.some((call) => isLookAt(call, address))) return { do: 'forward' }
        cut = true
        return { do: 'forwardAndStop' }
      }),
    isCut: () => cut,
    mend: async () => {
      await server.stop()
      earlier.push(...sentNow())
      earlierLooks.push(...looksNow())
      server = await startRpcServer({ forwardTo: nodeUrl, port })
      cut = false
    },
    looksAt: (address) => [...earlierLooks, ...looksNow()].filter((call) => isLookAt(call, address)).length,
    sent: () => [...earlier, ...sentNow()],
    calls: (method) => server.calls(method),
    newestPriced: () => Math.max(0, ...server.requests.map(newestPriced)),
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

function isLookAt({ method, params: [of] }: RpcCall, address: string): boolean {
  return method === 'eth_getTransactionCount' && same(String(of), address)
}

function newestPriced({ calls, answer }: RpcRequest): number {
  const ids = calls.filter(({ method }) => method === 'eth_feeHistory').map(({ id }) => id)
  if (ids.length === 0 || answer === undefined) return 0
  const answers = [JSON.parse(answer)].flat() as { id: unknown; result?: { oldestBlock: string; reward: unknown[] } }[]
  const histories = answers.filter(({ id }) => ids.includes(id)).flatMap(({ result }) => result ?? [])
  return Math.max(0, ...histories.map(({ oldestBlock, reward }) => Number(oldestBlock) + reward.length - 1))
}

function isSend({ calls }: RpcRequest): boolean {
  return calls.some(({ method }) => method === 'eth_sendRawTransaction')
}
