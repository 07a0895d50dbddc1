// A proxy between the replicas and the nodes: notes every signed transaction as it arrives, by whom, and whether the database
// holds it at that moment; passes everything on; and can hold back the calls of one replica.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'
import { type Hex, keccak256 } from 'viem'

export interface Sending {
  /** By the clock of this machine, as the database's. */
  readonly at: number
  readonly replica: string
  readonly chain: string
  readonly raw: Hex
  readonly hash: string
  /** Undefined while the database could not be read. */
  readonly wasRecorded: boolean | undefined
  /** The node said no, and keeps nothing of it. */
  refused: boolean
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

export interface Recorder extends AsyncDisposable {
  urlFor(replica: string, chain: string): string
  readonly sendings: readonly Sending[]
  /** Holds back every request of this replica that holds such a call, until it is let go. */
  hold(replica: string, isSuch: (call: Call) => boolean): Held
}

interface Held {
  readonly count: number
  letGo(): void
}

export async function startRecorder(options: {
  /** The nodes' URLs by name of chain. */
  readonly nodes: Readonly<Record<string, string>>
  /** Called before the signed transaction goes on. */
  readonly isRecorded: (hash: string) => Promise<boolean | undefined>
}): Promise<Recorder> {
  const pools = new Map(Object.entries(options.nodes).map(([name, url]) => [name, new Pool(url, { connections: 16 })]))
  const sendings: Sending[] = []
  const holds = new Set<(replica: string, calls: readonly Call[]) => Promise<void>>()

  async function note(replica: string, chain: string, call: Call): Promise<[unknown, Sending]> {
    const raw = call.params[0] as Hex
    const hash = keccak256(raw)
    const at = Date.now()
    const wasRecorded = await options.isRecorded(hash)
    const sending = { at, replica, chain, raw, hash, wasRecorded, refused: false }
    sendings.push(sending)
    return [call.id, sending]
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, replica = '', chain = ''] = (request.url ?? '').split('/')
    const body = await read(request)
    const calls = [JSON.parse(body)].flat() as Call[]
    for (const hold of holds) await hold(replica, calls)
    const sends = calls.filter(({ method }) => method === 'eth_sendRawTransaction')
    const noted = new Map(await Promise.all(sends.map((call) => note(replica, chain, call))))
    const pool = pools.get(chain)
    if (!pool) throw new Error(`there is no chain "${chain}"`)
    const headers = { 'content-type': 'application/json' }
    const answer = await pool.request({ method: 'POST', path: '/', headers, body })
    const text = await answer.body.text()
    if (noted.size > 0) {
      for (const { id, error } of [JSON.parse(text)].flat() as { id: unknown; error?: { message: string } }[]) {
        const sending = noted.get(id)
        if (sending && error && !/already (known|imported)|known transaction/i.test(error.message))
          sending.refused = true
      }
    }
    response.writeHead(answer.statusCode, headers).end(text)
  }

  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    urlFor: (replica, chain) => `http://127.0.0.1:${port}/${replica}/${chain}`,
    sendings,
    hold(held, isSuch) {
      let count = 0
      const gate = Promise.withResolvers<void>()
      const hold = async (replica: string, calls: readonly Call[]) => {
        if (replica !== held || !calls.some(isSuch)) return
        count += 1
        await gate.promise
      }
      holds.add(hold)
      return {
        get count() {
          return count
        },
        letGo() {
          holds.delete(hold)
          gate.resolve()
        },
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

async function read(request: IncomingMessage): Promise<string> {
  let body = ''
  request.setEncoding('utf8')
  for await (const chunk of request) body += chunk
  return body
}
