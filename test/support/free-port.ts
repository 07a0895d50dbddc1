// A loopback port that nobody listens on, and that was not given out here before: the system may name one twice.
import { once } from 'node:events'
import { createServer } from 'node:net'

const given = new Set<number>()

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  server.close()
  await once(server, 'close')
  if (given.has(address.port)) return freePort()
  given.add(address.port)
  return address.port
}
