// A TCP proxy in front of PostgreSQL, one a replica: it can freeze all that passes, cut it, and forget the connections that
// stand. Frozen bytes go on when it thaws, in their order.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Gate extends AsyncDisposable {
  readonly port: number
  freeze(): void
  /**
   * Freezes as soon as the service sends a piece like this, which is the first to wait. Resolves then, with the port by
   * which the server identifies its connection.
   */
  freezeAt(isSuch: (bytes: Buffer) => boolean): Promise<number>
  /** What came from the service and waits in the frozen gate. */
  waiting(): Buffer
  thaw(): void
  /** Breaks every connection that stands. New ones are let through. */
  cut(): void
  /** Nothing passes on the connections that stand, for ever, and neither end notices. New ones are let through. */
  forget(): void
}

interface Line {
  readonly ends: readonly [service: Socket, database: Socket]
  forgotten: boolean
}

/** What begins every unit that writes, in the words of src/store/postgres/lanes.ts. */
export const beginsUnit = (bytes: Buffer): boolean => bytes.includes('BEGIN ISOLATION LEVEL READ COMMITTED')

const serverNoticesMs = 10_000

export async function openGate(portOfServer: number): Promise<Gate> {
  const lines = new Set<Line>()
  let held: (() => void)[] = []
  let waiting: Buffer[] = []
  let frozen = false
  let trap: { isSuch(bytes: Buffer): boolean; sprung(port: number): void } | undefined

  /** Ends count as something that passes, too: neither end notices the other's death through a frozen line. */
  function pass(act: () => void): void {
    if (frozen) held.push(act)
    else act()
  }

  function carry(line: Line, from: Socket, to: Socket, isRequest: boolean): void {
    from.on('data', (bytes) => {
      if (line.forgotten) return
      if (isRequest && trap?.isSuch(bytes)) {
        trap.sprung(to.localPort ?? 0)
        freeze()
      }
      if (isRequest && frozen) waiting.push(bytes)
      pass(() => line.forgotten || to.write(bytes))
    })
    from.on('error', () => undefined)
    from.on('close', () => {
      if (!line.forgotten) pass(() => to.end())
      if (line.ends.every(({ destroyed }) => destroyed)) lines.delete(line)
    })
  }

  function freeze(): void {
    trap = undefined
    frozen = true
  }

  function destroyAll(): void {
    for (const { ends } of lines) for (const end of ends) end.destroy()
  }

  const server = createServer((service) => {
    const database = connect(portOfServer, '127.0.0.1')
    const line: Line = { ends: [service, database], forgotten: false }
    lines.add(line)
    for (const end of line.ends) end.setNoDelay(true)
    carry(line, service, database, true)
    carry(line, database, service, false)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    freeze,
    freezeAt(isSuch) {
      const { promise, resolve } = Promise.withResolvers<number>()
      trap = { isSuch, sprung: resolve }
      return promise
    },
    waiting: () => Buffer.concat(waiting),
    thaw() {
      frozen = false
      waiting = []
      const acts = held
      held = []
      for (const act of acts) act()
    },
    cut: destroyAll,
    forget() {
      for (const line of lines) {
        line.forgotten = true
        // The server has keep-alives, and finds out.
        setTimeout(() => line.ends[1].destroy(), serverNoticesMs).unref()
      }
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      destroyAll()
      await closed
    },
  }
}
