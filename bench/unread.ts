// What requests cost that nobody pays for and nobody reads: 500 of each path that needs no key, all at once, while another client
// asks for readiness.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { openClient } from '../tooling/client.ts'
import { devAccount } from '../tooling/dev-accounts.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'
import { peakMemoryMb } from './memory.ts'

const paths = [
  '/docs/',
  '/docs/js/scalar.js',
  '/api/v1/openapi.json',
  '/api/v1/health',
  '/api/v1/ready',
  '/none',
] as const
const requests = 500
/** One after the other, so that a slow one delays the next. */
const probes = 30

export async function measureUnread(options: BenchOptions): Promise<Figure[]> {
  const latencies: number[] = []
  const peaks: number[] = []
  const figures: Figure[] = []
  for (const path of paths) {
    const { slowestMs, peakMb } = await measurePath(options, path)
    latencies.push(slowestMs)
    peaks.push(peakMb)
    figures.push({
      name: `slowest readiness during ${requests} unread requests of ${path}`,
      value: slowestMs,
      unit: 'ms',
    })
  }
  return [
    ...figures,
    { name: 'slowest of all', value: Math.max(...latencies), unit: 'ms', aim: 'under 200' },
    { name: 'peak memory with unread requests', value: Math.max(...peaks), unit: 'MB', aim: 'under 300' },
  ]
}

/** On a service that has just begun: the first request of a page builds it. */
async function measurePath(options: BenchOptions, path: string): Promise<{ slowestMs: number; peakMb: number }> {
  await using service = await startBenchService(options, {
    profileName: `unread${path.replaceAll('/', '-')}`,
    networks: [{ name: 'localhost', rpcUrls: ['http://127.0.0.1:9'] }],
    relayers: [{ id: 'bench', privateKey: devAccount(0).key }],
  })
  await using client = openClient(service.url, service.apiKey)
  const port = Number(new URL(service.url).port)
  const sockets = Array.from({ length: requests }, () => ask(port, path))
  let slowestMs = 0
  for (let count = 0; count < probes; count += 1) {
    const begun = performance.now()
    await client.request('GET', '/ready')
    slowestMs = Math.max(slowestMs, performance.now() - begun)
  }
  const peakMb = await peakMemoryMb(service.pid)
  for (const socket of sockets) socket.destroy()
  await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')))
  return { slowestMs, peakMb }
}

/** Requests, and reads nothing of the answer. */
function ask(port: number, path: string): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  // The service may end a connection that nobody reads.
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
  return socket
}
