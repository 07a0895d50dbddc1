// Names of one's own: what a send takes, how lists find it and answers show it, and that an external_id is sent at most once.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import type { Inclusion, Transaction } from '../../../src/domain/transaction.ts'
import { until } from '../../../tooling/client.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { at, attempt, inclusion, receiver } from '../support/rows.ts'
import { type Answer, apiKey, type Serving, serve } from '../support/serve.ts'

let server: Serving
beforeAll(async () => {
  server = await serve({})
})
afterAll(() => server[Symbol.asyncDispose]())

const path = (rest = '', relayer = 'one') => `/api/v1/relayers/${relayer}/transactions${rest}`
const body = { to: receiver, value: '1', speed: 'fast' }

function send(labels: object, { key, relayer = 'one' }: { key?: string; relayer?: string } = {}): Promise<Answer> {
  return server.ask('POST', path('', relayer), {
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
    body: JSON.stringify({ ...body, ...labels }),
  })
}

const post = (method: string, rest: string, given: object) =>
  server.ask(method, path(rest), {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(given),
  })

async function idsOf(query: string): Promise<readonly string[]> {
  const answer = await server.ask('GET', path(`?${query}`))
  expectSuccess(answer)
  return answer.body.data.map((each: { id: string }) => each.id)
}

let nonces = 0
/** As the engine would record it. */
async function becomes(id: string, spender: 'payload' | 'noOp' | 'failed', phase: 'mined' | 'final'): Promise<void> {
  const relayer = 'one' as RelayerId
  nonces += 1
  const spent = attempt(id as TransactionId, 5_000 + nonces, spender === 'noOp' ? 'cancel' : 'execute', nonces)
  const by: Inclusion = inclusion(spent, { succeeded: spender !== 'failed' })
  await server.store.commit(async (session) => {
    const found = await session.transaction(relayer, id as TransactionId)
    if (!found) throw new Error(`no transaction ${id}`)
    const place = { nonce: nonces, attempts: [spent], inclusion: by } as const
    const lifecycle: Transaction['lifecycle'] =
      phase === 'mined' ? { phase, ...place } : { phase, ...place, finalAt: at, witnesses: 1 }
    const canceled = spender === 'noOp' ? { cancellation: { origin: 'request', requestedAt: at } as const } : {}
    await session.saveTransaction(found, { ...found, ...canceled, lifecycle }, at)
  }, relayer)
}

function expectTaken(answer: Answer, id: string, state: string, externalId: string, field = 'external_id'): void {
  const message = `${field}: "${externalId}" belongs to transaction ${id}, which ${state}; read that one; another payment needs another external_id`
  expectFailure(answer, 409, message, 'EXTERNAL_ID_TAKEN')
  expect(answer.headers['relayer-transaction-id']).toBe(id)
}

test('the transaction stays as it is, and its names are beside it where the query includes them', async () => {
  const labels = { external_id: 'invoice 1', tags: ['payroll', 'märz'], note: 'for "Ann", and =1+1' }
  const sent = await send(labels)
  expectSuccess(sent)
  const { id } = sent.body.data
  expect(Object.keys(sent.body.data)).toEqual(Object.keys((await send({})).body.data))
  const got = await server.ask('GET', path(`/${id}`))
  expectSuccess(got)
  const named = await server.ask('GET', path(`/${id}?include=labels`))
  expect(named.body.metadata).toEqual({ logs: [], traces: [], labels: { [id]: labels } })
  expect(named.body.data).toEqual(got.body.data)
  const list = await server.ask('GET', path('?include=labels&per_page=2'))
  expect(list.body.metadata.labels).toEqual({ [id]: labels })
  expect(list.body.data).toHaveLength(2)
  expect((await server.ask('GET', path(`/${id}/trace`))).body.data.labels).toEqual(labels)
  const traces = await server.ask('GET', '/api/v1/relayers/one/traces?external_id=invoice%201')
  expect(traces.body.data).toMatchObject([{ transaction: { id }, labels }])
  expectFailure(
    await server.ask('GET', path(`/${id}?include=note`)),
    400,
    'include: "note" is not labels: metadata.labels holds the names of the transactions in data',
    'INVALID_REQUEST',
  )
})

