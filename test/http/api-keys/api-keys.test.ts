// API keys over HTTP: made, shown once, used within their limits, revoked.
import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiKeysMax } from '../../../src/commands/api-keys/create-api-key.ts'
import type { ApiKeyId, RelayerId } from '../../../src/domain/ids.ts'
import type { Clock } from '../../../src/ops/clock.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import type { Store } from '../../../src/store/store.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { put, receiver, transaction } from '../support/rows.ts'
import { type Answer, apiKey, type Serving, serve } from '../support/serve.ts'
import { until } from '../support/until.ts'

const all = '/api/v1/api-keys'
const json = { 'content-type': 'application/json' }

/** Later than the machine's by what a test says. */
let aheadMs = 0
/** While it is set, no time passes but by `aheadMs`. */
let stoppedAt: number | undefined
const clock: Clock = { ...systemClock, now: () => (stoppedAt ?? systemClock.now()) + aheadMs }

/** Reads of keys that reached the store. */
let looks = 0
function counting(store: Store): Store {
  const apiKeyOf: Store['reads']['apiKeyOf'] = (digest) => {
    looks += 1
    return store.reads.apiKeyOf(digest)
  }
  return { ...store, reads: { ...store.reads, apiKeyOf } }
}

let server: Serving
beforeAll(async () => {
  server = await serve({ clock, wrap: counting })
  await put(server.store, transaction('mine', { phase: 'queued' }))
})
afterAll(() => server[Symbol.asyncDispose]())

function create(body: object, token = apiKey): Promise<Answer> {
  return server.ask('POST', all, { token, headers: json, body: JSON.stringify(body) })
}

async function made(changes: object = {}): Promise<{ id: string; key: string }> {
  const answer = await create({ name: 'some', scopes: ['read'], ...changes })
  expectSuccess(answer)
  return answer.body.data
}

const list = (token: string) => server.ask('GET', '/api/v1/relayers', { token })
const row = (id: string) => server.store.reads.apiKey(id as ApiKeyId)

