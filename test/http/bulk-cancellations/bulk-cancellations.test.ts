// Bulk cancellations as a resource: the transactions of a request, its rights, and the object that a DELETE makes.
import { expect, test } from 'vitest'
import type { Scope } from '../../../src/domain/api-key.ts'
import type { ApiKeyId, RelayerId } from '../../../src/domain/ids.ts'
import { type Authenticate, administratorBy, type Principal } from '../../../src/http/request/authenticate.ts'
import type { Store } from '../../../src/store/store.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { attempt, put, putEveryPhase, receiver, transaction } from '../support/rows.ts'
import { apiKey, type Serving, serve } from '../support/serve.ts'

const path = '/api/v1/bulk-cancellations'

let keys = 0
function create(server: Serving, body: object, { key = `key-${++keys}`, token = apiKey } = {}) {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key }
  return server.ask('POST', path, { headers, body: JSON.stringify(body), token })
}

const queued = (store: Store, id: string, changes: Parameters<typeof transaction>[2] = {}) =>
  put(store, transaction(id, { phase: 'queued' }, changes))

async function statuses(server: Serving, ids: readonly string[], relayer = 'one') {
  const all = ids.map(
    async (id) => (await server.ask('GET', `/api/v1/relayers/${relayer}/transactions/${id}`)).body.data.status,
  )
  return Promise.all(all)
}

test('takes what matches at each relayer, says how far it is, and lists its transactions with their verdicts', async () => {
  await using server = await serve()
  await putEveryPhase(server.store)
  await queued(server.store, 'other', { relayerId: 'two' as RelayerId })
  const answer = await create(server, { name: 'n', reason: 'r', filter: {}, relayers: 'all' })
  expectSuccess(answer)
  const { data } = answer.body
  expect(data).toMatchObject({
    ...{ origin: 'request', name: 'n', reason: 'r', filter: {}, every_relayer: true, pause: false },
    ...{ relayers: ['one', 'two'], requested_by: 'administrator', final: false },
    counts: {
      dropped: 3,
      racing: 1,
      won: 0,
      lost: 0,
      external: 0,
      not_final: 1,
      refused: 0,
      cost: '0',
      safe_to_retry: 3,
    },
  })
  expect(data.parts).toMatchObject([
    { relayer_id: 'one', state: 'written', final: false, counts: { dropped: 2, racing: 1 } },
    { relayer_id: 'two', state: 'written', final: true, counts: { dropped: 1, safe_to_retry: 'all' } },
  ])
  expect(await statuses(server, ['submitted', 'sent', 'queued'])).toEqual(['canceled', 'canceled', 'canceled'])
  expect(await statuses(server, ['mined', 'confirmed'])).toEqual(['mined', 'confirmed'])
  expect(await statuses(server, ['other'], 'two')).toEqual(['canceled'])
  expect((await server.ask('GET', `${path}/${data.id}`)).body.data).toEqual(data)
  const list = await server.ask('GET', path)
  const { parts: _, ...head } = data
  expect(list.body.data).toEqual([head])
  const { body } = await server.ask('GET', `${path}/${data.id}/transactions?per_page=3`)
  expect(body.pagination).toEqual({ current_page: 1, per_page: 3, total_items: 4 })
  expect(body.data).toHaveLength(3)
  for (const { transaction: shown, cancellation } of body.data) {
    expect(cancellation).toMatchObject({ transaction_id: shown.id, safe_to_retry: shown.id !== 'submitted' })
  }
  expect(server.woken).toContain('one')
})

test('a filter takes its matches only', async () => {
  await using server = await serve()
  const { store } = server
  const payload = transaction('x', { phase: 'queued' }).payload
  await queued(store, 'large')
  await queued(store, 'small', { payload: { ...payload, value: 5n } })
  await queued(store, 'call', { payload: { ...payload, value: 0n, data: '0xa9059cbb00' } })
  await put(store, transaction('bound', { phase: 'inFlight', nonce: 7, attempts: [attempt('bound' as never, 1)] }))
  const takes = async (filter: object) => {
    const { body, text } = await create(server, { filter, relayers: ['one'] })
    expect(body?.success, text).toBe(true)
    const list = await server.ask('GET', `${path}/${body.data.id}/transactions`)
    expect(body.data.filter).toEqual(filter)
    return list.body.data.map((each: { transaction: { id: string } }) => each.transaction.id)
  }
  expect(await takes({ newer_than: '1s' })).toEqual([])
  expect(await takes({ ids: ['nobody'] })).toEqual([])
  expect(await takes({ value_to: '5', selector: '0xa9059cbb' })).toEqual(['call'])
  expect(await takes({ value_to: '5', to: receiver })).toEqual(['small'])
  expect(await takes({ nonce_from: 7, nonce_to: 7 })).toEqual(['bound'])
  expect(await takes({ status: ['pending'], older_than: '10m', ids: ['large'] })).toEqual(['large'])
})

