// A queue too long for one commit: its bulk cancellation is written in portions, and stays one change for its clients, also across
// a crash between two of them.
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, openClient } from '../../tooling/client.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { type Service, startService } from '../../tooling/service.ts'
import { databasePath } from '../../tooling/service-files.ts'

const queueLength = 12_000
/** `bulkPortion` of the shipped service. */
const shareMax = 1_000
const batch = 500

let service: Service
let client: Client
beforeAll(async () => {
  service = await startService({
    // Nobody answers there, so nothing leaves the queue.
    networks: [{ name: 'localhost', rpcUrls: ['http://127.0.0.1:9'] }],
    relayers: ['one', 'two', 'thousand', 'more'].map((id, index) => ({ id, privateKey: devAccount(index).key })),
  })
  client = openClient(service.url, service.apiKey)
})
afterAll(async () => {
  await client?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

async function fill(relayer: string, count = queueLength): Promise<string[]> {
  const send = { to: devAccount(2).address, value: '1', data: '0x', gas_limit: 21_000, speed: 'average' }
  const ids: string[] = []
  for (let sent = 0; sent < count; sent += batch) {
    const transactions = Array.from({ length: Math.min(batch, count - sent) }, () => send)
    const { status, body } = await client.request('POST', `/relayers/${relayer}/transactions/batch`, {
      body: { transactions },
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

test('a crash after the first commit: the next process cancels the rest before anybody sees it', async () => {
  const ids = await fill('two')
  await service.kill9()
  const database = new Database(databasePath(service.directory))
  // As the first commit leaves it.
  const requestedAt = Date.now() - 1_000
  database
    .prepare(
      "INSERT INTO bulks (id, origin, filter, every_relayer, pause, requested_at) VALUES ('bulk', 'delete', '{}', 0, 0, ?)",
    )
    .run(requestedAt)
  database
    .prepare(
      `INSERT INTO bulk_parts (bulk_id, relayer_id, state, instant, walking, through, blocked_through, unwritten)
        SELECT 'bulk', 'two', 'taking', ?, 'pending', MAX(sequence), MAX(sequence), ? FROM transactions WHERE relayer_id = 'two'`,
    )
    .run(requestedAt, queueLength)
  database.close()
  await service.restart()
  expect(await totalOf('two', 'pending')).toBe(0)
  expect(await totalOf('two', 'canceled')).toBe(queueLength)
  const last = await client.get('two', ids.at(-1) as string)
  expect(last).toMatchObject({ status: 'canceled', status_reason: 'canceled on request' })
  const { id } = await client.send('two', {
    to: devAccount(2).address,
    value: '1',
    gas_limit: 21_000,
    speed: 'average',
  })
  const eyes = new Database(databasePath(service.directory), { readonly: true })
  const events = eyes
    .prepare<[], { transaction_id: string; occurred_at: number }>(
      "SELECT transaction_id, occurred_at FROM outbox WHERE relayer_id = 'two' AND status = 'canceled' AND bulk_parts IS NULL ORDER BY id",
    )
    .all()
  expect(eyes.prepare('SELECT * FROM bulk_cancellations').all()).toEqual([])
  eyes.close()
  expect(events.map((event) => event.transaction_id)).toEqual(ids)
  expect(new Set(events.map((event) => event.occurred_at))).toEqual(new Set([requestedAt]))
  expect((await client.get('two', id)).status).toBe('pending')
})

test.each([
  ['thousand', shareMax, []],
  ['more', shareMax + 1, [shareMax, 1]],
] as const)(
  'a queue like that of "%s", of %i, is written in these shares after the first commit: %o',
  async (relayer, length, shares) => {
    const ids = await fill(relayer, length)
    await service.stop()
    const database = new Database(databasePath(service.directory))
    // Each share lowers what is still to be written.
    database.exec(`
    CREATE TABLE IF NOT EXISTS shares (relayer_id TEXT, written INTEGER);
    CREATE TRIGGER IF NOT EXISTS count_shares AFTER UPDATE OF unwritten ON bulk_parts WHEN OLD.unwritten > NEW.unwritten
      BEGIN INSERT INTO shares VALUES (NEW.relayer_id, OLD.unwritten - NEW.unwritten); END`)
    database.close()
    await service.restart()
    const { status, body } = await client.request('DELETE', `/relayers/${relayer}/transactions/pending`)
    expect([status, body]).toMatchObject([200, { data: { queued_for_cancellation_transaction_ids: ids } }])
    const eyes = new Database(databasePath(service.directory), { readonly: true })
    expect(eyes.prepare('SELECT written FROM shares WHERE relayer_id = ? ORDER BY rowid').pluck().all(relayer)).toEqual(
      shares,
    )
    eyes.close()
    expect(await totalOf(relayer, 'canceled')).toBe(length)
  },
)
