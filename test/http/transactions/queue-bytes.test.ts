// The bytes of pending payloads: where they are too many, or the free disk is kept for cancellations, no send and no PUT adds one, and
// everything else goes on.
import { expect, test } from 'vitest'
import { openQueueRooms } from '../../../src/commands/queue-room.ts'
import { watchRoom } from '../../../src/commands/watch-room.ts'
import { processConditions } from '../../../src/domain/process-condition.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { watchProcess } from '../../../src/ops/process-states.ts'
import { quiet } from '../../store/open-store.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { receiver } from '../support/rows.ts'
import { type Answer, type Serving, serve } from '../support/serve.ts'
import { until } from '../support/until.ts'

const mebibyte = 2 ** 20
const limits = {
  pendingBytesMax: mebibyte,
  allPendingBytesMax: 2 * mebibyte,
  diskKeptBytes: 10 * mebibyte,
  cancelBytesMax: mebibyte / 4,
}

/** `free`: that of the disk; undefined for the databases on another machine. */
async function serveWithRoom(disk: { free?: number } = {}) {
  const queueRooms = openQueueRooms(100)
  const processStates = watchProcess(systemClock, processConditions)
  const server = await serve({ queueRooms, readiness: { conditions: processStates.held } })
  const clock = manualClock()
  const { reads } = server.store
  const store = { reads, ...(disk.free !== undefined && { freeBytes: async () => disk.free ?? 0 }) }
  const watch = watchRoom({ store, queueRooms, processStates, limits, clock, logger: quiet })
  const looked = () => until(() => clock.sleeping.length === 1)
  await looked()
  return {
    server,
    async look() {
      clock.advance(2_000)
      await looked()
    },
    async conditions() {
      const { status, body } = await server.ask('GET', '/api/v1/ready')
      expect(status).toBe(200)
      return body.data.conditions
    },
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** A send on hold, with so many bytes of data in the database. */
const body = (bytes = 100) => ({ to: receiver, value: '1', hold: true, data: `0x${'ab'.repeat((bytes - 2) / 2)}` })
const held = body(64 * 1024)

async function change(server: Serving, method: string, path: string, sent?: object, headers = {}): Promise<Answer> {
  return server.ask(method, `/api/v1/relayers/${path}`, {
    headers: { ...(sent && { 'content-type': 'application/json' }), ...headers },
    ...(sent && { body: JSON.stringify(sent) }),
  })
}

async function sendMany(server: Serving, relayer: string, count: number): Promise<string[]> {
  const answer = await change(server, 'POST', `${relayer}/transactions/batch`, {
    transactions: Array(count).fill(held),
  })
  expectSuccess(answer)
  return answer.body.data.map(({ id }: { id: string }) => id)
}

/** A send, a batch and a PUT of the relayer are refused alike. */
async function expectRefused(
  server: Serving,
  relayer: string,
  id: string,
  status: number,
  message: string,
  code: string,
) {
  expectFailure(await server.send(relayer, body()), status, message, code)
  const batch = { transactions: [body()] }
  expectFailure(await change(server, 'POST', `${relayer}/transactions/batch`, batch), status, message, code)
  expectFailure(await change(server, 'PUT', `${relayer}/transactions/${id}`, body()), status, message, code)
}

test('a relayer whose pending payloads have all their bytes takes no further one, and another does', async () => {
  await using place = await serveWithRoom()
  const { server, look } = place
  const key = { 'idempotency-key': 'once' }
  expectSuccess(await change(server, 'POST', 'one/transactions', body(), key))
  const [first = '', ...ids] = await sendMany(server, 'one', 12)
  await look()
  expect(await place.conditions()).toEqual([
    expect.objectContaining({
      condition: 'pending_bytes_high',
      reason: 'a relayer has 0 MiB of 1 MiB',
      runbook: '/docs/alerts.md#pending_bytes_high',
    }),
  ])
  ids.push(...(await sendMany(server, 'one', 4)))
  await look()
  const full =
    'the pending transactions of relayer "one" have 1 MiB of payloads, the most allowed; send again when some are mined, or cancel some'
  await expectRefused(server, 'one', first, 429, full, 'QUEUE_FULL')
  const replayed = await change(server, 'POST', 'one/transactions', body(), key)
  expectSuccess(replayed)
  expect(replayed.headers['idempotency-replayed']).toBe('true')
  expectSuccess(await server.send('two', body()))

  for (const id of ids) expectSuccess(await change(server, 'DELETE', `one/transactions/${id}`))
  await look()
  expect(await place.conditions()).toEqual([])
  expectSuccess(await server.send('one', body()))
  // A replaced payload stays in the row.
  expectSuccess(await change(server, 'PUT', `one/transactions/${first}`, body()))
  expect((await server.store.reads.counts('one' as never)).bytes).toBeGreaterThan(64 * 1024)
})

test('all relayers together have a bound, too', async () => {
  await using place = await serveWithRoom()
  const { server, look } = place
  for (const relayer of ['one', 'two']) await sendMany(server, relayer, 15)
  const [id = ''] = await sendMany(server, 'two', 1)
  await look()
  expect(await place.conditions()).toEqual([
    expect.objectContaining({ condition: 'pending_bytes_high', reason: 'all relayers have 1 MiB of 2 MiB' }),
  ])
  await sendMany(server, 'one', 1)
  await look()
  const full =
    'the pending transactions of all relayers have 2 MiB of payloads, the most allowed; send again when some are mined, or cancel some'
  await expectRefused(server, 'two', id, 429, full, 'QUEUE_FULL')
  expectSuccess(await change(server, 'DELETE', 'one/transactions/pending'))
  await look()
  expectSuccess(await server.send('one', body()))
})

test('a disk whose free space is kept for cancellations takes no payload, and stays ready', async () => {
  const disk = { free: 11 * mebibyte }
  await using place = await serveWithRoom(disk)
  const { server, look } = place
  const key = { 'idempotency-key': 'once' }
  const sent = await change(server, 'POST', 'one/transactions', held, key)
  expectSuccess(sent)
  const ids = await sendMany(server, 'one', 3)
  await look()
  // 10 MiB, four payloads of 64 KiB, and four times what a cancellation writes: 11.25 MiB.
  const low = '11 MiB free, and 11 MiB are kept for cancellations'
  expect(await place.conditions()).toEqual([
    expect.objectContaining({ condition: 'disk_low', reason: low, runbook: '/docs/alerts.md#disk_low' }),
  ])
  const text = `the disk of the database has ${low}; make room there, or cancel transactions`
  await expectRefused(server, 'one', ids[0] ?? '', 503, text, 'STORAGE_LOW')
  expect(Number((await server.send('one', body())).headers['retry-after'])).toBeGreaterThan(0)
  const replayed = await change(server, 'POST', 'one/transactions', held, key)
  expect(replayed.body.data.id).toBe(sent.body.data.id)

  // Nothing frees the disk, but fewer transactions need it.
  expectSuccess(await change(server, 'DELETE', `one/transactions/${ids[0]}`))
  await look()
  expect(await place.conditions()).toEqual([])
  expectSuccess(await server.send('one', body()))
  disk.free = 0
  await look()
  const refused = await server.send('two', body())
  expect([refused.status, refused.body.message]).toEqual([503, expect.stringContaining('has 0 MiB free')])
})
