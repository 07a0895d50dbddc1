// Holds over HTTP: members of a send, the presented hold, the keys that may end it, and what ends it.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { timeInWords } from '../../../src/domain/hold.ts'
import type { ApiKeyId, RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import type { Policies } from '../../../src/domain/policy-table.ts'
import {
  type Authenticate,
  administratorBy,
  bearerToken,
  type Principal,
} from '../../../src/http/request/authenticate.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { until } from '../../../tooling/client.ts'
import { transactionEvents } from '../../domain/some.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { receiver, relayer } from '../support/rows.ts'
import { type Answer, apiKey, type Serving, serve } from '../support/serve.ts'

const keys: Readonly<Record<string, Principal>> = {
  sender: { id: 'sender' as ApiKeyId, scopes: new Set(['send', 'read', 'cancel', 'admin'] as const) },
  releaser: { id: 'releaser' as ApiKeyId, scopes: new Set(['release'] as const) },
}
const authenticate: Authenticate = (header) => keys[bearerToken(header) ?? ''] ?? administratorBy(apiKey)(header)

const begin = Date.UTC(2026, 0, 2, 3, 4, 5)
let time = begin
let server: Serving
beforeAll(async () => {
  server = await serve({ authenticate, clock: { ...systemClock, now: () => time } })
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => withPolicies({}))

const at = (rest = '', id = 'one') => `/api/v1/relayers/${id}/transactions${rest}`
const json = { 'content-type': 'application/json' }
const post = (body: object, headers: Record<string, string> = {}, token = apiKey) =>
  server.ask('POST', at(), {
    token,
    body: JSON.stringify({ to: receiver, value: '5', ...body }),
    headers: { ...json, ...headers },
  })
const put = (id: string, body: object) =>
  server.ask('PUT', at(`/${id}`), { body: JSON.stringify({ to: receiver, value: '6', ...body }), headers: json })
const release = (id: string, token = apiKey) => server.ask('POST', at(`/${id}/release`), { token })
const holdOf = (id: string) => server.ask('GET', at(`/${id}/hold`))
const idOf = (answer: Answer): string => {
  expectSuccess(answer)
  return answer.body.data.id
}
const stored = (id: string) => server.store.reads.transaction('one' as RelayerId, id as TransactionId)

async function withPolicies(policies: Partial<Policies>, changes: { paused?: boolean } = {}): Promise<void> {
  const one = relayer('one', changes)
  await server.store.commit((session) => session.saveRelayer({ ...one, policies: { ...one.policies, ...policies } }))
}

test('a hold is shown with its rule, its key and its end, and the transaction keeps its members', async () => {
  const sent = await post({ hold_for: '10m' })
  const id = idOf(sent)
  expect(sent.body.data).toMatchObject({ status: 'pending', status_reason: expect.stringContaining('on hold until') })
  const answer = await holdOf(id)
  expectSuccess(answer)
  expect(answer.body.data).toEqual({
    transaction_id: id,
    rule: 'hold_for',
    since: new Date(time).toISOString(),
    until: new Date(time + 600_000).toISOString(),
    by: 'administrator',
    requested: { hold_for: '10m' },
    reason: sent.body.data.status_reason,
    payload: {
      relayer_id: 'one',
      transaction_id: id,
      from: expect.any(String),
      to: receiver,
      value: '5',
      data: '0x',
      speed: 'fast',
    },
    payload_digest: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  })
  expectFailure(await holdOf(idOf(await post({}))), 404, 'this transaction is not on hold', 'HOLD_NOT_FOUND')
})

test.each([
  [{ hold: true, hold_for: '1m' }, 'hold_for'],
  [{ hold: true, not_before: '2026-02-01T00:00:00Z' }, 'not_before'],
  [{ hold_for: '1m', not_before: '2026-02-01T00:00:00Z' }, 'not_before'],
  [{ hold_for: '29s' }, 'hold_for'],
  [{ hold_for: '25h' }, 'hold_for'],
  [{ not_before: '2027-02-01T00:00:00Z' }, 'not_before'],
  [{ hold_for: '10m', valid_until: '2026-01-02T03:14:05Z' }, 'valid_until'],
])('%j is refused, by the name of the member', async (body, name) => {
  const answer = await post(body)
  expect([answer.status, answer.headers['relayer-error-code']]).toEqual([400, 'INVALID_REQUEST'])
  expect(answer.body.message).toMatch(new RegExp(`^${name}: `))
})

test('a key that sends, cancels and administrates can’t release; one with the scope can, once', async () => {
  const id = idOf(await post({ hold: true }))
  expect((await release(id, 'sender')).headers['relayer-error-code']).toBe('SCOPE_MISSING')
  expect((await post({}, {}, 'releaser')).headers['relayer-error-code']).toBe('SCOPE_MISSING')
  const first = await release(id, 'releaser')
  expectSuccess(first)
  expect(first.body.metadata.logs[0].message).toMatch(/^Released/)
  expect(server.woken).toContain('one')
  const second = await release(id, 'releaser')
  expectSuccess(second)
  expect(second.body.metadata.logs[0].message).toMatch(/^It was not on hold/)
  expect(await stored(id)).toMatchObject({ lifecycle: { phase: 'queued' }, statusReason: 'released on request' })
  const { body } = await server.ask('GET', '/api/v1/audit-log?per_page=50')
  const records = body.data.filter((each: { transaction_id?: string }) => each.transaction_id === id)
  expect(records.map((each: { operation: string; key_id: string }) => [each.operation, each.key_id])).toContainEqual([
    'releaseTransaction',
    'releaser',
  ])
})

test('many at once, with a result for each', async () => {
  const [held, other, ended, queued] = [
    idOf(await post({ hold: true })),
    idOf(await post({ hold_for: '1h' })),
    idOf(await post({ hold: true })),
    idOf(await post({})),
  ]
  await server.ask('DELETE', at(`/${ended}`))
  const ids = [held, 'nothing', other, ended, queued, held]
  const answer = await server.ask('POST', at('/release'), {
    token: 'releaser',
    body: JSON.stringify({ transactions: ids.map((id) => ({ id })) }),
    headers: json,
  })
  expectSuccess(answer)
  expect(answer.body.data.map((each: { result: string; code?: string }) => [each.result, each.code])).toEqual([
    ['released', undefined],
    ['refused', 'TRANSACTION_NOT_FOUND'],
    ['released', undefined],
    ['refused', 'TRANSACTION_ALREADY_CANCELED'],
    ['not_on_hold', undefined],
    ['not_on_hold', undefined],
  ])
})

test('while a pause stops releases, the hold says so in place of advice to release', async () => {
  const [open, timed] = [idOf(await post({ hold: true })), idOf(await post({ hold_for: '10m' }))]
  const reasonOf = async (id: string) => (await holdOf(id)).body.data.reason
  expect(await reasonOf(timed)).toMatch(/\(hold_for\): wait, release it now, or cancel it for free$/)
  await withPolicies({}, { paused: true })
  const refused =
    'the relayer is paused, so a release is refused until it is unpaused: unpause it, or cancel this for free'
  expect(await reasonOf(open)).toBe(`on hold until its release (hold); ${refused}`)
  expect(await reasonOf(timed)).toBe(`on hold until ${timeInWords(time + 600_000)} (hold_for); ${refused}`)
  await withPolicies({})
  expect(await reasonOf(open)).toBe('on hold until its release (hold): release it, or cancel it for free')
})

test('policies hold a send, each of a batch, and a PUT, which a nonce refuses', async () => {
  await withPolicies({ minHold: 60_000, holdAboveValue: 10n })
  const batch = await server.ask('POST', at('/batch'), {
    body: JSON.stringify({
      transactions: [
        { to: receiver, value: '10' },
        { to: receiver, value: '11' },
      ],
    }),
    headers: json,
  })
  expectSuccess(batch)
  const [small, large] = batch.body.data.map(({ id }: { id: string }) => id)
  expect((await stored(small))?.lifecycle.phase).toBe('queued')
  expect((await holdOf(large)).body.data).toMatchObject({ rule: 'min_hold' })
  expectSuccess(await put(small, { value: '12' }))
  expect((await holdOf(small)).body.data).toMatchObject({ rule: 'min_hold' })
  time += 1_000
  expectSuccess(await put(small, { value: '13' }))
  expect((await holdOf(small)).body.data).toMatchObject({ since: new Date(time).toISOString() })
  const before = await stored(large)
  expect((await post({ value: '11', valid_until: new Date(time + 60_000).toISOString() })).body.message).toContain(
    '(min_hold)',
  )
  expect(await stored(large)).toEqual(before)
})

test('a replay changes nothing, also after the release and the time', async () => {
  const headers = { 'idempotency-key': 'held-once' }
  const notBefore = new Date(time + 60_000).toISOString()
  const id = idOf(await post({ not_before: notBefore }, headers))
  expectSuccess(await release(id))
  time += 120_000
  const again = await post({ not_before: notBefore }, headers)
  expect(idOf(again)).toBe(id)
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect((await stored(id))?.lifecycle.phase).toBe('queued')
  expect((await post({}, headers)).headers['relayer-error-code']).toBe('IDEMPOTENCY_KEY_REUSED')
  const spoken = { 'idempotency-key': 'by-duration' }
  const first = idOf(await post({ hold_for: '1h' }, spoken))
  time += 5_000
  expect(idOf(await post({ hold_for: '60m' }, spoken))).toBe(first)
})

test('lists and counts of pending have them, the condition is on_hold, and a consumer sees both events', async () => {
  const relayerId = 'two' as RelayerId
  const send = async (body: object) => idOf(await server.send('two', { to: receiver, value: '1', ...body }))
  const ids = [await send({}), await send({ hold: true }), await send({}), await send({ hold_for: '1h' })]
  const listed = await server.ask('GET', at('?status=pending&per_page=3', 'two'))
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1).reverse())
  expect(listed.body.pagination.total_items).toBe(4)
  const second = await server.ask('GET', at('?status=pending&per_page=3&page=2', 'two'))
  expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual([ids[0]])
  const matching = await server.ask('GET', at(`?status=pending&to=${receiver}&value_to=1`, 'two'))
  expect(matching.body.data).toHaveLength(4)
  const byValue = await server.ask('GET', at('?status=pending&value_to=1', 'two'))
  expect(byValue.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
  expect(await server.store.reads.counts(relayerId)).toMatchObject({ pending: 4 })
  const trace = await server.ask('GET', at(`/${ids[1]}/trace`, 'two'))
  expect(trace.body.data.wait).toMatchObject({ condition: 'on_hold', facts: { rule: 'hold' } })
  expectSuccess(await server.ask('POST', at(`/${ids[1]}/release`, 'two')))
  // An event is read once every commit before it has ended, also those of other tests on the server.
  const events = await until(
    async () => {
      const found = await server.store.reads.events(0, 1_000, ({ transactionId }) => transactionId === ids[1])
      return found.events.length > 1 && found.events
    },
    { what: 'both events' },
  )
  expect(
    transactionEvents(events).map(({ kind, status, transaction }) => [kind, status, transaction.statusReason]),
  ).toEqual([
    ['attention', 'pending', 'on hold until its release (hold): release it, or cancel it for free'],
    ['attention', 'pending', 'released on request'],
  ])
  const bulk = await server.ask('DELETE', at('/pending', 'two'))
  expect(bulk.body.data.queued_for_cancellation_transaction_ids.toSorted()).toEqual(ids.toSorted())
  expect(await server.store.reads.counts(relayerId)).toMatchObject({ pending: 0, canceled: 4 })
  for (const id of ids) {
    const row = await server.store.reads.transaction(relayerId, id as TransactionId)
    expect(row?.lifecycle).toMatchObject({ phase: 'dropped', reason: 'canceled' })
  }
})
