// A reverse proxy in front of a node that counts what providers bill: each JSON-RPC call, batched or not.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Pool } from 'undici'

export interface CallCounter extends AsyncDisposable {
  readonly url: string
  /** Calls by method since the start. */
  counts(): ReadonlyMap<string, number>
  httpRequests(): number
  forget(): void
}

interface Counted {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

interface Answer {
  readonly id: unknown
  readonly result?: { readonly blockNumber?: string } | null
}

interface CallCounterOptions {
  /** Methods that it refuses, as many gateways do. */
  readonly unserved?: readonly string[] | undefined
  /** Answers as a node that is one block behind. */
  readonly isOneBehind?: boolean | undefined
}

export async function startCallCounter(
  nodeUrl: string,
  { unserved = [], isOneBehind = false }: CallCounterOptions = {},
): Promise<CallCounter> {
  const node = new Pool(nodeUrl, { connections: 8 })
  const counts = new Map<string, number>()
  let httpRequests = 0
  const headers = { 'content-type': 'application/json' }
  async function ask(calls: readonly Counted[]): Promise<readonly Answer[]> {
    const answer = await node.request({ method: 'POST', path: '/', headers, body: JSON.stringify(calls) })
    return (await answer.body.json()) as Answer[]
  }
  async function askBehind(calls: readonly Counted[]): Promise<readonly Answer[]> {
    const [height] = await ask([{ id: 1, method: 'eth_blockNumber', params: [] }])
    const newest = Number(height?.result)
    const older = calls.map((call) => {
      const params = call.params.map((each) => (each === 'latest' ? `0x${(newest - 1).toString(16)}` : each))
      return { ...call, params }
    })
    const hidden = new Set(older.filter(({ params }) => Number(params[0] ?? 0) === newest).map(({ id }) => id))
    const isHidden = ({ id, result }: Answer) => hidden.has(id) || Number(result?.blockNumber ?? -1) === newest
    return (await ask(older)).map((each) => (isHidden(each) ? { ...each, result: null } : each))
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const parsed = JSON.parse(body) as Counted | Counted[]
    const calls = [parsed].flat()
    for (const { method } of calls) counts.set(method, (counts.get(method) ?? 0) + 1)
    httpRequests++
    const served = calls.filter(({ method }) => !unserved.includes(method))
    const answers: unknown[] = calls.flatMap(({ id, method }) => {
      return unserved.includes(method)
        ? [{ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }]
        : []
    })
    if (served.length > 0) answers.push(...(isOneBehind ? await askBehind(served) : await ask(served)))
    response.writeHead(200, headers).end(JSON.stringify(Array.isArray(parsed) ? answers : answers[0]))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    counts: () => counts,
    httpRequests: () => httpRequests,
    forget: () => {
      counts.clear()
      httpRequests = 0
    },
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await node.destroy()
    },
  }
}
