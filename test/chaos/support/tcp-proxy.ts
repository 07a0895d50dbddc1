// A TCP proxy without HTTP: the weather decides what becomes of the bytes that pass.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Fate =
  | { readonly do: 'pass' }
  /** Later; what comes behind it on its connection waits, too. */
  | { readonly do: 'delay'; readonly ms: number }
  /** Its first bytes get through, then the connection breaks, for both ends. */
  | { readonly do: 'cut'; readonly afterBytes: number }
  /** Neither it nor anything after it on its connection gets through, and the connection stays open. */
  | { readonly do: 'stall' }
  /** The service gets this instead, and the connection ends. */
  | { readonly do: 'garble'; readonly bytes: Buffer }

/** A piece of a request on its way to the node, or of an answer on its way back. */
export type Weather = (way: 'request' | 'answer', bytes: Buffer) => Fate

export interface TcpProxy extends AsyncDisposable {
  readonly url: string
  change(weather: Weather): void
  /** Pieces that had each fate so far. */
  readonly fates: Readonly<Record<Fate['do'], number>>
}

export async function startTcpProxy(nodeUrl: string): Promise<TcpProxy> {
  const node = new URL(nodeUrl)
  const fates = { pass: 0, delay: 0, cut: 0, stall: 0, garble: 0 }
  const sockets = new Set<Socket>()
  let weather: Weather = () => ({ do: 'pass' })

  const server = createServer((fromService) => {
    const toNode = connect(Number(node.port), node.hostname)
    const end = () => {
      fromService.destroy()
      toNode.destroy()
    }
    for (const socket of [fromService, toNode]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    carry(fromService, toNode, fromService, 'request')
    carry(toNode, fromService, fromService, 'answer')
  })

  function carry(from: Socket, to: Socket, service: Socket, way: 'request' | 'answer'): void {
    let stalled = false
    let before: Promise<void> = Promise.resolve()
    from.on('data', (bytes) => {
      if (stalled) return
      const fate = weather(way, bytes)
      fates[fate.do] += 1
      if (fate.do === 'stall') stalled = true
      before = before.then(() => meet(fate, bytes, to, service))
    })
  }

  async function meet(fate: Fate, bytes: Buffer, to: Socket, service: Socket): Promise<void> {
    if (to.destroyed) return
    switch (fate.do) {
      case 'pass':
        to.write(bytes)
        return
      case 'delay':
        await sleep(fate.ms)
        if (!to.destroyed) to.write(bytes)
        return
      case 'cut':
        to.write(bytes.subarray(0, fate.afterBytes), () => to.destroy())
        return
      case 'stall':
        return
      case 'garble':
        service.end(fate.bytes, () => service.destroy())
    }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    change: (next) => {
      weather = next
    },
    fates,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
