// Bytes to a port, and the bytes that come back until the server ends.
import { once } from 'node:events'
import { connect } from 'node:net'

export function exchange(port: number, bytes: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
  const heard: Buffer[] = []
  socket.on('data', (chunk) => heard.push(chunk))
  socket.on('close', () => resolve(Buffer.concat(heard).toString()))
  socket.on('error', (error) => (heard.length > 0 ? undefined : reject(error)))
  return promise
}

interface Connection extends AsyncDisposable {
  write(bytes: string): void
  /** The bytes since the last call, once they match. Rejects where the server closes the connection before. */
  read(matching: RegExp): Promise<string>
}

/** For a client that reads while it still sends. */
export async function openConnection(port: number): Promise<Connection> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  await once(socket, 'connect')
  return {
    write: (bytes) => void socket.write(bytes),
    async read(matching) {
      let text = ''
      while (!matching.test(text)) {
        text += socket.read() ?? ''
        if (matching.test(text)) break
        if (socket.readableEnded || socket.destroyed) throw new Error(`closed after ${text}`)
        await Promise.race([once(socket, 'readable'), once(socket, 'close')])
      }
      return text
    },
    async [Symbol.asyncDispose]() {
      socket.destroy()
    },
  }
}