describe('making one', () => {
  test('the answer shows it, with all that it is', async () => {
    const answer = await create({
      name: 'billing, blue',
      scopes: ['send', 'cancel', 'send'],
      relayers: ['two', 'one', 'two'],
      expires_at: '2099-01-01T00:00:00+01:00',
    })
    expectSuccess(answer)
    const { id, key, created_at: createdAt, ...rest } = answer.body.data
    expect(key).toMatch(/^rescind_[A-Za-z0-9_-]{43}$/)
    expect(Date.parse(createdAt)).toBeGreaterThan(0)
    expect(rest).toEqual({
      name: 'billing, blue',
      hint: key.slice(0, 12),
      scopes: ['send', 'cancel'],
      relayers: ['two', 'one'],
      created_by: 'administrator',
      expires_at: '2098-12-31T23:00:00.000Z',
    })
    const got = await server.ask('GET', `${all}/${id}`)
    expectSuccess(got)
    expect(got.body.data).toEqual({ id, created_at: createdAt, ...rest })
  })

  test('nothing that is stored, listed or logged holds it', async () => {
    const { id, key } = await made()
    await list(key)
    const stored = await server.store.reads.apiKeyOf(hash('sha256', key))
    expect(stored?.id).toBe(id)
    const listed = await server.ask('GET', `${all}?per_page=100`)
    const reported = JSON.stringify([stored, listed.text, server.log])
    expect(reported).not.toContain(key)
    expect(reported).not.toContain(key.slice(13))
  })

  test('no two are alike', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => made()))
    expect(new Set(keys.map(({ key }) => key)).size).toBe(20)
  })

  test.each<[string, object, RegExp]>([
    ['no name', { scopes: ['read'] }, /^name: is missing/],
    ['an empty name', { name: '', scopes: ['read'] }, /^name: "" is not a name/],
    ['a name of two lines', { name: 'a\nb', scopes: ['read'] }, /^name: "a\\nb" is not a name/],
    ['a long name', { name: 'n'.repeat(101), scopes: ['read'] }, /^name: /],
    ['no scopes', { name: 'n' }, /^scopes: is missing/],
    ['an empty list of scopes', { name: 'n', scopes: [] }, /^scopes: \[\] is not a list/],
    ['an unknown scope', { name: 'n', scopes: ['write'] }, /^scopes\[0\]: "write" is not one of read, send, cancel/],
    ['an empty list of relayers', { name: 'n', scopes: ['read'], relayers: [] }, /^relayers: \[\] is not/],
    [
      'an unknown relayer',
      { name: 'n', scopes: ['read'], relayers: ['one', 'tow'] },
      /^relayers: "tow" does not exist/,
    ],
    ['admin for some relayers', { name: 'n', scopes: ['admin'], relayers: ['one'] }, /^relayers: can't stand beside/],
    ['an end that was', { name: 'n', scopes: ['read'], expires_at: '2001-01-01T00:00:00Z' }, /^expires_at: lies in/],
    ['no such day', { name: 'n', scopes: ['read'], expires_at: '2099-02-30T00:00:00Z' }, /^expires_at: /],
    ['a key of their own', { name: 'n', scopes: ['read'], key: 'x'.repeat(40) }, /^key: is not accepted here/],
  ])('refused: %s', async (_, body, message) => {
    const before = (await server.store.reads.apiKeys({ page: 1, perPage: 1 })).total
    const answer = await create(body)
    expect(answer.status).toBe(400)
    expect(answer.headers['relayer-error-code']).toBe('INVALID_REQUEST')
    expect(answer.body.message).toMatch(message)
    expect((await server.store.reads.apiKeys({ page: 1, perPage: 1 })).total).toBe(before)
  })

  test('there are only so many', async () => {
    await using full = await serve()
    const some = {
      name: 'n',
      hint: 'h',
      scopes: ['read'] as const,
      createdAt: 1,
      createdBy: 'administrator' as ApiKeyId,
    }
    await full.store.commit(async (session) => {
      for (let number = 0; number < apiKeysMax; number++) {
        await session.insertApiKey({ ...some, id: `key-${number}` as ApiKeyId }, `digest-${number}`)
      }
    })
    const asking = { headers: json, body: JSON.stringify({ name: 'n', scopes: ['read'] }) }
    const refused = await full.ask('POST', all, asking)
    expectFailure(refused, 400, 'there are 1000 keys, the most allowed; revoke unused ones', 'INVALID_REQUEST')
    expectSuccess(await full.ask('DELETE', `${all}/key-7`))
    expectSuccess(await full.ask('POST', all, asking))
  })
})

