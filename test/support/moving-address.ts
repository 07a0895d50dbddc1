// An address that leads to one server and later to another, as a DNS name or a virtual IP does: connections that are open stay.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface MovingAddress extends AsyncDisposable {
  readonly port: number
  /** The same URL, by way of this address. */
  through(url: string): string
  /** New connections lead to this port. */
  moveTo(port: number): void
}

export async function openMovingAddress(port: number): Promise<MovingAddress> {
  const sockets = new Set<Socket>()
  let leadsTo = port
  const server = createServer((client) => {
    const database = connect(leadsTo, '127.0.0.1')
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    client.pipe(database)
    database.pipe(client)
    client.on('close', () => database.destroy())
    database.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = (server.address() as AddressInfo).port
  return {
    port: own,
    through: (url) => Object.assign(new URL(url), { port: String(own) }).href,
    moveTo(next) {
      leadsTo = next
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
