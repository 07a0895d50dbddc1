// A proxy that opens tunnels (RFC 9110, CONNECT) to the stand-ins of hosts, and to nothing else.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

export interface ConnectProxy extends AsyncDisposable {
  readonly url: string
  /** With its credentials. */
  readonly tunnels: readonly { readonly target: string; readonly authorization?: string }[]
  /** Requests to this host and port reach the server of this URL. */
  lead(target: string, to: string): void
}

export async function startConnectProxy(): Promise<ConnectProxy> {
  const tunnels: { target: string; authorization?: string }[] = []
  const targets = new Map<string, URL>()
  const sockets = new Set<Socket>()
  const server = createServer((_, response) => response.writeHead(405).end())
  server.on('connection', (socket) => void sockets.add(socket))
  server.on('connect', ({ url: target = '', headers }, client: Socket) => {
    const authorization = headers['proxy-authorization']
    tunnels.push({ target, ...(authorization !== undefined && { authorization }) })
    const to = targets.get(target)
    if (!to) return void client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const upstream = connect(Number(to.port), to.hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    sockets.add(upstream)
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    lead: (target, to) => void targets.set(target, new URL(to)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
