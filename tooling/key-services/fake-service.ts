// What the fakes of key services share: an HTTP server, the requests that came, and failures to order.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'

export interface FakeRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Whether the client proved a certificate that the server trusts. */
  readonly hasCertificate: boolean
}

export interface FakeReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON. */
  readonly body: object | string
}

/**
 * `hang`: the request is never answered. `drop`: the connection closes. A reply takes the place of the right one, and may quote the
 * request.
 */
export type FakeFailure = 'hang' | 'drop' | FakeReply | ((request: FakeRequest) => FakeReply)

export interface FakeService extends AsyncDisposable {
  readonly url: string
  /** Those that were authenticated or not, in their order. */
  readonly requests: readonly FakeRequest[]
  /** The next requests whose path holds `where` fail, one by each failure. */
  failNext(where: string, ...failures: readonly FakeFailure[]): void
  /** From now on all requests whose path holds `where` fail so; undefined ends that. */
  failAll(where: string, failure: FakeFailure | undefined): void
  /** From now on requests whose path holds `where` are answered so late. */
  delay(where: string, ms: number): void
  /** From now on requests whose path holds `where` are answered once the test calls what this returns. */
  hold(where: string): () => void
  /** From now on connections end at once, until the test calls what this returns. */
  refuse(): () => void
}

export interface FakeTls {
  readonly key: string
  readonly cert: string
  /** Clients must prove a certificate of this authority. */
  readonly clientCa?: string
}

export async function startFake(
  answer: (request: FakeRequest) => Promise<FakeReply> | FakeReply,
  tls?: FakeTls,
): Promise<FakeService> {
  const requests: FakeRequest[] = []
  const failures: { readonly where: string; readonly failure: FakeFailure }[] = []
  const lasting = new Map<string, FakeFailure>()
  const delays = new Map<string, number>()
  const holds = new Map<string, Promise<void>>()
  const found = <T>(by: ReadonlyMap<string, T>, path: string) => [...by].find(([where]) => path.includes(where))?.[1]

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk))
    const request: FakeRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: Buffer.concat(chunks),
      hasCertificate: Boolean((incoming.socket as Partial<TLSSocket>).authorized),
    }
    requests.push(request)
    const next = failures.findIndex(({ where }) => request.path.includes(where))
    const [ordered] = next < 0 ? [] : failures.splice(next, 1)
    const failure = ordered?.failure ?? found(lasting, request.path)
    await sleep(found(delays, request.path) ?? 0)
    await found(holds, request.path)
    if (failure === 'hang') return
    if (failure === 'drop') return void incoming.socket.destroy()
    const { status, headers, body } =
      typeof failure === 'function' ? failure(request) : (failure ?? (await answer(request)))
    const type = typeof body === 'string' ? 'text/plain' : 'application/json'
    response.writeHead(status, { 'content-type': type, ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    respond(incoming, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  }
  const mutual = tls?.clientCa === undefined ? {} : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: true }
  const server = tls ? createTlsServer({ key: tls.key, cert: tls.cert, ...mutual }, listener) : createServer(listener)
  // A connection that a slow client goes on to use must not end meanwhile.
  server.keepAliveTimeout = 60_000
  let isRefusing = false
  server.on('connection', (socket) => void (isRefusing && socket.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    failNext: (where, ...ordered) => void failures.push(...ordered.map((failure) => ({ where, failure }))),
    failAll: (where, failure) => void (failure ? lasting.set(where, failure) : lasting.delete(where)),
    delay: (where, ms) => void delays.set(where, ms),
    hold(where) {
      const { promise, resolve } = Promise.withResolvers<void>()
      holds.set(where, promise)
      return resolve
    },
    refuse() {
      isRefusing = true
      server.closeAllConnections()
      return () => {
        isRefusing = false
      }
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