test.each([
  ['a misspelt member of the filter', { filter: { receiver }, relayers: 'all' }],
  ['a misspelt member', { filter: {}, relayers: 'all', dry_run: true }],
  ['no filter', { relayers: 'all' }],
  ['no relayers', { filter: {} }],
  ['an age without unit', { filter: { older_than: '10' }, relayers: 'all' }],
  ['ages that exclude each other', { filter: { older_than: '10m', newer_than: '5m' }, relayers: 'all' }],
  ['a status that none has to cancel', { filter: { status: ['mined'] }, relayers: 'all' }],
  ['a selector of three bytes', { filter: { selector: '0xa9059c' }, relayers: 'all' }],
  ['values that exclude each other', { filter: { value_from: '2', value_to: '1' }, relayers: 'all' }],
])('refused: %s', async (_, body) => {
  await using server = await serve()
  await queued(server.store, 'stays')
  const answer = await create(server, body)
  expect([answer.status, answer.headers['relayer-error-code']]).toEqual([400, 'INVALID_REQUEST'])
  expect(await statuses(server, ['stays'])).toEqual(['pending'])
})

test.each([
  [
    { filter: { nonce_from: 7, nonce_to: 3 } },
    'filter.nonce_to: 3 is not at or above nonce_from; swap the two, or leave one out',
  ],
  [
    { filter: { value_from: '2', value_to: '1' } },
    'filter.value_to: "1" is not at or above value_from; swap the two, or leave one out',
  ],
  [
    { filter: { value_from: '9'.repeat(78) } },
    `filter.value_from: "${'9'.repeat(39)}… is not an amount of wei below 2^256`,
  ],
  [{ filter: { status: ['mined'] } }, 'filter.status[0]: "mined" is not one of pending, sent, submitted'],
  [{ filter: { ids: [5] } }, 'filter.ids[0]: 5 is not the id of a transaction'],
  [{}, 'filter: is missing; send an object such as {"older_than": "10m"}; {} matches everything'],
  [{ filter: [] }, 'filter: [] is not an object such as {"older_than": "10m"}; {} matches everything'],
])('a refusal names the member of the filter and the fix: %j', async (body, message) => {
  await using server = await serve()
  expectFailure(await create(server, { ...body, relayers: 'all' }), 400, message, 'INVALID_REQUEST')
})

test('an idempotency key is required, and a retry takes nothing that was sent since', async () => {
  await using server = await serve()
  const without = await server.ask('POST', path, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ filter: {}, relayers: 'all' }),
  })
  expect([without.status, without.headers['relayer-error-code']]).toEqual([400, 'INVALID_REQUEST'])
  await queued(server.store, 'before')
  const order = { filter: {}, relayers: ['two', 'one'] }
  const first = await create(server, order, { key: 'k' })
  await queued(server.store, 'after')
  const again = await create(server, { relayers: ['one', 'two'], filter: {} }, { key: 'k' })
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect(again.body.data).toEqual(first.body.data)
  expect(await statuses(server, ['before', 'after'])).toEqual(['canceled', 'pending'])
  const other = await create(server, { filter: {}, relayers: 'all' }, { key: 'k' })
  expect(other.headers['relayer-error-code']).toBe('IDEMPOTENCY_KEY_REUSED')
})

test('a later object counts what an earlier one has in a race as already, and a transaction stays with the first', async () => {
  await using server = await serve()
  await putEveryPhase(server.store)
  const first = await create(server, { filter: {}, relayers: ['one'] })
  const second = await create(server, { filter: {}, relayers: ['one'] })
  expect(second.body.data.counts).toMatchObject({ dropped: 0, racing: 0, already: 1, safe_to_retry: 'all' })
  expect(second.body.data.final).toBe(true)
  const ofSecond = await server.ask('GET', `${path}/${second.body.data.id}/transactions`)
  expect(ofSecond.body.data).toEqual([])
  const { body } = await server.ask('GET', path)
  expect(body.data.map((each: { id: string }) => each.id)).toEqual([second.body.data.id, first.body.data.id])
})

