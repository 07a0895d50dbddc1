// What the reads of one key leave to others: previews and pages under way have limits, and long ones let other requests pass.
import { expect, test } from 'vitest'
import type { ApiKeyId } from '../../../src/domain/ids.ts'
import { costlyReadsPerKeyMax, previewsMax, previewsPerKeyMax } from '../../../src/http/limits.ts'
import { type Authenticate, administrator } from '../../../src/http/request/authenticate.ts'
import { openPlaces } from '../../../src/http/request/places.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { put, receiver, transaction } from '../support/rows.ts'
import { type Answer, type Asking, type Serving, type Setting, serve } from '../support/serve.ts'
import { until } from '../support/until.ts'

const one = '/api/v1/relayers/one'
const two = '/api/v1/relayers/two'
const json = { 'content-type': 'application/json' }
const full = 50_000

/** Every token is a key of its own, which may do everything. */
const anyKey: Authenticate = (header) => ({ ...administrator, id: String(header) as ApiKeyId })

/** A store whose previews wait until `release`. */
function held() {
  const gate = Promise.withResolvers<void>()
  let waiting = 0
  const wrap: Setting['wrap'] = (store) => ({
    ...store,
    reads: {
      ...store.reads,
      async bulkMatches(...parameters) {
        waiting += 1
        await gate.promise
        return store.reads.bulkMatches(...parameters)
      },
    },
  })
  return { wrap, release: () => gate.resolve(), waiting: () => waiting }
}

function preview(server: Serving, asking: Asking, filter: object = { older_than: '1h' }) {
  const body = JSON.stringify({ filter, relayers: ['one'] })
  return server.ask('POST', '/api/v1/bulk-cancellations/preview', { headers: json, body, ...asking })
}

function cancelSome(server: Serving, asking: Asking, name: string) {
  const body = JSON.stringify({ filter: { older_than: '1h' }, relayers: ['one'], at_most: 10 })
  return server.ask('POST', '/api/v1/bulk-cancellations', {
    headers: { ...json, 'idempotency-key': name },
    body,
    ...asking,
  })
}

async function fill(server: Serving, count: number): Promise<void> {
  const transactions = Array(500).fill({ to: receiver, value: '1' })
  for (let sent = 0; sent < count; sent += 500) {
    expectSuccess(
      await server.ask('POST', `${one}/transactions/batch`, { headers: json, body: JSON.stringify({ transactions }) }),
    )
  }
}

test('two previews of a key and four of all are under way, and no bulk cancellation is refused for them', async () => {
  const { wrap, release, waiting } = held()
  await using server = await serve({ wrap, authenticate: anyKey })
  const as = (token: string) => ({ token })
  const pending = () => server.ask('GET', `${one}/transactions/pending/cancellation-preview`, as('a'))
  const first = [preview(server, as('a')), pending()]
  await until(() => waiting() === previewsPerKeyMax)
  const message = 'this key has 2 previews under way, or all keys have 4; send it again when one is answered'
  for (const refused of [await preview(server, as('a')), await pending()]) {
    expectFailure(refused, 429, message, 'TOO_MANY_READS')
    expect(refused.headers['retry-after']).toBe('1')
  }
  const others = [preview(server, as('b')), preview(server, as('b'))]
  await until(() => waiting() === previewsMax)
  expectFailure(await preview(server, as('c')), 429, message, 'TOO_MANY_READS')

  const canceling = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6'].map((name) => cancelSome(server, as('a'), name))
  await until(() => waiting() === previewsMax + 4)
  release()
  for (const answer of await Promise.all([...first, ...others, ...canceling])) expect(answer.status).toBe(200)
  expectSuccess(await preview(server, as('c')))
})

