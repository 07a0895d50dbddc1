// A proxy that puts distance between the service and a node: each request and each answer takes half of the round trip. It notes when
// each request left, and may keep broadcasts from the node.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { keccak256, parseTransaction } from 'viem'
import type { Hex } from '../src/domain/ids.ts'

/** Signed bytes that left for the node. */
export interface Broadcast {
  readonly to: string
  readonly value: bigint
  readonly nonce: number
}

/** One HTTP request. */
export interface Leaving {
  /** In milliseconds, by `performance.now()`. */
  readonly atMs: number
  readonly methods: readonly string[]
  /** Parsed where they are read: parsing takes time. */
  readonly raws: readonly Hex[]
}

export interface FarNode extends AsyncDisposable {
  readonly url: string
  /** All requests so far, oldest first. */
  readonly requests: readonly Leaving[]
  /** Broadcasts that the proxy answers as accepted, and the node never gets. */
  keepBack(isKept: ((each: Broadcast) => boolean) | undefined): void
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

export async function startFarNode(nodeUrl: string, roundTripMs: number): Promise<FarNode> {
  const node = new Pool(nodeUrl, { connections: 16 })
  const requests: Leaving[] = []
  let isKeptBack: ((each: Broadcast) => boolean) | undefined
  const headers = { 'content-type': 'application/json' }

  async function forward(calls: readonly Call[]): Promise<readonly object[]> {
    if (calls.length === 0) return []
    const answer = await node.request({ method: 'POST', path: '/', headers, body: JSON.stringify(calls) })
    return (await answer.body.json()) as object[]
  }

  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const json = JSON.parse(body) as Call | readonly Call[]
    const calls = [json].flat() as readonly Call[]
    const raws = calls.filter(isBroadcast).map(rawOf)
    requests.push({ atMs: performance.now(), methods: calls.map(({ method }) => method), raws })
    await pause(roundTripMs / 2)
    const kept = calls.filter((call) => isBroadcast(call) && isKeptBack?.(broadcastOf(rawOf(call))))
    const taken = kept.map((call) => ({ jsonrpc: '2.0', id: call.id, result: keccak256(rawOf(call)) }))
    const answers = [...taken, ...(await forward(calls.filter((call) => !kept.includes(call))))]
    await pause(roundTripMs / 2)
    response.writeHead(200, headers).end(JSON.stringify(Array.isArray(json) ? answers : answers[0]))
  }

  const server = createServer((request, response) => {
    // At the end of a row some requests are still under way.
    relay(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    keepBack(isKept) {
      isKeptBack = isKept
    },
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await node.destroy()
    },
  }
}

export function broadcastOf(raw: Hex): Broadcast {
  const { to, value = 0n, nonce = 0 } = parseTransaction(raw)
  return { to: to?.toLowerCase() ?? '', value, nonce }
}

function isBroadcast({ method }: Call): boolean {
  return method === 'eth_sendRawTransaction'
}

function rawOf({ params }: Call): Hex {
  return params[0] as Hex
}

/** A timer of no time takes a millisecond. */
async function pause(ms: number): Promise<void> {
  if (ms > 0) await sleep(ms)
}