test('a DELETE of everything pending makes one, unless there is nothing to cancel', async () => {
  await using server = await serve()
  const pending = '/api/v1/relayers/one/transactions/pending'
  expect((await server.ask('DELETE', pending)).headers).not.toHaveProperty('relayer-bulk-cancellation')
  await putEveryPhase(server.store)
  const answer = await server.ask('DELETE', pending)
  const id = answer.headers['relayer-bulk-cancellation']
  expect((await server.ask('GET', `${path}/${id}`)).body.data).toMatchObject({
    ...{ origin: 'delete', filter: {}, relayers: ['one'], counts: { dropped: 2, racing: 1 } },
  })
  expect((await server.ask('DELETE', pending)).headers).not.toHaveProperty('relayer-bulk-cancellation')
})

const bound = (id: string, scopes: readonly Scope[], relayers?: readonly string[]): Principal => ({
  id: id as ApiKeyId,
  scopes: new Set(scopes),
  ...(relayers && { relayers: relayers as readonly RelayerId[] }),
})

const known: Readonly<Record<string, Principal>> = {
  canceler: bound('canceler', ['cancel', 'read'], ['two']),
  reader: bound('reader', ['read'], ['one']),
  pauser: bound('pauser', ['cancel', 'pause'], ['two']),
  admin: bound('admin', ['cancel', 'admin']),
  former: bound('former', ['cancel', 'read'], ['deleted']),
}
const authenticate: Authenticate = (header) =>
  administratorBy(apiKey)(header) ?? known[String(header).replace('Bearer ', '')]

test('a key cancels and sees at its relayers only', async () => {
  await using server = await serve({ authenticate })
  await queued(server.store, 'a')
  await queued(server.store, 'b', { relayerId: 'two' as RelayerId })
  const token = 'canceler'
  for (const relayers of [['one'], ['two', 'one'], ['two', 'nobody']]) {
    const refused = await create(server, { filter: {}, relayers }, { token })
    expectFailure(refused, 401, 'Unauthorized', 'RELAYER_NOT_GRANTED')
  }
  expectFailure(
    await create(server, { filter: {}, relayers: 'all' }, { token: 'reader' }),
    401,
    'Unauthorized',
    'SCOPE_MISSING',
  )
  const missing = await create(server, { filter: {}, relayers: ['one', 'nobody'] })
  expect(missing.headers['relayer-error-code']).toBe('RELAYER_NOT_FOUND')
  expect([await statuses(server, ['a']), await statuses(server, ['b'], 'two')]).toEqual([['pending'], ['pending']])

  const all = await create(server, { filter: {}, relayers: 'all' }, { token })
  expect(all.body.data).toMatchObject({ relayers: ['two'], counts: { dropped: 1 } })
  expect(await statuses(server, ['a'])).toEqual(['pending'])
  const both = await create(server, { filter: {}, relayers: 'all' })
  const { id } = both.body.data
  expect((await server.ask('GET', `${path}/${id}`, { token })).body.data).toMatchObject({
    ...{ relayers: ['two'], counts: { dropped: 0 } },
    parts: [{ relayer_id: 'two' }],
  })
  expect((await server.ask('GET', `${path}/${id}/transactions`, { token })).body.data).toEqual([])
  expect((await server.ask('GET', path, { token })).body.pagination.total_items).toBe(2)
  const unseen = `${path}/${all.body.data.id}`
  for (const at of [unseen, `${unseen}/transactions`, `${path}/unknown`]) {
    expectFailure(await server.ask('GET', at, { token: 'reader' }), 404, 'Not found', 'BULK_CANCELLATION_NOT_FOUND')
  }
})

test('a key whose relayers are all deleted cancels nothing, and gets the object that says so', async () => {
  await using server = await serve({ authenticate })
  await queued(server.store, 'a')
  const answer = await create(server, { filter: {}, relayers: 'all' }, { token: 'former' })
  expectSuccess(answer)
  expect(answer.body.data).toMatchObject({ relayers: [], parts: [], final: true, counts: { dropped: 0 } })
  expect(await statuses(server, ['a'])).toEqual(['pending'])
})

