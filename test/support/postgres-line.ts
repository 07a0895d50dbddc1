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
   * gets back. `late`: the server gets it after another session has read that its transaction is in progress.
   */
  cutAtCommit(moment: 'before' | 'after' | 'late'): Promise<void>
  /** Cuts each session that reads the fate of a transaction, or lets them pass again. */
  hideFates(isHiding: boolean): void
  /** The server ends the session (57P01) in the same piece as its next answer with this text. */
  endBehind(text: string): void
  /** Lets so many pieces pass, there and back, and cuts the connection of the one behind them. */
  cutAfter(pieces: number): void
}

const commit = Buffer.from('COMMIT\0')
const inProgress = Buffer.from('in progress')
const fate = Buffer.from('pg_xact_status')
/** An ErrorResponse, as a server sends it that restarts. */
const ended = (() => {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')
  const head = Buffer.from('E....')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
})()

export async function openPostgresLine(portOfServer: number): Promise<PostgresLine> {
  const sockets = new Set<Socket>()
  let frozen = false
  let piecesLeft = Number.POSITIVE_INFINITY
  let hiding = false
  let lastWords: string | undefined
  let trap: { readonly moment: 'before' | 'after' | 'late'; sprung(): void } | undefined
  let deliver: (() => void) | undefined

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
      if (hiding && bytes.includes(fate)) return cut(() => undefined)
      if (trap && bytes.includes(commit)) {
        committing = trap
        trap = undefined
        if (committing.moment === 'before') return cut(committing.sprung)
        if (committing.moment === 'late') {
          deliver = () => database.write(bytes)
          service.destroy()
          return committing.sprung()
        }
      }
      database.write(bytes)
    })
    database.on('data', (bytes) => {
      if (isCut()) return
      if (bytes.includes(inProgress)) {
        deliver?.()
        deliver = undefined
      }
      // Its answer to COMMIT has the same text.
      if (committing && bytes.includes(commit)) return cut(committing.sprung)
      if (lastWords === undefined || !bytes.includes(lastWords)) return service.write(bytes)
      lastWords = undefined
      service.end(Buffer.concat([bytes, ended]))
    })
    service.on('close', () => {
      if (committing?.moment !== 'late') database.destroy()
    })
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
    hideFates(isHiding) {
      hiding = isHiding
    },
    endBehind(text) {
      lastWords = text
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
