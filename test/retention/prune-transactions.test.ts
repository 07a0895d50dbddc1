// Old transactions go, in portions and into the archive first; what the API then says about them.
import { mkdtemp, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { limits } from '../../src/config/limits.ts'
import type { ApiKeyId, RelayerId, TransactionId } from '../../src/domain/ids.ts'
import { presentArchived } from '../../src/http/transactions/present-archived.ts'
import type { Clock } from '../../src/ops/clock.ts'
import { type ArchivedTransaction, openArchive } from '../../src/retention/archive.ts'
import { pruneIdempotencyKeys } from '../../src/retention/prune-idempotency-keys.ts'
import { pruneTransactions } from '../../src/retention/prune-transactions.ts'
import type { Reads, Store } from '../../src/store/store.ts'
import { until } from '../../tooling/client.ts'
import { expectFailure, expectSuccess } from '../http/support/expectations.ts'
import { at, attempt, hashOf, inclusion, put, receiver, relayer, transaction } from '../http/support/rows.ts'
import { type Serving, serve } from '../http/support/serve.ts'
import { quiet } from '../store/open-store.ts'

const dayMs = 86_400_000
const [one, two] = ['one' as RelayerId, 'two' as RelayerId]
let time = at
const sleep = async () => {}
let folder: string
let server: Serving
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rescind-archive-'))
  server = await serve({ clock: { now: () => time, elapsed: () => 0, afterThis: setImmediate, sleep } })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const path = (rest: string, id: RelayerId = one) => `/api/v1/relayers/${id}/transactions${rest}`

function send(key: string, id: RelayerId = one, of = server) {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key }
  return of.ask('POST', path('', id), {
    headers,
    body: JSON.stringify({ to: receiver, value: '1', speed: 'fast' }),
  })
}

let news = 0
/** Sends and cancels one, so that there is an event of today; then prunes old events. */
async function newsOfToday(of = server): Promise<string> {
  news += 1
  const { body } = await send(`today-${time}-${news}`, one, of)
  expectSuccess(await of.ask('DELETE', path(`/${body.data.id}`)))
  // PostgreSQL shows and prunes events once every database transaction that began before them has ended, on the whole server.
  const isPruned = async () => {
    await of.store.commit((session) => session.pruneEvents(limits, time))
    const { events } = await of.store.reads.events(0, 1, () => true)
    return events.some(({ occurredAt }) => occurredAt >= time - limits.eventsKeptMs)
  }
  await until(isPruned, { what: 'the old events to be gone' })
  return body.data.id
}

/** Ends with the first long pause, which follows a whole round or a failure. */
async function oneRound(begin: (clock: Clock) => AsyncDisposable): Promise<void> {
  let isOver = () => {}
  const over = new Promise<void>((resolve) => {
    isOver = resolve
  })
  await using _ = begin({
    now: () => time,
    elapsed: () => 0,
    afterThis: setImmediate,
    sleep: async (ms, signal) => {
      if (ms < 60_000) return
      isOver()
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
    },
  })
  await over
}

async function prune(directory: string, store: Store = server.store): Promise<void> {
  await oneRound((clock) => {
    const opened = new AsyncDisposableStack()
    const archive = opened.use(openArchive({ directory, clock, present: presentArchived }))
    const kept = { keptMs: 90 * dayMs, isOurs: (id: RelayerId) => id === one }
    opened.use(pruneTransactions({ store, clock, logger: quiet, archive, ...kept }))
    return opened
  })
}

interface ArchivedLine {
  readonly transaction: { readonly id: string }
  readonly hold?: object
  readonly bulk_cancellation_id?: string
}

async function archived(directory: string): Promise<readonly ArchivedLine[]> {
  const files = (await readdir(directory)).sort()
  const texts = await Promise.all(files.map(async (name) => gunzipSync(await readFile(join(directory, name)))))
  return texts.flatMap((text) =>
    String(text)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )
}

