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

export async function startCallCounter(nodeUrl: string): Promise<CallCounter> {
  const node = new Pool(nodeUrl, { connections: 8 })
  const counts = new Map<string, number>()
  let httpRequests = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const parsed = JSON.parse(body) as { method: string } | { method: string }[]
    for (const { method } of Array.isArray(parsed) ? parsed : [parsed])
      counts.set(method, (counts.get(method) ?? 0) + 1)
    httpRequests++
    const headers = { 'content-type': 'application/json' }
    const answer = await node.request({ method: 'POST', path: '/', headers, body })
    response.writeHead(answer.statusCode, headers).end(await answer.body.text())
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
