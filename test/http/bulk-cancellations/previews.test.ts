// Previews of bulk cancellations, and what their tokens bound.
import { expect, test } from 'vitest'
import type { Scope } from '../../../src/domain/api-key.ts'
import type { ApiKeyId, RelayerId } from '../../../src/domain/ids.ts'
import { type Authenticate, administratorBy, type Principal } from '../../../src/http/request/authenticate.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import type { Store } from '../../../src/store/store.ts'
import { someMarket } from '../../domain/some.ts'
import { attempt, put, receiver, transaction } from '../support/rows.ts'
import { type Asking, apiKey, type Serving, serve } from '../support/serve.ts'

const path = '/api/v1/bulk-cancellations'
const priceOf = () => ({ market: someMarket, block: 100 })

let keys = 0
const json = { 'content-type': 'application/json' }

function preview(server: Serving, body: object = {}, asking: Asking = {}) {
  return server.ask('POST', `${path}/preview`, {
    headers: json,
    body: JSON.stringify({ filter: {}, relayers: ['one'], ...body }),
    ...asking,
  })
}

function create(server: Serving, body: object, asking: Asking = {}) {
  return server.ask('POST', path, {
    headers: { ...json, 'idempotency-key': `key-${++keys}` },
    body: JSON.stringify({ filter: {}, relayers: ['one'], ...body }),
    ...asking,
  })
}

const inFlight = (store: Store, id: string, nonce: number, relayerId = 'one' as RelayerId) =>
  put(
    store,
    transaction(
      id,
      { phase: 'inFlight', nonce, attempts: [attempt(id as never, nonce, 'execute', nonce)] },
      { relayerId, sequence: nonce },
    ),
  )
const queued = (store: Store, id: string, sequence: number, relayerId = 'one' as RelayerId) =>
  put(store, transaction(id, { phase: 'queued' }, { relayerId, sequence }))

async function three(server: Serving): Promise<void> {
  await inFlight(server.store, 'first', 7)
  await inFlight(server.store, 'second', 8)
  await queued(server.store, 'queued', 20)
}

async function statusOf(server: Serving, id: string, relayer = 'one'): Promise<string> {
  return (await server.ask('GET', `/api/v1/relayers/${relayer}/transactions/${id}`)).body.data.status
}

const codeOf = ({ headers }: { headers: object }) => (headers as Record<string, string>)['relayer-error-code']

test('shows the counts, the cost and a sample, and changes nothing', async () => {
  await using server = await serve({ priceOf })
  await three(server)
  const answer = await preview(server, { name: 'stuck' })
  expect(answer.status, answer.text).toBe(200)
  const { data } = answer.body
  const counts = { matches: 3, free: 1, no_ops: 2, already: 0, left: 0 }
  expect(data).toMatchObject({ bounds: ['transactions', 'no_ops', 'cost'], counts })
  expect(data.parts).toMatchObject([{ relayer_id: 'one', counts, cost: data.cost }])
  expect(data.sample.map((each: { transaction_id: string }) => each.transaction_id).toSorted()).toEqual([
    ...['first', 'queued', 'second'],
  ])
  expect(BigInt(data.cost.max)).toBe(10n * BigInt(data.cost.now))
  for (const id of ['first', 'second']) expect(await statusOf(server, id)).toBe('submitted')
  expect(await statusOf(server, 'queued')).toBe('pending')
  const log = await server.ask('GET', '/api/v1/audit-log')
  expect(log.body.data[0]).toMatchObject({ operation: 'previewBulkCancellation', outcome: 'allowed' })
})

test('with its token nothing is taken beyond it, and what ended is reported', async () => {
  await using server = await serve({ priceOf })
  await three(server)
  await queued(server.store, 'gone', 21)
  const { data: shown } = (await preview(server)).body
  await queued(server.store, 'later', 30)
  await inFlight(server.store, 'third', 9)
  await server.ask('DELETE', '/api/v1/relayers/one/transactions/gone')
  const answer = await create(server, { preview: shown.token })
  expect(answer.status, answer.text).toBe(200)
  const { data } = answer.body
  expect(data).toMatchObject({
    counts: { dropped: 1, racing: 2, refused: 1 },
    preview: { matches: 4, ended: 1, no_ops: 2, cost_max: shown.cost.max },
  })
  expect(data.parts[0].refused).toMatchObject([{ transaction_id: 'third', reason: 'not_in_preview' }])
  expect(BigInt(data.parts[0].cost_max)).toBeLessThanOrEqual(BigInt(shown.cost.max))
  expect(await statusOf(server, 'later')).toBe('pending')
  expect(await statusOf(server, 'third')).toBe('submitted')
  expect((await server.ask('GET', `${path}/${data.id}`)).body.data).toEqual(data)
})

