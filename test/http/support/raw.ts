// Bytes to a port, and the bytes that come back until the server ends.
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