test('searches, balances and previews of one transaction have a limit of their own', async () => {
  const { wrap = (store) => store, release, waiting } = held()
  const gate = Promise.withResolvers<void>()
  let [reading, searching] = [0, 0]
  const wrapAll: Setting['wrap'] = (store) => {
    const wrapped = wrap(store)
    const relayers: typeof store.reads.relayers = async (...parameters) => {
      searching += 1
      await gate.promise
      return store.reads.relayers(...parameters)
    }
    return { ...wrapped, reads: { ...wrapped.reads, relayers } }
  }
  const chain = {
    async balance() {
      reading += 1
      await gate.promise
      return 5n
    },
  }
  await using server = await serve({ wrap: wrapAll, chain: chain as NonNullable<Setting['chain']> })
  await put(server.store, transaction('some', { phase: 'queued' }))
  const ask = (path: string) => server.ask('GET', path)
  const cases = [
    { path: `${one}/transactions/some/cancellation-preview`, what: 'previews of one transaction', begun: waiting },
    { path: '/api/v1/search?query=some', what: 'searches', begun: () => searching },
    { path: `${one}/balance`, what: 'reads of a balance', begun: () => reading },
  ]
  const under: Promise<Answer>[] = []
  for (const { path, what, begun } of cases) {
    for (let each = 0; each < costlyReadsPerKeyMax; each += 1) under.push(ask(path))
    await until(() => begun() === costlyReadsPerKeyMax)
    const message = `this key has 4 ${what} under way; send it again when one is answered`
    expectFailure(await ask(path), 429, message, 'TOO_MANY_READS')
  }
  gate.resolve()
  release()
  for (const answer of await Promise.all(under)) expect(answer.status).not.toBe(429)
})

test('a preview of a full queue lets the cancellations of another relayer pass', async () => {
  await using server = await serve()
  await fill(server, full)
  for (let each = 0; each < 20; each += 1)
    await put(
      server.store,
      transaction(`t${each}`, { phase: 'queued' }, { relayerId: 'two' as never, sequence: each + 1 }),
    )
  let isAnswered = false
  const previewed = preview(server, {}).finally(() => {
    isAnswered = true
  })
  let canceled = 0
  while (!isAnswered && canceled < 20) {
    expectSuccess(await server.ask('DELETE', `${two}/transactions/t${canceled}`))
    if (!isAnswered) canceled += 1
  }
  expect(canceled).toBeGreaterThan(3)
  expect((await previewed).body.data.counts.matches).toBe(0)
}, 120_000)

test('300 pages of 1,000 rows of a full queue leave room for a cancellation', async () => {
  let begun = 0
  let isFilled = false
  let begunAtCommit: number | undefined
  const wrap: Setting['wrap'] = (store) => ({
    ...store,
    commit: (...parameters) => {
      if (isFilled) begunAtCommit ??= begun
      return store.commit(...parameters)
    },
    reads: {
      ...store.reads,
      transactionItems: (...parameters) => {
        begun += 1
        return store.reads.transactionItems(...parameters)
      },
    },
  })
  await using server = await serve({ connections: 320, authenticate: anyKey, wrap })
  await fill(server, full)
  await put(server.store, transaction('some', { phase: 'queued' }, { relayerId: 'two' as never }))
  isFilled = true
  const over = new AbortController()
  const page = () => server.ask('GET', `${one}/traces?per_page=1000`, { token: 'reader', signal: over.signal })
  const pages = Array.from({ length: 300 }, () => page().catch(() => undefined))
  expectSuccess(await server.ask('DELETE', `${two}/transactions/some`))
  expect(begunAtCommit).toBeLessThan(50)
  // A short page waits for none.
  expectSuccess(await server.ask('GET', `${one}/traces`, { token: 'reader' }))
  expect(begun).toBeLessThan(100)
  over.abort()
  await Promise.all(pages)
}, 120_000)

test('a page costs one request for each 50 rows', async () => {
  await using server = await serve({ limits: { requestsPerSecond: 1, burst: 100 } })
  const left = async (query: string) => {
    const { headers } = await server.ask('GET', `${one}/transactions${query}`)
    return Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1])
  }
  let before = await left('')
  for (const [query, cost] of [
    ['?per_page=50', 1],
    ['?per_page=51', 2],
    ['?per_page=1000', 20],
    ['?per_page=99999999', 20],
    ['?per_page=x', 1],
  ] as const) {
    const now = await left(query)
    expect([query, before - now]).toEqual([query, cost])
    before = now
  }
})

test('keys that wait for a place take turns', async () => {
  const [a, b] = ['a' as ApiKeyId, 'b' as ApiKeyId]
  const places = openPlaces(2, 2)
  const order: string[] = []
  const leaves: (() => void)[] = []
  const wait = async (name: string, key: ApiKeyId) => {
    leaves.push(await places.wait(key))
    order.push(name)
  }
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void wait(name, a)
  void wait('b1', b)
  void wait('b2', b)
  for (let left = 7; left > 0; left -= 1) {
    await until(() => leaves.length > 0)
    leaves.shift()?.()
  }
  await until(() => order.length === 7)
  expect(order).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'a5'])
  expect(places.take(a)).not.toBe(undefined)
})
