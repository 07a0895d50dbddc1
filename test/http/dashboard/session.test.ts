// Sessions of the dashboard: what a sign-in grants, what ends it, and what attacks on it get.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessionIdleMs, sessionsPerKeyMax } from '../../../src/domain/dashboard-session.ts'
import { type Clock, systemClock } from '../../../src/ops/clock.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { put, transaction } from '../support/rows.ts'
import { type Answer, apiKey, type Serving, serve } from '../support/serve.ts'

const path = '/dashboard/api/session'
const own = '/dashboard/api/v1'

let aheadMs = 0
const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs }

let server: Serving
beforeAll(async () => {
  server = await serve({ clock })
  await put(server.store, transaction('waiting', { phase: 'queued' }))
})
afterAll(() => server[Symbol.asyncDispose]())

const signIn = (key = apiKey, headers: Record<string, string> = {}) =>
  server.ask('POST', path, {
    token: null,
    headers: { 'content-type': 'application/json', origin: server.url, ...headers },
    body: JSON.stringify({ key }),
  })

/** `name=value` of the cookie that an answer sets. */
const cookieOf = ({ headers }: Answer) => String(headers['set-cookie']).split(';')[0] ?? ''

const signedIn = async (key = apiKey) => cookieOf(await signIn(key))

const as = (cookie: string, method: string, at: string, headers: Record<string, string> = {}, body?: string) =>
  server.ask(method, at, {
    token: null,
    headers: { cookie, ...(method !== 'GET' && { origin: server.url }), ...headers },
    ...(body !== undefined && { body }),
  })

const sessionOf = async (cookie: string) => (await as(cookie, 'GET', path)).body.data.session

async function keyWith(rights: object): Promise<{ id: string; key: string }> {
  const body = JSON.stringify({ name: 'some', ...rights })
  const made = await server.ask('POST', '/api/v1/api-keys', { headers: { 'content-type': 'application/json' }, body })
  return made.body.data
}