test('a key that is bound to relayers sees the ids of its own transactions only', async () => {
  await using server = await serve({ authenticate })
  await queued(server.store, 'a')
  await queued(server.store, 'b', { relayerId: 'two' as RelayerId })
  const whole = { ids: ['a', 'b', 'unknown'] }
  const filterOf = async (id: string, token = apiKey) => {
    const [one, list] = await Promise.all([
      server.ask('GET', `${path}/${id}`, { token }),
      server.ask('GET', path, { token }),
    ])
    const [listed] = list.body.data.filter((each: { id: string }) => each.id === id)
    expect(listed.filter).toEqual(one.body.data.filter)
    return one.body.data.filter
  }
  const both = await create(server, { filter: whole, relayers: 'all' })
  expect(both.body.data.filter).toEqual(whole)
  expect(await filterOf(both.body.data.id)).toEqual(whole)
  expect(await filterOf(both.body.data.id, 'canceler')).toEqual({ ids: ['b'] })
  expect(await filterOf(both.body.data.id, 'reader')).toEqual({ ids: ['a'] })
  const none = await create(server, { filter: { ids: ['b'] }, relayers: ['one'] })
  expect(await filterOf(none.body.data.id, 'reader')).toEqual({ ids: [] })
  const own = await create(server, { filter: whole, relayers: ['two'] }, { token: 'canceler' })
  expect(own.body.data.filter).toEqual({ ids: ['b'] })
})

test('audit: one record for the object, and one for each relayer', async () => {
  await using server = await serve()
  await queued(server.store, 'a')
  const { body } = await create(server, { filter: {}, relayers: 'all' })
  const log = await server.ask('GET', '/api/v1/audit-log')
  const ours = log.body.data.filter((each: { operation: string }) => each.operation === 'createBulkCancellation')
  // The relayers are stopped side by side.
  expect(ours.map((each: { relayer_id?: string }) => each.relayer_id ?? '').toSorted()).toEqual(['', 'one', 'two'])
  for (const each of ours) expect(each).toMatchObject({ subject_id: body.data.id, outcome: 'allowed' })
})

test('a relayer whose commit fails waits, and the object is answered; it is stopped a moment later', async () => {
  // Until the answer: a retry may come before it.
  let isFull = true
  const wrap = (store: Store): Store => ({
    ...store,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    commit(unit, relayer, ahead) {
      if (relayer !== ('two' as RelayerId) || !isFull) return store.commit(unit, relayer, ahead)
      return Promise.reject(new Error('the disk is full'))
    },
  })
  await using server = await serve({ wrap })
  await queued(server.store, 'a')
  await queued(server.store, 'b', { relayerId: 'two' as RelayerId })
  const answer = await create(server, { filter: {}, relayers: 'all' })
  expectSuccess(answer)
  expect(answer.body.data.parts.map((part: { state: string }) => part.state)).toEqual(['written', 'waiting'])
  expect(answer.body.data.counts.safe_to_retry).toBe(1)
  isFull = false
  const state = async () => (await server.ask('GET', `${path}/${answer.body.data.id}`)).body.data.parts[1].state
  await expect.poll(state, { timeout: 20_000 }).toBe('written')
  expect(await statuses(server, ['b'], 'two')).toEqual(['canceled'])
})

test('a pause needs its scope, and a key with it pauses and does nothing else', async () => {
  await using server = await serve({ authenticate })
  await queued(server.store, 'b', { relayerId: 'two' as RelayerId })
  const order = { filter: {}, relayers: ['two'], pause: true }
  expectFailure(await create(server, order, { token: 'canceler' }), 401, 'Unauthorized', 'SCOPE_MISSING')
  expect(await statuses(server, ['b'], 'two')).toEqual(['pending'])
  const isPaused = async (id: string) => (await server.store.reads.relayer(id as RelayerId))?.paused
  const patch = (body: object, relayer: string, token: string) =>
    server.ask('PATCH', `/api/v1/relayers/${relayer}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      token,
    })
  for (const body of [{ paused: false }, { paused: true, name: 'x' }, { name: 'x' }, {}]) {
    expectFailure(await patch(body, 'two', 'pauser'), 401, 'Unauthorized', 'SCOPE_MISSING')
  }
  expectFailure(await patch({ paused: true }, 'one', 'pauser'), 401, 'Unauthorized', 'RELAYER_NOT_GRANTED')
  expect(await isPaused('two')).toBe(false)
})
