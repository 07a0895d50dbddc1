// A long queue on SQLite: its bulk cancellation is one commit, also if the process dies.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, openClient } from '../../tooling/client.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { type Service, startService } from '../../tooling/service.ts'

const queueLength = 12_000
const batch = 500

let service: Service
let client: Client
beforeAll(async () => {
  service = await startService({
    // Nobody answers there, so nothing leaves the queue.
    networks: [{ name: 'localhost', rpcUrls: ['http://127.0.0.1:9'] }],
    relayers: ['one', 'two'].map((id, index) => ({ id, privateKey: devAccount(index).key })),
  })
  client = openClient(service.url, service.apiKey)
})
afterAll(async () => {
  await client?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

async function fill(relayer: string): Promise<string[]> {
  const send = { to: devAccount(2).address, value: '1', data: '0x', gas_limit: 21_000, speed: 'average' }
  const ids: string[] = []
  for (let sent = 0; sent < queueLength; sent += batch) {
    const { status, body } = await client.request('POST', `/relayers/${relayer}/transactions/batch`, {
      body: { transactions: Array(batch).fill(send) },
    })
    expect(status).toBe(200)
    ids.push(...(body as { data: { id: string }[] }).data.map(({ id }) => id))
  }
  return ids
}

const totalOf = async (relayer: string, status: string) => {
  const { body } = await client.request('GET', `/relayers/${relayer}/transactions?status=${status}&per_page=1`)
  return (body as { pagination: { total_items: number } }).pagination.total_items
}

test('the answer lists all of it in its order, and requests meanwhile see all of it or nothing', async () => {
  const ids = await fill('one')
  const bulk = client.request('DELETE', '/relayers/one/transactions/pending')
  const meanwhile: number[] = []
  let isOver = false
  void bulk.finally(() => {
    isOver = true
  })
  while (!isOver) meanwhile.push(await totalOf('one', 'pending'))
  const { status, headers, body } = await bulk
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(JSON.stringify(body).length),
  })
  expect(body).toEqual({
    data: {
      queued_for_cancellation_transaction_ids: ids,
      failed_to_queue_transaction_ids: [],
      total_processed: queueLength,
    },
    error: '',
    metadata: {
      logs: [
        expect.objectContaining({ message: expect.stringContaining(`${queueLength} pending transactions canceled`) }),
      ],
      traces: [],
    },
    pagination: { current_page: 1, per_page: queueLength, total_items: queueLength },
    success: true,
  })
  for (const seen of meanwhile) expect([0, queueLength]).toContain(seen)
  expect(await totalOf('one', 'canceled')).toBe(queueLength)
})

test('a process that dies during the DELETE leaves all of the queue, or nothing', async () => {
  await fill('two')
  const bulk = client.request('DELETE', '/relayers/two/transactions/pending').catch(() => undefined)
  // A request that the service answers after it has received the DELETE.
  await client.request('GET', '/health')
  await service.kill9()
  await bulk
  await service.restart()
  const [pending, canceled] = [await totalOf('two', 'pending'), await totalOf('two', 'canceled')]
  expect([pending, canceled]).toEqual(pending === 0 ? [0, queueLength] : [queueLength, 0])
})
