// A gate in front of the node. Open, it passes JSON-RPC through; closed, it keeps sends from arriving,
// as a slow network would. Reading is never kept back.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Hash, type Hex, keccak256 } from 'viem'

export interface Gate extends AsyncDisposable {
  readonly url: string
  close(): void
  /** Lets what waits pass, in the order in which it came. */
  open(): void
  /** The hashes of the signed transactions that wait. What a dead sender left behind is not among them: it never arrives. */
  waiting(): readonly Hash[]
}

interface Visit {
  readonly body: string
  readonly hashes: readonly Hash[]
  readonly response: ServerResponse
}

export async function openGate(nodeUrl: string): Promise<Gate> {
  let closed = false
  let queue: Visit[] = []

  const server = createServer(async (request, response) => {
    const body = await textOf(request)
    const visit = { body, hashes: hashesIn(body), response }
    response.once('close', () => {
      queue = queue.filter((waiting) => waiting !== visit)
    })
    if (closed && visit.hashes.length > 0) queue.push(visit)
    else await pass(nodeUrl, visit)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')

  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      closed = true
    },
    open: () => {
      closed = false
      for (const visit of queue.splice(0)) void pass(nodeUrl, visit)
    },
    waiting: () => queue.flatMap((visit) => visit.hashes),
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function pass(nodeUrl: string, { body, response }: Visit): Promise<void> {
  try {
    const answer = await fetch(nodeUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  } catch {
    response.writeHead(502).end()
  }
}

function hashesIn(body: string): Hash[] {
  const parsed = JSON.parse(body) as Call | Call[]
  const calls = Array.isArray(parsed) ? parsed : [parsed]
  return calls.flatMap(({ method, params }) => {
    const raw = params?.[0]
    return method === 'eth_sendRawTransaction' && raw !== undefined ? [keccak256(raw)] : []
  })
}

interface Call {
  readonly method: string
  readonly params?: readonly Hex[]
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}
