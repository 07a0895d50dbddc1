// One HTTP/1.1 connection with one request on its way at a time, at the least cost in processor time: the load shares
// its cores with what it measures.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Connection {
  /** Writes a whole request, and resolves with the body of its answer. Rejects on any status but 200. */
  exchange(request: string): Promise<string>
  close(): void
}

interface Exchange {
  readonly resolve: (body: string) => void
  readonly reject: (error: Error) => void
}

export async function openConnection(port: number): Promise<Connection> {
  const socket: Socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  await once(socket, 'connect')

  let received = ''
  let waiting: Exchange | undefined
  const fail = (error: Error) => waiting?.reject(error)
  socket.on('error', fail)
  socket.on('close', () => fail(new Error(`the service closed the connection: ${received.slice(0, 500)}`)))
  socket.on('data', (chunk: unknown) => {
    received += chunk as string
    const body = completeBody(received)
    if (body === undefined || waiting === undefined) return
    const { resolve, reject } = waiting
    const whole = received
    received = ''
    waiting = undefined
    if (whole.startsWith('HTTP/1.1 200 ')) resolve(body)
    else reject(new Error(`the service answered ${whole.slice(0, 1000)}`))
  })
  return {
    exchange: (request) =>
      new Promise<string>((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(request, 'latin1')
      }),
    close: () => socket.destroy(),
  }
}

/** The body once all of it is here. Every answer of the service names its length. */
function completeBody(received: string): string | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const at = received.indexOf('content-length: ')
  if (at < 0 || at > headEnd) throw new Error(`an answer without content-length: ${received.slice(0, headEnd)}`)
  const length = Number.parseInt(received.slice(at + 16, at + 26), 10)
  const bodyStart = headEnd + 4
  return received.length >= bodyStart + length ? received.slice(bodyStart, bodyStart + length) : undefined
}