test('the audit log and the events have them', async () => {
  const labels = { external_id: '=cmd', tags: ['a,b'], note: 'line "two"' }
  const { id } = (await send(labels)).body.data
  const audit = await server.ask('GET', '/api/v1/audit-log?per_page=1')
  expect(audit.body.data).toMatchObject([{ operation: 'sendTransaction', transaction_id: id, labels }])
  await using stream = openEventStream(server.url, apiKey, { query: `transaction_id=${id}&after=0` })
  expectSuccess(await server.ask('DELETE', path(`/${id}`)))
  await until(() => stream.events.length > 0, { what: 'the event' })
  expect(stream.events).toMatchObject([{ payload: { id, status: 'canceled' }, labels }])
})

test('lists are narrowed by an external_id and by a tag, together with any other filter', async () => {
  const sent: string[] = []
  for (const tags of [['x'], ['x', 'y'], ['y'], []]) {
    sent.push((await send({ tags, external_id: `list ${sent.length}` })).body.data.id)
  }
  expect(await idsOf('tag=x')).toEqual([sent[1], sent[0]])
  expect(await idsOf('tag=y&status=pending')).toEqual([sent[2], sent[1]])
  expect(await idsOf('tag=x&external_id=list%201')).toEqual([sent[1]])
  expect(await idsOf('tag=x&external_id=list%202')).toEqual([])
  expect(await idsOf('external_id=list%203&created_from=2020-01-01T00:00:00Z')).toEqual([sent[3]])
  expect(await idsOf('tag=X')).toEqual([])
  const page = await server.ask('GET', path('?tag=x&per_page=1'))
  expect(page.body.data).toMatchObject([{ id: sent[1] }])
  expect(await idsOf(`tag=x&before=${page.headers['relayer-next-before']}`)).toEqual([sent[0]])
  expect((await server.ask('GET', path('?tag=x', 'two'))).body.data).toEqual([])
})

test.each<[string, object, string]>([
  ['an empty id', { external_id: '' }, 'external_id: "" is empty; send a text, or leave it out'],
  ['a long id', { external_id: 'é'.repeat(65) }, 'has 130 bytes in UTF-8, and may have 128; send a shorter one'],
  ['a NUL', { external_id: 'a\0' }, 'external_id: "a\\u0000" holds a control character; send it without'],
  ['a control character', { note: 'a\u0085b' }, 'holds a control character; send it without'],
  ['a line end', { tags: ['ok', 'a\n'] }, 'tags[1]: "a\\n" holds a control character; send it without'],
  ['half a pair', { note: 'a\ud800' }, 'note: "a\\ud800" holds half a surrogate pair; send whole characters'],
  ['a tag twice', { tags: ['a', 'b', 'a'] }, 'tags: ["a","b","a"] is not a list of at most 8 different texts'],
  ['nine tags', { tags: [...'abcdefghi'] }, 'tags: has 9 items; send a list of at most 8 different texts'],
  ['a long tag', { tags: ['a'.repeat(65)] }, 'has 65 bytes in UTF-8, and may have 64; send a shorter one'],
  ['a long note', { note: 'a'.repeat(513) }, 'has 513 bytes in UTF-8, and may have 512; send a shorter one'],
  ['a number', { external_id: 7 }, 'external_id: 7 is not a text of 1 to 128 bytes in UTF-8'],
])('%s is refused by its name, in a send and in a batch', async (_, labels, message) => {
  const answer = await send(labels)
  expect([answer.status, answer.headers['relayer-error-code']]).toEqual([400, 'INVALID_REQUEST'])
  expect(answer.body.message).toContain(message)
  const batch = await post('POST', '/batch', { transactions: [body, { ...body, ...labels }] })
  expect(batch.status, batch.text).toBe(400)
  expect(batch.body.message).toMatch(/^transactions\[1\]\.(external_id|tags|note)/)
})

test('the limits are bytes, and their last byte is taken', async () => {
  expectSuccess(await send({ external_id: 'é'.repeat(64), tags: ['☂'.repeat(21)], note: 'x'.repeat(512) }))
  expectSuccess(await send({ tags: [...'abcdefgh'], note: null, external_id: null }))
  expect((await server.ask('GET', path('?tag=a%00'))).body.message).toBe(
    'tag: "a\\u0000" holds a control character; send it without',
  )
})