describe('what a key may do', () => {
  const operations: [string, string, string][] = [
    ['read', 'GET', '/api/v1/relayers/one'],
    ['send', 'POST', '/api/v1/relayers/one/transactions'],
    ['send', 'PUT', '/api/v1/relayers/one/transactions/mine'],
    ['cancel', 'DELETE', '/api/v1/relayers/one/transactions/nothing'],
    ['cancel', 'DELETE', '/api/v1/relayers/one/transactions/pending'],
    ['admin', 'GET', all],
    ['admin', 'POST', all],
    ['admin', 'GET', `${all}/none`],
    ['admin', 'DELETE', `${all}/none`],
  ]

  test.each(['read', 'send', 'cancel', 'admin'])('%s, and nothing else', async (scope) => {
    const { key } = await made({ scopes: [scope] })
    for (const [needed, method, path] of operations) {
      const answer = await server.ask(method, path, { token: key })
      if (needed === scope) expect(answer.status, `${method} ${path}`).not.toBe(401)
      else expectFailure(answer, 401, 'Unauthorized', 'SCOPE_MISSING')
    }
  })

  test('a relayer outside its list is refused alike, whether it exists or not', async () => {
    const { key } = await made({ scopes: ['read', 'send', 'cancel'], relayers: ['two'] })
    for (const [needed, method, path] of operations.filter(([needed]) => needed !== 'admin')) {
      const there = await server.ask(method, path, { token: key })
      expectFailure(there, 401, 'Unauthorized', 'RELAYER_NOT_GRANTED')
      const nowhere = await server.ask(method, path.replace('/one', '/nowhere'), { token: key })
      expectFailure(nowhere, 401, 'Unauthorized', 'RELAYER_NOT_GRANTED')
      const granted = await server.ask(method, path.replace('/one', '/two'), { token: key })
      expect(granted.status, needed).not.toBe(401)
    }
    const listed = await list(key)
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual(['two'])
    expect(listed.body.pagination.total_items).toBe(1)
  })

  test('another relayer’s transaction is not there by way of its own', async () => {
    const { body } = await server.send('one', { to: receiver, value: '1' })
    const { id } = body.data
    const { key } = await made({ scopes: ['read', 'cancel'], relayers: ['two'] })
    const path = `/api/v1/relayers/two/transactions/${id}`
    expectFailure(await server.ask('DELETE', path, { token: key }), 404, 'Not found', 'TRANSACTION_NOT_FOUND')
    const there = await server.ask('GET', `/api/v1/relayers/one/transactions/${id}`)
    expect(there.body.data.status).toBe('pending')
    const stored = await server.store.reads.transaction('one' as RelayerId, id)
    expect(stored?.cancellation).toBeUndefined()
  })

  test('an admin that is not the administrator makes keys in its own name', async () => {
    const admin = await made({ scopes: ['admin'] })
    const answer = await create({ name: 'n', scopes: ['read'] }, admin.key)
    expectSuccess(answer)
    expect(answer.body.data.created_by).toBe(admin.id)
  })
})

describe('revoking', () => {
  test('counts from the answer on, and once', async () => {
    const { id, key } = await made()
    expectSuccess(await list(key))
    const first = await server.ask('DELETE', `${all}/${id}`)
    expectSuccess(first)
    expect(first.body.data).toMatchObject({ id, revoked_by: 'administrator' })
    expectFailure(await list(key), 401, 'Unauthorized', 'UNAUTHORIZED')
    const again = await server.ask('DELETE', `${all}/${id}`)
    expectSuccess(again)
    expect(again.body.data.revoked_at).toBe(first.body.data.revoked_at)
  })

  test('ends the streams that were opened with the key, before the next event', async () => {
    const { id, key } = await made()
    await using stream = openEventStream(server.url, key)
    await until(() => stream.place !== undefined)
    expectSuccess(await server.ask('DELETE', `${all}/${id}`))
    const { body } = await server.send('one', { to: receiver, value: '1' })
    expectSuccess(await server.ask('DELETE', `/api/v1/relayers/one/transactions/${body.data.id}`))
    await stream.ended
    // One from before it may be returned, where the database settles it late.
    expect(stream.events.filter(({ payload }) => payload.id === body.data.id)).toEqual([])
  })

  test('a key can revoke itself', async () => {
    const { id, key } = await made({ scopes: ['admin'] })
    expectSuccess(await server.ask('DELETE', `${all}/${id}`, { token: key }))
    expectFailure(await server.ask('GET', all, { token: key }), 401, 'Unauthorized', 'UNAUTHORIZED')
  })

  test('by another process it counts within two seconds', async () => {
    const { id, key } = await made()
    expectSuccess(await list(key))
    await server.store.commit((session) => session.revokeApiKey(id as ApiKeyId, 'elsewhere' as ApiKeyId, 1))
    aheadMs += 2_000
    expectFailure(await list(key), 401, 'Unauthorized', 'UNAUTHORIZED')
  })

  test('is not undone by a look that began before it', async () => {
    const atGate = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    let looked = 0
    const held = (store: Store): Store => {
      const apiKeyOf: Store['reads']['apiKeyOf'] = async (digest) => {
        const found = await store.reads.apiKeyOf(digest)
        looked += 1
        atGate.resolve()
        if (looked === 1) await gate.promise
        return found
      }
      return { ...store, reads: { ...store.reads, apiKeyOf } }
    }
    await using slow = await serve({ wrap: held })
    const asking = { headers: json, body: JSON.stringify({ name: 'n', scopes: ['read'] }) }
    const { id, key } = (await slow.ask('POST', all, asking)).body.data
    const before = slow.ask('GET', '/api/v1/relayers', { token: key })
    await atGate.promise
    expectSuccess(await slow.ask('DELETE', `${all}/${id}`))
    gate.resolve()
    expect((await before).status).toBe(200)
    expectFailure(await slow.ask('GET', '/api/v1/relayers', { token: key }), 401, 'Unauthorized', 'UNAUTHORIZED')
  })

  test.each(['none', 'administrator', '%C3%A9'])('not a key of these: %s', async (id) => {
    const message = `API key with ID ${decodeURIComponent(id)} not found`
    expectFailure(await server.ask('DELETE', `${all}/${id}`), 404, message, 'API_KEY_NOT_FOUND')
    expectFailure(await server.ask('GET', `${all}/${id}`), 404, message, 'API_KEY_NOT_FOUND')
  })
})