test('one that was free, and needs a no-op now, is refused with the reason', async () => {
  await using server = await serve({ priceOf })
  await queued(server.store, 'free', 7)
  const { data: shown } = (await preview(server)).body
  expect(shown.counts).toMatchObject({ matches: 1, free: 1, no_ops: 0 })
  await server.store.commit(async (session) => {
    const before = await session.transaction('one' as RelayerId, 'free' as never)
    if (!before) return
    const lifecycle = { phase: 'inFlight', nonce: 7, attempts: [attempt('free' as never, 7)] } as const
    await session.saveTransaction(before, { ...before, lifecycle }, systemClock.now())
  }, 'one' as RelayerId)
  const { data } = (await create(server, { preview: shown.token })).body
  expect(data.parts[0]).toMatchObject({
    refused: [{ transaction_id: 'free', reason: 'beyond_shown_no_ops' }],
    preview: { matches: 1, ended: 0 },
  })
  expect(await statusOf(server, 'free')).toBe('submitted')
})

test('a replacement that matches only since is not let in', async () => {
  await using server = await serve({ priceOf })
  await queued(server.store, 'other', 1)
  await queued(server.store, 'paying', 2)
  const order = { filter: { value_to: '5' } }
  const { data: shown } = (await preview(server, order)).body
  expect(shown.counts.matches).toBe(0)
  const body = { to: receiver, value: '1', data: '0x', speed: 'fast' }
  const replaced = await server.ask('PUT', '/api/v1/relayers/one/transactions/other', {
    headers: json,
    body: JSON.stringify(body),
  })
  expect(replaced.status, replaced.text).toBe(200)
  const { data } = (await create(server, { ...order, preview: shown.token })).body
  expect(data.counts).toMatchObject({ dropped: 0, refused: 0 })
  expect(await statusOf(server, 'other')).toBe('pending')
})

test('exact refuses any difference, says which, and changes nothing', async () => {
  await using server = await serve({ priceOf })
  await three(server)
  await queued(server.store, 'gone', 21)
  const order = { relayers: ['one', 'two'] }
  const { data: shown } = (await preview(server, order)).body
  await queued(server.store, 'later', 30, 'two' as RelayerId)
  await inFlight(server.store, 'third', 9)
  await server.ask('DELETE', '/api/v1/relayers/one/transactions/gone')
  const refused = await create(server, { ...order, preview: shown.token, exact: true })
  expect(refused.status).toBe(409)
  expect(codeOf(refused)).toBe('PREVIEW_DIFFERS')
  expect(refused.headers['relayer-preview-difference']).toBe('ended=1, added=2, no_ops=1, cost_beyond="0"')
  expect((await server.ask('GET', path)).body.data).toEqual([])
  for (const id of ['first', 'second', 'third']) expect(await statusOf(server, id)).toBe('submitted')
  expect(await statusOf(server, 'queued')).toBe('pending')

  const { data: again } = (await preview(server, order)).body
  const taken = await create(server, { ...order, preview: again.token, exact: true })
  expect(taken.body.data, taken.text).toMatchObject({ counts: { dropped: 2, racing: 3 }, preview: { ended: 0 } })
})

test('without a price it bounds transactions and no-ops, and says so', async () => {
  await using server = await serve()
  await three(server)
  const answer = await preview(server)
  expect(answer.body.data).toMatchObject({ bounds: ['transactions', 'no_ops'], counts: { no_ops: 2 } })
  expect(answer.body.data).not.toHaveProperty('cost')
  expect(answer.body.metadata.logs.at(-1).message).toContain('no cost')
  await inFlight(server.store, 'third', 9)
  const { data } = (await create(server, { preview: answer.body.data.token })).body
  expect(data).toMatchObject({ counts: { racing: 2, dropped: 1, refused: 1 }, preview: { no_ops: 2 } })
  expect(data.preview).not.toHaveProperty('cost_max')
  const { data: cancellation } = (await server.ask('GET', '/api/v1/relayers/one/transactions/first/cancellation')).body
  expect(cancellation).not.toHaveProperty('cost_max')
})

test('with max_cost a token bounds both, and only: "free" needs no price', async () => {
  await using server = await serve({ priceOf })
  await three(server)
  const order = { max_cost: '1' }
  const { data: shown } = (await preview(server, order)).body
  expect(shown).toMatchObject({ counts: { matches: 1, free: 1, no_ops: 0, left: 2 }, cost: { now: '0', max: '0' } })
  const { data } = (await create(server, { ...order, preview: shown.token })).body
  expect(data).toMatchObject({ counts: { dropped: 1, racing: 0, refused: 2 }, preview: { matches: 1, ended: 0 } })
  await using unpriced = await serve()
  await three(unpriced)
  const { data: free } = (await preview(unpriced, { only: 'free' })).body
  expect(free).toMatchObject({ bounds: ['transactions', 'no_ops', 'cost'], cost: { now: '0', max: '0' } })
  const taken = await create(unpriced, { only: 'free', preview: free.token, exact: true })
  expect(taken.body.data, taken.text).toMatchObject({ counts: { dropped: 1, racing: 0 } })
  expect(codeOf(await preview(unpriced, order))).toBe('PRICE_UNOBSERVED')
})