const total = async (id = one) => {
  const { bytes: _, ...counts } = await server.store.reads.counts(id)
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

test('what ended before the age is in the archive and nowhere else, and no retry sends it again', async () => {
  const directory = join(folder, 'of', 'answers')
  const { id } = (await send('first')).body.data
  expectSuccess(await server.ask('DELETE', path(`/${id}`)))
  const ofTwo = (await send('of-two', two)).body.data.id
  expectSuccess(await server.ask('DELETE', path(`/${ofTwo}`, two)))
  const waiting = (await send('waiting')).body.data.id
  for (const nonce of [0, 1]) {
    const own = attempt(`nonce-${nonce}` as TransactionId, 0x10 + nonce, 'execute', nonce)
    const ended = {
      phase: 'final',
      nonce,
      attempts: [own],
      inclusion: inclusion(own),
      finalAt: at,
      witnesses: 1,
    } as const
    await put(server.store, transaction(own.transactionId, ended))
  }
  await server.store.commit((session) => session.raiseFloor(one, { spentBelow: 2, explainedBelow: 2 }), one)
  const get = async (rest: string) => (await server.ask('GET', path(rest))).body.data
  const before = [
    {
      transaction: await get(`/${id}`),
      cancellation: await get(`/${id}/cancellation`),
      attempts: [],
    },
    { transaction: await get('/nonce-0'), attempts: await get('/nonce-0/attempts') },
  ]

  time = at + 60 * dayMs
  await newsOfToday()
  await prune(directory)
  expect(await total()).toBe(5)
  time = at + 100 * dayMs
  const today = await newsOfToday()
  await prune(directory)

  expect((await archived(directory)).toSorted((a, b) => (a.transaction.id < b.transaction.id ? -1 : 1))).toEqual(before)
  const [name = ''] = await readdir(directory)
  expect(name).toBe(`transactions-${new Date(time).toISOString().slice(0, 10)}.ndjson.gz`)
  expect((await stat(join(directory, name))).mode & 0o077).toBe(0)
  expect((await server.ask('GET', path(`/${id}`))).status).toBe(404)
  expect((await server.ask('GET', path('/by-nonce/0'))).status).toBe(404)
  expect((await server.ask('GET', path('/by-nonce/1'))).body.data.id).toBe('nonce-1')
  const list = await server.ask('GET', path('/'))
  expect(list.body.pagination.total_items).toBe(4)
  expect(list.body.data.map((each: { id: string }) => each.id)).toContain(waiting)
  expect(await total()).toBe(4)

  const gone = `Idempotency-Key: "first" sent transaction ${id}, which has ended and is no longer kept; nothing is sent again, and a new send needs a new key`
  expectFailure(await send('first'), 410, gone, 'TRANSACTION_GONE')
  expect((await send(`today-${time}-${news}`)).body.data.id).toBe(today)
  expect((await send('waiting')).headers['idempotency-replayed']).toBe('true')
  // Another replica owns this relayer.
  expect((await server.ask('GET', path(`/${ofTwo}`, two))).status).toBe(200)
  expect(await total()).toBe(4)
})

test('a round that fails between two portions leaves whole transactions, and the next one removes the rest', async () => {
  const directory = join(folder, 'of-failure')
  const before = await total()
  await server.store.commit(async (session) => {
    await session.saveRelayer(relayer('one'))
    for (let each = 0; each < 250; each += 1) {
      const next = await session.reserveSequence(one)
      const dropped = { phase: 'dropped', reason: 'canceled', droppedAt: at } as const
      const canceled = { cancellation: { origin: 'request', requestedAt: at } } as const
      const row = transaction(`dropped-${each}`, dropped, canceled)
      await session.insertTransaction({ ...row, sequence: next?.sequence ?? 0 })
    }
  }, one)
  time = at + 101 * dayMs
  await newsOfToday()
  let removals = 0
  const failing: Store = {
    ...server.store,
    async commit(unit, ...of) {
      removals += 1
      if (removals === 2) throw new Error('the database is gone')
      return server.store.commit(unit, ...of)
    },
  }
  await prune(directory, failing)
  const all = before + 1 + 250
  const gone = all - (await total())
  expect([gone > 0, gone < 250]).toEqual([true, true])
  // The share that failed is in the archive already.
  expect((await archived(directory)).length).toBeGreaterThan(gone)
  const lists = await Promise.all([1, 2, 3].map((page) => server.ask('GET', path(`/?page=${page}&per_page=100`))))
  expect(lists.flatMap(({ body }) => body.data)).toHaveLength(all - gone)

  await prune(directory)
  expect(await total()).toBe(before + 1)
  const ids = (await archived(directory)).map((line) => line.transaction.id)
  expect([ids.length > 250, new Set(ids).size]).toEqual([true, 250])
  // The second process made a file of its own.
  expect(await readdir(directory)).toHaveLength(2)
})

test('without a place for the archive nothing is removed, and an unreadable row holds up no other', async () => {
  time += dayMs
  const ids = [await newsOfToday(), await newsOfToday()].map((id) => id as TransactionId)
  time += 100 * dayMs
  await newsOfToday()
  const before = await total()
  const file = join(folder, 'a-file')
  await writeFile(file, '')
  await prune(join(file, 'below'))
  expect(await total()).toBe(before)

  const { reads } = server.store
  const unreadable: Store = {
    ...server.store,
    reads: {
      ...reads,
      async transaction(relayerId, id) {
        if (id === ids[0]) throw new Error('a row that the service did not write')
        return reads.transaction(relayerId, id)
      },
    },
  }
  const directory = join(folder, 'unreadable')
  await prune(directory, unreadable)
  const left = await Promise.all(ids.map(async (id) => (await reads.transaction(one, id)) !== undefined))
  expect(left).toEqual([true, false])
  expect((await archived(directory)).map((line) => line.transaction.id)).toContain(ids[1])
})

test('a file of the archive that is moved, deleted or cut off while it is in use loses no line', async () => {
  const directory = join(folder, 'moved')
  const clock = { now: () => at, elapsed: () => 0, afterThis: setImmediate, sleep: async () => {} }
  const present = (record: ArchivedTransaction) => ({ transaction: { id: record.transaction.id } })
  await using archive = openArchive({ directory, clock, present })
  const append = (id: string) =>
    archive.append([{ transaction: transaction(id as TransactionId, { phase: 'queued' }), attempts: [] }])
  const ids = async () => (await archived(directory)).map((line) => line.transaction.id)
  const name = `transactions-${new Date(at).toISOString().slice(0, 10)}`
  await append('first')
  await rename(join(directory, `${name}.ndjson.gz`), join(folder, 'moved-away'))
  await append('second')
  expect(await ids()).toEqual(['second'])
  await truncate(join(directory, `${name}.ndjson.gz`))
  await append('third')
  await rm(join(directory, `${name}.ndjson.gz`))
  await append('fourth')
  expect(await ids()).toEqual(['third', 'fourth'])
  await rm(directory, { recursive: true })
  await append('fifth')
  expect(await ids()).toEqual(['fifth'])
})

test('a round does not search through all that stays of one instant', async () => {
  const many = Array.from({ length: 30_000 }, (_, index) => ({ id: `at-once-${index}` as TransactionId, endedAt: 1 }))
  const ended = [...many, { id: 'later' as TransactionId, endedAt: 2 }].map((each) => ({ ...each, relayerId: two }))
  const passed: number[] = []
  const seen = new Set<TransactionId>()
  const endedBefore: Reads['endedBefore'] = async (_, from, limit) => {
    passed.push(from.passed)
    const first = ended.findIndex(({ endedAt }) => endedAt >= from.endedAt)
    const found = ended.slice(first + from.passed, first + from.passed + limit)
    for (const { id } of found) seen.add(id)
    return found
  }
  const store = { ...server.store, reads: { ...server.store.reads, endedBefore } }
  await oneRound((clock) =>
    pruneTransactions({ store, clock, logger: quiet, keptMs: 90 * dayMs, isOurs: (id: RelayerId) => id === one }),
  )
  expect(Math.max(...passed)).toBeLessThanOrEqual(10_000)
  expect(seen).toContain('later')
})

test('an idempotency key goes by the end of its transaction, and its next request is a new one', async () => {
  time += dayMs
  const { id } = (await send('short-lived')).body.data
  const keys = (days: number) => (clock: Clock) =>
    pruneIdempotencyKeys({ store: server.store, clock, logger: quiet, keptMs: days * dayMs })
  time += 3 * dayMs
  // It is open.
  await oneRound(keys(2))
  expect((await send('short-lived')).body.data.id).toBe(id)
  expectSuccess(await server.ask('DELETE', path(`/${id}`)))
  time += 3 * dayMs
  await oneRound(keys(4))
  expect((await send('short-lived')).body.data.id).toBe(id)
  await oneRound(keys(2))
  const again = await send('short-lived')
  expectSuccess(again)
  expect(again.headers['idempotency-replayed']).toBeUndefined()
  expect(again.body.data.id).not.toBe(id)
})

test('without an archive they are gone, and a relayer can be deleted', async () => {
  await server.ask('DELETE', path('/pending'))
  const ended = await total()
  time += 200 * dayMs
  await newsOfToday()
  await oneRound((clock) =>
    pruneTransactions({ store: server.store, clock, logger: quiet, keptMs: 90 * dayMs, isOurs: () => true }),
  )
  expect(ended).toBeGreaterThan(2)
  // The newest nonce, and the one of today.
  expect(await total()).toBe(2)
  expect(await server.store.commit((session) => session.hasOpen(one))).toBe(false)
  await server.store.commit((session) => session.removeRelayer(one, time), one)
  expect((await server.ask('GET', path('/nonce-1'))).body.data.status).toBe('confirmed')
})

test('under four eyes the archive has who set the payload, and who released it', async () => {
  const directory = join(folder, 'four-eyes')
  await using own = await serve({ clock: { now: () => time, elapsed: () => 0, afterThis: setImmediate, sleep } })
  const sent = attempt('approved' as TransactionId, 0x40, 'execute', 0)
  const settled = {
    phase: 'final',
    nonce: 0,
    attempts: [sent],
    inclusion: inclusion(sent),
    finalAt: at,
    witnesses: 1,
  } as const
  const [setter, editor, approver] = ['setter' as ApiKeyId, 'editor' as ApiKeyId, 'approver' as ApiKeyId]
  const released = { by: approver, at, digest: hashOf(0x41), revision: 1 }
  await put(own.store, transaction('approved', settled, { fourEyes: { since: at, setBy: [setter, editor], released } }))
  const dropped = { phase: 'dropped', reason: 'canceled', droppedAt: at } as const
  const refused = {
    fourEyes: { since: at, setBy: [setter] },
    cancellation: { origin: 'request', requestedAt: at },
  } as const
  await put(own.store, transaction('refused', dropped, refused))
  await own.store.commit((session) => session.raiseFloor(one, { spentBelow: 2, explainedBelow: 2 }), one)
  const hold = (id: string) => own.ask('GET', path(`/${id}/hold`))
  const approved = (await hold('approved')).body.data
  expect(approved.four_eyes).toEqual({
    set_by: ['setter', 'editor'],
    released: { by: 'approver', at: new Date(at).toISOString(), payload_digest: hashOf(0x41) },
  })
  expect((await hold('refused')).headers['relayer-error-code']).toBe('HOLD_NOT_FOUND')

  const last = attempt('last' as TransactionId, 0x42, 'execute', 1)
  await put(own.store, transaction('last', { ...settled, nonce: 1, attempts: [last], inclusion: inclusion(last) }))
  time = at + 100 * dayMs
  await newsOfToday(own)
  await prune(directory, own.store)
  const lines = await archived(directory)
  expect(Object.fromEntries(lines.flatMap(({ transaction: { id }, hold }) => (hold ? [[id, hold]] : [])))).toEqual({
    approved,
    refused: expect.objectContaining({ four_eyes: { set_by: ['setter'] } }),
  })
})

test('the archive has the id of the bulk cancellation that canceled a transaction, while that object is kept', async () => {
  const directory = join(folder, 'in-bulk')
  await using own = await serve({ clock: { now: () => time, elapsed: () => 0, afterThis: setImmediate, sleep } })
  const sent = async (key: string) => (await send(key, one, own)).body.data.id
  const cancelInBulk = async (id: string) => {
    const body = JSON.stringify({ filter: { ids: [id] }, relayers: [one] })
    const headers = { 'content-type': 'application/json', 'idempotency-key': id }
    return (await own.ask('POST', '/api/v1/bulk-cancellations', { headers, body })).body.data.id
  }
  const [forgotten, first] = [await sent('forgotten'), await sent('first')]
  const pruned = await cancelInBulk(forgotten)
  time += 5000
  await own.store.commit((session) => session.announceBulk(pruned, time))
  const bulk = await cancelInBulk(first)
  const byPending = await sent('by-pending')
  const deleted = await own.ask('DELETE', path('/pending'))
  const alone = await sent('alone')
  expectSuccess(await own.ask('DELETE', path(`/${alone}`)))
  await own.store.commit((session) => session.pruneBulks({ entriesMax: 2, since: 0, emptySince: 0 }, 10))
  expect((await own.ask('GET', `/api/v1/bulk-cancellations/${pruned}`)).status).toBe(404)

  time += 100 * dayMs
  await newsOfToday(own)
  await prune(directory, own.store)
  const lines = await archived(directory)
  const ofEach = new Map(lines.map((line) => [line.transaction.id, line.bulk_cancellation_id]))
  expect(ofEach).toEqual(
    new Map([
      [forgotten, undefined],
      [first, bulk],
      [byPending, deleted.headers['relayer-bulk-cancellation']],
      [alone, undefined],
    ]),
  )
})