test('a key that has expired is refused from that moment', async () => {
  const expiresAt = new Date(clock.now() + 60_000).toISOString()
  const { key } = await made({ expires_at: expiresAt })
  expectSuccess(await list(key))
  aheadMs += 60_000
  expectFailure(await list(key), 401, 'Unauthorized', 'UNAUTHORIZED')
})

test('its own digest is no key, nor is one in another case or cut', async () => {
  const { key } = await made()
  for (const token of [hash('sha256', key), key.toUpperCase(), key.slice(0, -1), `${key}A`, key.slice(8)]) {
    expectFailure(await list(token), 401, 'Unauthorized', 'UNAUTHORIZED')
  }
})

describe('what it costs', () => {
  test('a key is looked up once in two seconds, however often it is used', async () => {
    const { key } = await made()
    looks = 0
    stoppedAt = systemClock.now()
    for (let times = 0; times < 20; times++) expectSuccess(await list(key))
    expect(looks).toBe(1)
    aheadMs += 1_999
    expectSuccess(await list(key))
    expect(looks).toBe(1)
    aheadMs += 1
    expectSuccess(await list(key))
    expect(looks).toBe(2)
    stoppedAt = undefined
  })

  test('a text without the shape of a key is not looked up', async () => {
    looks = 0
    for (const token of ['guess', apiKey.slice(1), `rescind_${'a'.repeat(42)}`, 'a'.repeat(51)]) await list(token)
    expect(looks).toBe(0)
  })

  test('the last use is noted, and again only a minute later', async () => {
    const { id, key } = await made()
    expect((await row(id))?.lastUsedAt).toBeUndefined()
    const firstAt = clock.now()
    await list(key)
    await until(async () => (await row(id))?.lastUsedAt !== undefined)
    const noted = (await row(id))?.lastUsedAt
    expect(noted).toBeGreaterThanOrEqual(firstAt)
    aheadMs += 50_000
    await list(key)
    await server.store.check()
    expect((await row(id))?.lastUsedAt).toBe(noted)
    aheadMs += 10_000
    await list(key)
    await until(async () => ((await row(id))?.lastUsedAt ?? 0) >= (noted ?? 0) + 60_000)
    const shown = await server.ask('GET', `${all}/${id}`)
    expect(Date.parse(shown.body.data.last_used_at)).toBe((await row(id))?.lastUsedAt)
  })
})

test('the list is newest first, in pages', async () => {
  const { id: older } = await made()
  aheadMs += 5
  const { id: newer } = await made()
  const { body } = await server.ask('GET', `${all}?page=1&per_page=2`)
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([newer, older])
  expect(body.pagination).toMatchObject({ current_page: 1, per_page: 2 })
  expect(body.pagination.total_items).toBeGreaterThan(20)
})