const bound = (id: string, scopes: readonly Scope[], relayers?: readonly string[]): Principal => ({
  id: id as ApiKeyId,
  scopes: new Set(scopes),
  ...(relayers && { relayers: relayers as readonly RelayerId[] }),
})
const known: Readonly<Record<string, Principal>> = {
  canceler: bound('canceler', ['cancel', 'read'], ['two']),
  reader: bound('reader', ['read']),
}
const authenticate: Authenticate = (header) =>
  administratorBy(apiKey)(header) ?? known[String(header).replace('Bearer ', '')]

test('a preview needs the rights of the request, and shows the relayers of its key', async () => {
  await using server = await serve({ authenticate, priceOf })
  await queued(server.store, 'a', 1)
  await queued(server.store, 'b', 1, 'two' as RelayerId)
  const token = 'canceler'
  for (const relayers of [['one'], ['two', 'one'], ['nobody']])
    expect(codeOf(await preview(server, { relayers }, { token }))).toBe('RELAYER_NOT_GRANTED')
  expect(codeOf(await preview(server, { relayers: ['two'], pause: true }, { token }))).toBe('SCOPE_MISSING')
  expect(codeOf(await preview(server, {}, { token: 'reader' }))).toBe('SCOPE_MISSING')
  expect(codeOf(await preview(server, { relayers: ['nobody'] }))).toBe('RELAYER_NOT_FOUND')
  const { data } = (await preview(server, { relayers: 'all' }, { token })).body
  expect(data).toMatchObject({ counts: { matches: 1 }, parts: [{ relayer_id: 'two' }] })
})

test('a token serves one request of its key, of the same terms, for ten minutes', async () => {
  let ahead = 0
  const clock = systemClock
  await using server = await serve({ authenticate, priceOf, clock: { ...clock, now: () => clock.now() + ahead } })
  await queued(server.store, 'b', 1, 'two' as RelayerId)
  const order = { relayers: ['two'] }
  const { data: shown } = (await preview(server, order, { token: 'canceler' })).body
  const foreign = await create(server, { ...order, preview: shown.token })
  expect([foreign.status, codeOf(foreign)]).toEqual([404, 'PREVIEW_NOT_FOUND'])
  expect(codeOf(await create(server, { ...order, preview: 'unknown' }))).toBe('PREVIEW_NOT_FOUND')
  const { data: mine } = (await preview(server, order)).body
  for (const change of [{ filter: { older_than: '10m' } }, { relayers: ['one'] }, { only: 'free' }, { pause: true }]) {
    const other = await create(server, { ...order, ...change, preview: mine.token })
    expect([other.status, codeOf(other)]).toEqual([400, 'PREVIEW_OF_ANOTHER'])
  }
  expect(codeOf(await create(server, { ...order, exact: true }))).toBe('INVALID_REQUEST')
  const headers = { ...json, 'idempotency-key': 'mine' }
  const first = await create(server, { ...order, name: 'now', preview: mine.token }, { headers })
  expect(first.body.data, first.text).toMatchObject({ counts: { dropped: 1 } })
  const replay = await create(server, { ...order, name: 'now', preview: mine.token }, { headers })
  expect(replay.headers['idempotency-replayed']).toBe('true')
  const without = await create(server, { ...order, name: 'now' }, { headers })
  expect(without.body.data).toEqual(first.body.data)
  expect(codeOf(await create(server, { ...order, preview: mine.token }))).toBe('PREVIEW_NOT_FOUND')
  const { data: old } = (await preview(server, order)).body
  ahead = 600_000
  expect(codeOf(await create(server, { ...order, preview: old.token }))).toBe('PREVIEW_NOT_FOUND')
})

test('the token is not stored, and a key keeps twenty unused previews', async () => {
  await using server = await serve({ priceOf })
  await queued(server.store, 'a', 1)
  const tokens: string[] = []
  for (let each = 0; each < 22; each += 1) tokens.push((await preview(server)).body.data.token)
  expect(await server.store.reads.bulkPreview(tokens[0] ?? '')).toBe(undefined)
  expect(codeOf(await create(server, { preview: tokens[0] }))).toBe('PREVIEW_NOT_FOUND')
  expect((await create(server, { preview: tokens[21] })).status).toBe(200)
})
