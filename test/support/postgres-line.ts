// The line between a store and its PostgreSQL server: it can be frozen, and cut, also at the very moment of a COMMIT.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface PostgresLine extends AsyncDisposable {
  readonly port: number
  /** The same URL, by way of this line. */
  through(url: string): string
  /** Nothing passes, neither there nor back, and no connection ends. */
  freeze(): void
  thaw(): void
  /**
   * Cuts the connection of the next COMMIT: before the server has it, or once the server has done it, and before its answer
   * gets back.
   */
  cutAtCommit(moment: 'before' | 'after'): Promise<void>
  /** Lets so many pieces pass, there and back, and cuts the connection of the one behind them. */
  cutAfter(pieces: number): void
}

const commit = Buffer.from('COMMIT\0')

export async function openPostgresLine(portOfServer: number): Promise<PostgresLine> {
  const sockets = new Set<Socket>()
  let frozen = false
  let piecesLeft = Number.POSITIVE_INFINITY
  let trap: { readonly moment: 'before' | 'after'; sprung(): void } | undefined

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.setNoDelay(true)
    if (frozen) socket.pause()
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }

  const server = createServer((service) => {
    const database = connect(portOfServer, '127.0.0.1')
    for (const socket of [service, database]) keep(socket)
    let committing: typeof trap
    const cut = (sprung: () => void) => {
      service.destroy()
      database.destroy()
      sprung()
    }
    const isCut = () => {
      piecesLeft -= 1
      if (piecesLeft >= 0) return false
      piecesLeft = Number.POSITIVE_INFINITY
      cut(() => undefined)
      return true
    }
    service.on('data', (bytes) => {
      if (isCut()) return
      if (trap && bytes.includes(commit)) {
        committing = trap
        trap = undefined
        if (committing.moment === 'before') return cut(committing.sprung)
      }
      database.write(bytes)
    })
    database.on('data', (bytes) => {
      if (isCut()) return
      // Its answer to COMMIT has the same text.
      if (committing && bytes.includes(commit)) return cut(committing.sprung)
      service.write(bytes)
    })
    service.on('close', () => database.destroy())
    database.on('close', () => service.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    through(url) {
      const changed = new URL(url)
      changed.port = String((server.address() as AddressInfo).port)
      return changed.href
    },
    freeze() {
      frozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      frozen = false
      for (const socket of sockets) socket.resume()
    },
    cutAtCommit(moment) {
      const { promise, resolve } = Promise.withResolvers<void>()
      trap = { moment, sprung: resolve }
      return promise
    },
    cutAfter(pieces) {
      piecesLeft = pieces
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