test('an external_id is at most once while its payload may execute, or was executed', async () => {
  const first = (await send({ external_id: 'once' })).body.data.id
  expectTaken(await send({ external_id: 'once' }), first, 'is pending', 'once')
  expectSuccess(await send({ external_id: 'once' }, { relayer: 'two' }))
  // Canceled before a nonce: free.
  expectSuccess(await server.ask('DELETE', path(`/${first}`)))
  const second = (await send({ external_id: 'once' })).body.data.id
  await becomes(second, 'failed', 'mined')
  expectTaken(await send({ external_id: 'once' }), second, 'is mined', 'once')
  const third = (await send({ external_id: 'at finality' })).body.data.id
  await becomes(third, 'failed', 'final')
  const fourth = (await send({ external_id: 'at finality' })).body.data.id
  await becomes(fourth, 'noOp', 'mined')
  expectTaken(await send({ external_id: 'at finality' }), fourth, 'is canceled', 'at finality')
  const fifth = (await send({ external_id: 'won' })).body.data.id
  await becomes(fifth, 'noOp', 'final')
  const sixth = (await send({ external_id: 'won' })).body.data.id
  await becomes(sixth, 'payload', 'final')
  expectTaken(await send({ external_id: 'won' }), sixth, 'is confirmed', 'won')
})

test('of many sends at once one has the external_id', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => send({ external_id: 'race' })))
  const [winner, ...more] = answers.filter(({ status }) => status === 200)
  expect(more).toEqual([])
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    expectTaken(answer, winner?.body.data.id, 'is pending', 'race')
  }
})

test('a replay comes before: names are no part of an idempotent request', async () => {
  const first = await send({ external_id: 'replayed', tags: ['a'] }, { key: 'k' })
  for (const labels of [{ external_id: 'replayed', tags: ['a'] }, { external_id: 'another' }, {}]) {
    const again = await send(labels, { key: 'k' })
    expectSuccess(again)
    expect([again.body.data.id, again.headers['idempotency-replayed']]).toEqual([first.body.data.id, 'true'])
  }
  expectTaken(await send({ external_id: 'replayed' }, { key: 'another' }), first.body.data.id, 'is pending', 'replayed')
  // The refused key is free.
  expectSuccess(await send({ external_id: 'free' }, { key: 'another' }))
})

test('a batch is refused whole, for an id that is taken and for one that it has twice', async () => {
  const { id } = (await send({ external_id: 'of one' })).body.data
  const total = async () => (await server.ask('GET', path())).body.pagination.total_items
  const before = await total()
  const batch = (...ids: string[]) =>
    post('POST', '/batch', { transactions: ids.map((each) => ({ ...body, external_id: each, tags: ['batch'] })) })
  expectTaken(await batch('b1', 'of one'), id, 'is pending', 'of one', 'transactions[1].external_id')
  const twice = 'transactions[2].external_id: "b1" is that of transactions[0] too; send another one'
  expectFailure(await batch('b1', 'b2', 'b1'), 400, twice, 'INVALID_REQUEST')
  expect(await total()).toBe(before)
  const sent = await batch('b1', 'b2')
  expectSuccess(sent)
  expect(await idsOf('tag=batch')).toEqual(sent.body.data.map((each: { id: string }) => each.id).reverse())
})

test('a PUT has no names, and leaves them', async () => {
  const labels = { external_id: 'kept', tags: ['kept'] }
  const { id } = (await send(labels)).body.data
  for (const [name, value] of Object.entries({ ...labels, note: 'n' })) {
    const answer = await post('PUT', `/${id}`, { ...body, [name]: value })
    expect([answer.status, answer.headers['relayer-error-code']]).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.body.message).toMatch(new RegExp(`^${name}: `))
  }
  expectSuccess(await post('PUT', `/${id}`, { ...body, value: '2' }))
  const named = await server.ask('GET', path(`/${id}?include=labels`))
  expect([named.body.data.value, named.body.metadata.labels]).toEqual(['2', { [id]: labels }])
  expectTaken(await send({ external_id: 'kept' }), id, 'is pending', 'kept')
})