describe('signing in', () => {
  test('sets a cookie that no script reads, and that no other site sends', async () => {
    const answer = await signIn()
    expectSuccess(answer)
    expect(answer.headers['set-cookie']).toMatch(/^rescind=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(answer.body.data.session).toMatchObject({
      key_id: 'administrator',
      scopes: ['read', 'send', 'cancel', 'pause', 'sign', 'admin'],
    })
    expect(answer.text).not.toContain(apiKey)
  })

  test('behind a TLS proxy, the cookie is bound to the host and to HTTPS', async () => {
    const headers = { host: 'relayer.example', origin: 'https://relayer.example' }
    expect((await signIn(apiKey, headers)).headers['set-cookie']).toMatch(
      /^__Host-rescind=[\w-]{43}; Secure; Path=\/; HttpOnly; SameSite=Strict$/,
    )
  })

  test('over plain HTTP from another machine it is refused', async () => {
    const answer = await signIn(apiKey, { host: 'relayer.example', origin: 'http://relayer.example' })
    expect([answer.status, answer.headers['relayer-error-code']]).toEqual([400, 'INSECURE_CONNECTION'])
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('a wrong key, and a key that was revoked, are refused without a cookie', async () => {
    const { id, key } = await keyWith({ scopes: ['read'] })
    await server.ask('DELETE', `/api/v1/api-keys/${id}`)
    for (const wrong of ['x'.repeat(40), key]) {
      const answer = await signIn(wrong)
      expectFailure(answer, 401, 'Unauthorized', 'UNAUTHORIZED')
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
  })

  test('the store holds a digest, and not the token', async () => {
    const token = (await signedIn()).split('=')[1] ?? ''
    expect(await server.store.reads.dashboardSession(token)).toBeUndefined()
  })

  test('a key has a limited number of sessions: a new one ends the oldest', async () => {
    const { key } = await keyWith({ scopes: ['read'] })
    const first = await signedIn(key)
    for (let count = 0; count < sessionsPerKeyMax; count += 1) {
      aheadMs += 1
      await signIn(key)
    }
    expect(await sessionOf(first)).toBeNull()
  })
})

describe('a session', () => {
  test('reads and cancels with the rights of its key, and the audit log names the key', async () => {
    const { id, key } = await keyWith({ scopes: ['read', 'cancel'], relayers: ['one'] })
    const cookie = await signedIn(key)
    await put(server.store, transaction('unwanted', { phase: 'queued' }))
    expect(await sessionOf(cookie)).toMatchObject({ key_id: id, name: 'some', relayers: ['one'] })
    expect((await as(cookie, 'GET', `${own}/relayers`)).body.data.map((each: { id: string }) => each.id)).toEqual([
      'one',
    ])
    expectSuccess(await as(cookie, 'DELETE', `${own}/relayers/one/transactions/unwanted`))
    expectFailure(await as(cookie, 'GET', `${own}/relayers/two`), 401, 'Unauthorized', 'RELAYER_NOT_GRANTED')
    expectFailure(await as(cookie, 'GET', `${own}/api-keys`), 401, 'Unauthorized', 'SCOPE_MISSING')
    const log = (await server.ask('GET', '/api/v1/audit-log?per_page=100')).body.data
    expect(log).toContainEqual(expect.objectContaining({ key_id: id, operation: 'signIn', outcome: 'allowed' }))
    expect(log).toContainEqual(expect.objectContaining({ key_id: id, operation: 'cancelTransaction' }))
  })

  test('its cookie opens nothing under /api/v1, and a token opens nothing under /dashboard', async () => {
    const cookie = await signedIn()
    expect((await as(cookie, 'GET', '/api/v1/relayers')).status).toBe(401)
    expect((await server.ask('GET', `${own}/relayers`)).status).toBe(401)
    expect((await server.ask('GET', path)).body.data).toEqual({ session: null })
  })

  test('ends with a sign-out', async () => {
    const cookie = await signedIn()
    const answer = await as(cookie, 'DELETE', path)
    expect(answer.headers['set-cookie']).toBe('rescind=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0')
    expect((await as(cookie, 'GET', `${own}/relayers`)).status).toBe(401)
  })

  test('ends with its key, also a stream that is open', async () => {
    const { id, key } = await keyWith({ scopes: ['read'] })
    const cookie = await signedIn(key)
    const stream = await fetch(`${server.url}${own}/events`, { headers: { cookie, accept: 'text/event-stream' } })
    const ended = stream.text()
    expect((await as(cookie, 'GET', `${own}/relayers`)).status).toBe(200)
    await server.ask('DELETE', `/api/v1/api-keys/${id}`)
    await put(server.store, transaction('after the key', { phase: 'queued' }))
    await server.ask('DELETE', '/api/v1/relayers/one/transactions/after%20the%20key')
    expect(await ended).toContain('retry: 1000')
    expect((await as(cookie, 'GET', `${own}/relayers`)).status).toBe(401)
  })

  test('ends after half an hour without use; a page that refreshes itself is no use', async () => {
    const [used, idle] = [await signedIn(), await signedIn()]
    aheadMs += sessionIdleMs - 120_000
    expect((await as(used, 'GET', `${own}/relayers`)).status).toBe(200)
    expect((await as(idle, 'GET', `${own}/relayers`, { 'x-background': '1' })).status).toBe(200)
    aheadMs += 180_000
    expect((await as(used, 'GET', `${own}/relayers`)).status).toBe(200)
    expect((await as(idle, 'GET', `${own}/relayers`)).status).toBe(401)
  })
})

describe('attacks', () => {
  test('fixation: a sign-in never adopts a token, and ends the session that the browser had', async () => {
    const planted = 'A'.repeat(43)
    const victim = await signIn(apiKey, { cookie: `rescind=${planted}` })
    expect(cookieOf(victim)).not.toContain(planted)
    expect(await sessionOf(`rescind=${planted}`)).toBeNull()
    const again = await signIn(apiKey, { cookie: cookieOf(victim) })
    expect(await sessionOf(cookieOf(victim))).toBeNull()
    expect(await sessionOf(cookieOf(again))).toMatchObject({ key_id: 'administrator' })
  })

  test.each([
    ['a form of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['a site whose name begins with ours', { origin: 'http://127.0.0.1.evil.example' }],
    ['an own origin that the browser contradicts', { 'sec-fetch-site': 'cross-site' }],
    ['two origins', { origin: 'http://127.0.0.1, https://evil.example' }],
  ])('%s changes nothing, and signs nobody in or out', async (_, headers) => {
    const cookie = await signedIn()
    const refused = [
      await as(cookie, 'DELETE', `${own}/relayers/one/transactions/waiting`, headers),
      await as(cookie, 'DELETE', path, headers),
      await signIn(apiKey, headers),
    ]
    expect(refused.map((answer) => answer.headers['relayer-error-code'])).toEqual(Array(3).fill('FOREIGN_ORIGIN'))
    expect((await as(cookie, 'GET', `${own}/relayers/one/transactions/waiting`)).body.data.status).toBe('pending')
  })

  test('a change without an origin, and a read by another site, are refused', async () => {
    const cookie = await signedIn()
    const noOrigin = await server.ask('DELETE', `${own}/relayers/one/transactions/waiting`, {
      token: null,
      headers: { cookie },
    })
    expect(noOrigin.headers['relayer-error-code']).toBe('FOREIGN_ORIGIN')
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      const read = await as(cookie, 'GET', `${own}/relayers`, headers as unknown as Record<string, string>)
      expect(read.headers['relayer-error-code']).toBe('FOREIGN_ORIGIN')
      expect(read.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  test.each([
    '/dashboard/api/v1x/relayers',
    '/dashboard/api/%76%31/relayers',
    '/dashboard//api/v1/relayers',
    '/x/dashboard/api/v1/relayers',
  ])('%s is no way in', async (at) => {
    expect((await as(await signedIn(), 'GET', at)).status).toBeGreaterThanOrEqual(400)
  })

  test('the plain cookie counts on this machine only, so that no other host can plant one', async () => {
    const cookie = await signedIn()
    expect((await as(cookie, 'GET', path, { host: 'relayer.example' })).body.data).toEqual({ session: null })
  })

  test('guessing keys is limited by address', async () => {
    await using strict = await serve({ limits: { requestsPerSecond: 1, burst: 3 } })
    const statuses: number[] = []
    for (let count = 0; count < 4; count += 1) {
      const headers = { 'content-type': 'application/json', origin: strict.url }
      const body = JSON.stringify({ key: `wrong ${count}` })
      statuses.push((await strict.ask('POST', path, { token: null, headers, body })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 429])
  })
})

test('without a dashboard these paths do not exist', async () => {
  await using plain = await serve({ hasDashboard: false })
  for (const at of ['/', path, `${own}/relayers`, '/dashboard/app.js']) {
    expect((await plain.ask('GET', at)).status).toBe(404)
  }
})
