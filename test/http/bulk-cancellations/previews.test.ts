// Previews of bulk cancellations, and what `created_to` and `at_most` exclude of the requests that follow.
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

async function sent(server: Serving): Promise<string> {
  const body = JSON.stringify({ to: receiver, value: '1', data: '0x', speed: 'fast' })
  const answer = await server.ask('POST', '/api/v1/relayers/one/transactions', { headers: json, body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data.id
}

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
  expect(data).toMatchObject({ instant: expect.stringMatching(/Z$/), counts })
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

test('created_to takes nothing that was sent since, and ages are those of it', async () => {
  let ahead = 0
  const clock = { ...systemClock, now: () => systemClock.now() + ahead }
  await using server = await serve({ priceOf, clock })
  const young = await sent(server)
  ahead = 60_000
  const old = { filter: { older_than: '1m' } }
  const { data: shown } = (await preview(server, old)).body
  expect(shown.counts.matches).toBe(1)
  const later = await sent(server)
  ahead = 600_000
  const filter = { ...old.filter, created_to: shown.instant }
  const { data } = (await create(server, { filter, at_most: 1 })).body
  expect(data).toMatchObject({ filter, counts: { dropped: 1, refused: 0 } })
  expect(await statusOf(server, young)).toBe('canceled')
  expect(await statusOf(server, later)).toBe('pending')
  const { data: grown } = (await preview(server, old)).body
  expect(grown.counts.matches).toBe(1)
  const wrong = await create(server, { filter: { created_to: 'yesterday' } })
  expect([codeOf(wrong), wrong.body.message]).toEqual(['INVALID_REQUEST', expect.stringContaining('created_to')])
})

test('at_most refuses more over all relayers, stores nothing, and the key serves the narrower request', async () => {
  await using server = await serve({ priceOf })
  await three(server)
  await queued(server.store, 'other', 1, 'two' as RelayerId)
  const order = { relayers: ['one', 'two'] }
  const { data: shown } = (await preview(server, order)).body
  expect(shown.counts.matches).toBe(4)
  const headers = { ...json, 'idempotency-key': 'one-request' }
  const refused = await create(server, { ...order, at_most: 3 }, { headers })
  expect([refused.status, codeOf(refused)]).toEqual([409, 'TOO_MANY_MATCHES'])
  expect(refused.body.message).toContain('4 transactions would be canceled')
  expect((await server.ask('GET', path)).body.data).toEqual([])
  for (const id of ['first', 'second']) expect(await statusOf(server, id)).toBe('submitted')
  expect(await statusOf(server, 'queued')).toBe('pending')
  expect(await statusOf(server, 'other', 'two')).toBe('pending')

  const narrower = { relayers: ['one'], at_most: 3 }
  const made = await create(server, narrower, { headers })
  expect(made.body.data, made.text).toMatchObject({ counts: { dropped: 1, racing: 2 } })
  const { at_most: _, ...unbounded } = narrower
  for (const body of [narrower, { ...narrower, at_most: 0 }, unbounded]) {
    const replay = await create(server, body, { headers })
    expect(replay.headers['idempotency-replayed']).toBe('true')
    expect(replay.body.data).toEqual(made.body.data)
  }
  expect((await create(server, { relayers: ['one'], at_most: 0 })).body.data.counts).toMatchObject({ already: 2 })
  expect(codeOf(await create(server, { relayers: ['nobody'], at_most: 9 }))).toBe('RELAYER_NOT_FOUND')
})

test('at_most counts what a limit of cost leaves no more than a preview does', async () => {
  await using server = await serve({ priceOf })
  await three(server)
  const order = { only: 'free' }
  const { data: shown } = (await preview(server, order)).body
  expect(shown.counts).toMatchObject({ matches: 1, left: 2 })
  expect(codeOf(await create(server, { at_most: 1 }))).toBe('TOO_MANY_MATCHES')
  const { data } = (await create(server, { ...order, at_most: 1 })).body
  expect(data).toMatchObject({ counts: { dropped: 1, racing: 0, refused: 2 } })
})

test('without a price it shows no cost, and says so', async () => {
  await using server = await serve()
  await three(server)
  const answer = await preview(server)
  expect(answer.body.data).toMatchObject({ counts: { no_ops: 2 } })
  expect(answer.body.data).not.toHaveProperty('cost')
  expect(answer.body.metadata.logs.at(-1).message).toContain('its cost is not shown')
  const { data } = (await create(server, { at_most: answer.body.data.counts.matches })).body
  expect(data).toMatchObject({ counts: { racing: 2, dropped: 1 } })
})

test('max_cost needs a price, and only: "free" does not', async () => {
  await using server = await serve({ priceOf })
  await three(server)
  const order = { max_cost: '1' }
  const { data: shown } = (await preview(server, order)).body
  expect(shown).toMatchObject({ counts: { matches: 1, free: 1, no_ops: 0, left: 2 }, cost: { now: '0', max: '0' } })
  await using unpriced = await serve()
  await three(unpriced)
  const { data: free } = (await preview(unpriced, { only: 'free' })).body
  expect(free).toMatchObject({ cost: { now: '0', max: '0' } })
  expect(codeOf(await preview(unpriced, order))).toBe('PRICE_UNOBSERVED')
  expect(codeOf(await create(unpriced, { ...order, at_most: 9 }))).toBe('PRICE_UNOBSERVED')
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
