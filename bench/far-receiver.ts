// Webhooks to a receiver that is far away: it answers each event after a while.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { devAccount, startAnvil } from '../tooling/anvil.ts'
import { openClient, until } from '../tooling/client.ts'
import { type BenchOptions, startBenchService } from './bench-service.ts'
import type { Figure } from './figure.ts'

const answerMs = 200
const transactions = 8_000
const inBatch = 500

export async function measureFarReceiver(options: BenchOptions): Promise<Figure[]> {
  await using receiver = await startReceiver()
  await using anvil = await startAnvil({ mining: 'manual' })
  await using service = await startBenchService(options, {
    profileName: 'far-receiver',
    networks: [{ name: 'localhost', rpcUrls: [anvil.url] }],
    notifications: [{ id: 'far', url: receiver.url }],
    relayers: [{ id: 'bench', privateKey: devAccount(0).key, notificationId: 'far', policies: { max_in_flight: 1 } }],
    env: { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' },
  })
  await using client = openClient(service.url, service.apiKey)
  const body = { to: devAccount(1).address, value: '1', data: '0x', gas_limit: 21_000, speed: 'average' }
  for (let sent = 0; sent < transactions; sent += inBatch) {
    const batch = { transactions: Array.from({ length: inBatch }, () => body) }
    await client.request('POST', '/relayers/bench/transactions/batch', { body: batch })
  }
  await client.cancelPending('bench')
  const { answeredAt } = receiver
  // Each ends with an event, but for the few that are in flight.
  const most = transactions - 100
  await until(() => answeredAt.length >= most, { everyMs: 100, limitMs: 300_000, what: 'the events to be answered' })
  const [from, to] = [most >> 2, most - 1].map((index) => answeredAt[index] ?? Number.NaN) as [number, number]
  await service.stop()
  const perSecond = (most - 1 - (most >> 2)) / ((to - from) / 1_000)
  return [
    {
      name: `events a second to a receiver that answers in ${answerMs} ms`,
      ...{ value: perSecond, unit: 'events', aim: '600 or more' },
    },
  ]
}

async function startReceiver() {
  const answeredAt: number[] = []
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      setTimeout(() => {
        answeredAt.push(performance.now())
        response.end()
      }, answerMs)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    answeredAt,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
