// Idempotency-Key: a repeated send is stored once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { digestOf } from '../../../src/commands/digest-request.ts'
import type { ApiKeyId, RelayerId } from '../../../src/domain/ids.ts'
import {
  type Authenticate,
  administratorBy,
  bearerToken,
  type Principal,
} from '../../../src/http/request/authenticate.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { receiver, relayer } from '../support/rows.ts'
import { type Answer, apiKey, type Serving, serve } from '../support/serve.ts'

const other: Principal = { id: 'other' as ApiKeyId, scopes: new Set(['send'] as const) }
const administrator = administratorBy(apiKey)
const authenticate: Authenticate = (header) => (bearerToken(header) === 'other' ? other : administrator(header))

let server: Serving
beforeAll(async () => {
  server = await serve({ authenticate })
})
afterAll(() => server[Symbol.asyncDispose]())

const body = { to: receiver, value: '1', speed: 'fast' }

function send(key: string, changes: object = {}, { relayerId = 'one', token = apiKey } = {}): Promise<Answer> {
  return server.ask('POST', `/api/v1/relayers/${relayerId}/transactions`, {
    token,
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ ...body, ...changes }),
  })
}

async function stored(relayerId = 'one'): Promise<number> {
  const { bytes: _, ...counts } = await server.store.reads.counts(relayerId as RelayerId)
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

test('the same again answers the same, as it stands now, and stores nothing', async () => {
  const before = await stored()
  const first = await send('again')
  expectSuccess(first)
  expect(first.headers['idempotency-replayed']).toBeUndefined()
  const woken = server.woken.length
  const { id } = first.body.data
  expectSuccess(await server.ask('DELETE', `/api/v1/relayers/one/transactions/${id}`))
  const second = await send('again')
  expectSuccess(second)
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect(second.body.data).toMatchObject({ id, status: 'canceled' })
  expect(await stored()).toBe(before + 1)
  expect(server.woken).toHaveLength(woken)
})

test('fifty at once are one', async () => {
  const before = await stored()
  const answers = await Promise.all(Array.from({ length: 50 }, () => send('at-once')))
  for (const answer of answers) expectSuccess(answer)
  expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1)
  expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1)
  expect(await stored()).toBe(before + 1)
})

test('what means the same is the same', async () => {
  const { body: first } = await send('meaning')
  for (const changes of [{ speed: { name: 'fast' } }, { value: 1 }, { to: receiver.toLowerCase() }, { data: '0x' }]) {
    const answer = await send('meaning', changes)
    expect(answer.body.data.id, JSON.stringify(changes)).toBe(first.data.id)
  }
})

test.each<[string, object, object?]>([
  ['another value', { value: '2' }],
  ['other data', { data: '0x01' }],
  ['another speed', { speed: 'average' }],
  ['a gas limit', { gas_limit: 21_000 }],
  ['an end', { valid_until: '2099-01-01T00:00:00Z' }],
  ['another relayer', {}, { relayerId: 'two' }],
])('a key is not taken for %s', async (what, changes, where) => {
  const key = `taken-${what.replaceAll(' ', '-')}`
  await send(key)
  const [one, two] = [await stored(), await stored('two')]
  const wanted = `Idempotency-Key: "${key}" was used for another request; send that request again, or this one under a new key`
  expectFailure(await send(key, changes, where), 400, wanted, 'IDEMPOTENCY_KEY_REUSED')
  expect([await stored(), await stored('two')]).toEqual([one, two])
})

test('a refused send leaves its key free', async () => {
  expect((await send('free', { to: 'nobody' })).status).toBe(400)
  expect((await send('free', { valid_until: '2001-01-01T00:00:00Z' })).status).toBe(400)
  const sent = await send('free')
  expectSuccess(sent)
  expect(sent.headers['idempotency-replayed']).toBeUndefined()
})

test('a replay needs no relayer that takes sends', async () => {
  const { body: first } = await send('paused', {}, { relayerId: 'two' })
  await server.store.commit((session) => session.saveRelayer(relayer('two', { address: receiver, paused: true })))
  expect((await send('unheard', {}, { relayerId: 'two' })).headers['relayer-error-code']).toBe('RELAYER_PAUSED')
  expect((await send('paused', {}, { relayerId: 'two' })).body.data.id).toBe(first.data.id)
  await server.store.commit((session) => session.saveRelayer(relayer('two', { address: receiver })))
})

test('each API key has names of its own', async () => {
  const mine = await send('shared')
  const theirs = await send('shared', { value: '3' }, { token: 'other' })
  expectSuccess(theirs)
  expect(theirs.body.data.id).not.toBe(mine.body.data.id)
  expect((await send('shared', { value: '3' }, { token: 'other' })).body.data.id).toBe(theirs.body.data.id)
})

test.each([
  ['empty', ''],
  ['with a space', 'two words'],
  ['too long', 'k'.repeat(256)],
])('a key that is %s is refused by name, and nothing is stored', async (_, key) => {
  const before = await stored()
  const answer = await send(key)
  expect(answer.status).toBe(400)
  expect(answer.headers['relayer-error-code']).toBe('INVALID_REQUEST')
  expect(answer.body.message).toMatch(/^idempotency-key: ".*("|…) is not 1 to 255 visible ASCII/)
  expect(await stored()).toBe(before)
})

test('the longest key is one', async () => {
  const { body: first } = await send('k'.repeat(255))
  expect((await send('k'.repeat(255))).body.data.id).toBe(first.data.id)
})

describe('the digest of a request', () => {
  const one = 'one' as RelayerId

  test('covers the meaning: it is kept for ever, so it must not change', () => {
    expect(digestOf(one, { value: 1n, data: '0x', pricing: { kind: 'speed', speed: 'fast' } })).toBe(
      '8aa0f6243fc831b60b4e9ff217a31813fabcb858b9387d9c5281a03d50118546',
    )
    expect(digestOf(one, { pricing: { speed: 'fast', kind: 'speed' }, to: undefined, data: '0x', value: 1n })).toBe(
      digestOf(one, { value: 1n, data: '0x', pricing: { kind: 'speed', speed: 'fast' } }),
    )
  })

  test('differs for different sends', () => {
    const some = [{ a: 1 }, { a: 2 }, { b: 1 }, { a: [1] }, [{ a: 1 }], [{ a: 1 }, { a: 1 }], { a: null }, {}]
    expect(new Set(some.map((each) => digestOf(one, each))).size).toBe(some.length)
    expect(digestOf('two' as RelayerId, {})).not.toBe(digestOf(one, {}))
  })
})
