// Pages of large transactions, from a service whose heap is smaller than a page: whole, with other answers in between.
import { get, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { openClient } from '../../tooling/client.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { type Service, startService } from '../../tooling/service.ts'
import { databaseIn } from '../../tooling/tested-database.ts'

const relayer = 'one'
const list = `/api/v1/relayers/${relayer}/transactions?per_page=1000`

const startSmall = () =>
  startService({
    networks: [{ name: 'localhost', rpcUrls: ['http://127.0.0.1:9'] }],
    relayers: [{ id: relayer, privateKey: devAccount(0).key }],
    nodeArguments: ['--max-old-space-size=512'],
    env: { RATE_LIMIT_REQUESTS_PER_SECOND: '10000', RATE_LIMIT_BURST_SIZE: '10000' },
  })

/** Canceled ones, so that no step reads them. */
async function seed(service: Service, count: number, bytes: number): Promise<void> {
  await using client = openClient(service.url, service.apiKey)
  const transactions = Array.from({ length: count }, () => ({ to: devAccount(1).address, value: '1' }))
  await client.request('POST', `/relayers/${relayer}/transactions/batch`, { body: { transactions } })
  await client.cancelPending(relayer)
  const database = databaseIn(service.directory)
  const text = database.url.startsWith('sqlite') ? `hex(zeroblob(${bytes}))` : `repeat('00', ${bytes})`
  database.change(`UPDATE transactions SET data = '0x' || ${text}`)
}

function requested(service: Service, path: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = { authorization: `Bearer ${service.apiKey}` }
  get(`${service.url}${path}`, { headers, agent: false }, resolve).on('error', reject)
  return promise
}

interface Read {
  readonly rows: number
  readonly bytes: number
  readonly begins: string
  readonly ends: string
}

/** Holds no more than a piece of the answer. */
async function read(answer: IncomingMessage): Promise<Read> {
  let rows = 0
  let bytes = 0
  let begins = ''
  let ends = ''
  for await (const chunk of answer) {
    const text = ends + String(chunk)
    // A name that two chunks share is complete in the second of them.
    rows += text.split('"relayer_id"').length - 1 - (ends.split('"relayer_id"').length - 1)
    bytes += chunk.length
    begins = (begins + String(chunk)).slice(0, 16)
    ends = text.slice(-200)
  }
  return { rows, bytes, begins, ends }
}

test.each([
  { what: 'the largest that is accepted', count: 400, bytes: 128 * 1024 },
  { what: 'of a network that accepts the most', count: 100, bytes: 1024 * 1024 },
])('a page of transactions, $what, is whole, and other requests are answered meanwhile', async ({ count, bytes }) => {
  await using service = await startSmall()
  await seed(service, count, bytes)
  await using other = openClient(service.url, service.apiKey)
  const opened = await requested(service, list)
  expect(opened.statusCode).toBe(200)
  let isRead = false
  const whole = read(opened).finally(() => {
    isRead = true
  })
  let answered = 0
  // Several at once, as this process reads the page too: how often it has a turn must not bound how many are answered.
  const others = Array.from({ length: 8 }, async () => {
    while (!isRead) {
      expect((await other.request('GET', '/health')).status).toBe(200)
      answered += 1
    }
  })
  await Promise.all(others)
  const page = await whole
  expect(page.rows).toBe(count)
  expect(page.bytes).toBeGreaterThan(count * 2 * bytes)
  expect(page.begins).toBe('{"data":[{"id":"')
  expect(page.ends).toContain(`"pagination":{"current_page":1,"per_page":1000,"total_items":${count}},"success":true}`)
  // Slices have a turn each: at least as many requests of others come between them.
  expect(answered).toBeGreaterThan(count / 4)
})
