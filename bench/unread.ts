// What requests cost that nobody pays for and nobody reads: 500 of each path that needs no key, all at once, while another client
// requests readiness.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
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
/** Requests for readiness once all others are sent: one after the other, so that a slow one delays the next. */
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

/** Twice on a service that has just begun: the first request of a page builds it, and later ones are only answered. */
async function measurePath(options: BenchOptions, path: string): Promise<{ slowestMs: number; peakMb: number }> {
  await using service = await startBenchService(options, {
    profileName: `unread${path.replaceAll('/', '-')}`,
    networks: [{ name: 'localhost', rpcUrls: ['http://127.0.0.1:9'] }],
    relayers: [{ id: 'bench', privateKey: devAccount(0).key }],
  })
  await using client = openClient(service.url, service.apiKey)
  const port = Number(new URL(service.url).port)
  const workers: Worker[] = []
  let slowestMs = 0
  for (const _ of ['building', 'answering']) {
    const worker = new Worker(new URL('./ask-unread.ts', import.meta.url), { workerData: { port, path, requests } })
    workers.push(worker)
    let hasAsked = false
    const asked = once(worker, 'message').then(() => (hasAsked = true))
    for (let left = probes; left > 0; left -= hasAsked ? 1 : 0) {
      const begun = performance.now()
      await client.request('GET', '/ready')
      slowestMs = Math.max(slowestMs, performance.now() - begun)
    }
    await asked
  }
  const peakMb = await peakMemoryMb(service.pid)
  await Promise.all(workers.map((worker) => worker.terminate()))
  return { slowestMs, peakMb }
}
