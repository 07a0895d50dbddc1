// The audit log over HTTP: every allowed change and every refusal, of every requester.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditRefusalKindsMax } from '../../../src/http/limits.ts'
import type { Clock } from '../../../src/ops/clock.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import type { Store } from '../../../src/store/store.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { put, receiver, transaction } from '../support/rows.ts'
import { type Answer, apiKey, type Serving, type Setting, serve } from '../support/serve.ts'
import { until } from '../support/until.ts'

const log = '/api/v1/audit-log'
const json = { 'content-type': 'application/json' }
const all = '/api/v1/relayers/one/transactions'
const body = JSON.stringify({ to: receiver, value: '1' })

/** Waits pass at once, but for those that a test holds. */
const hasty: Clock = { ...systemClock, sleep: (_, signal) => systemClock.sleep(1, signal) }

interface Entry {
  readonly id: string
  readonly outcome: string
  readonly code?: string
  readonly request_id?: string
  readonly count?: number
  readonly at?: string
  readonly address?: string
  readonly relayer_id?: string
  readonly operation?: string
  readonly [member: string]: unknown
}

async function entries(server: Serving): Promise<Entry[]> {
  const answer = await server.ask('GET', `${log}?per_page=100`)
  expectSuccess(answer)
  return answer.body.data
}

/** Of the request with that answer, once it is there; without what differs from run to run. */
async function entryOf(server: Serving, answer: Answer): Promise<Entry> {
  const id = answer.headers['x-request-id']
  let found: Entry | undefined
  await until(async () => {
    found = (await entries(server)).find(({ request_id: each }) => each === id)
    return found !== undefined
  })
  const { at, id: place, request_id: _, address, ...rest } = found as Entry
  expect(Date.parse(String(at))).toBeGreaterThan(0)
  expect(place).toMatch(/^\d+-\d+$/)
  expect(address).toBe('127.0.0.1')
  return rest as unknown as Entry
}

let server: Serving
beforeAll(async () => {
  server = await serve({ clock: hasty })
})
afterAll(() => server[Symbol.asyncDispose]())

async function key(of: Serving, scopes: string[], relayers?: string[]): Promise<{ id: string; key: string }> {
  const made = await of.ask('POST', '/api/v1/api-keys', {
    headers: json,
    body: JSON.stringify({ name: 'n', scopes, ...(relayers && { relayers }) }),
  })
  expectSuccess(made)
  return made.body.data
}

describe('changes that were allowed', () => {
  test('each is there as soon as it is answered, with who, what and to what', async () => {
    const { id: keyId, key: token } = await key(server, ['send', 'cancel'])
    const sent = await server.ask('POST', all, { token, headers: json, body })
    const { id } = sent.body.data
    const replaced = await server.ask('PUT', `${all}/${id}`, { token, headers: json, body })
    const canceled = await server.ask('DELETE', `${all}/${id}`, { token })
    const left = await server.ask('POST', all, { token, headers: json, body })
    const bulk = await server.ask('DELETE', `${all}/pending`, { token })
    const batch = await server.ask('POST', `${all}/batch`, {
      token,
      headers: json,
      body: `{"transactions":[${body},${body}]}`,
    })
    for (const answer of [sent, replaced, canceled, left, bulk, batch]) expectSuccess(answer)
    const reported = (await entries(server)).slice(0, 7).map(({ at: _, id: _id, ...rest }) => rest)
    const by = { outcome: 'allowed', key_id: keyId, relayer_id: 'one', address: '127.0.0.1' }
    const requested = (operation: string, answer: Answer) => ({
      ...by,
      operation,
      request_id: answer.headers['x-request-id'],
    })
    expect(reported.reverse()).toEqual([
      { ...requested('sendTransaction', sent), transaction_id: id },
      { ...requested('replaceTransaction', replaced), transaction_id: id },
      { ...requested('cancelTransaction', canceled), transaction_id: id },
      { ...requested('sendTransaction', left), transaction_id: left.body.data.id },
      requested('cancelPendingTransactions', bulk),
      ...batch.body.data.map((each: { id: string }) => ({
        ...requested('sendTransactions', batch),
        transaction_id: each.id,
      })),
    ])
  })

  test('of API keys, too', async () => {
    const { id, key: token } = await key(server, ['admin'])
    const revoked = await server.ask('DELETE', `/api/v1/api-keys/${id}`, { token })
    expect(await entryOf(server, revoked)).toEqual({
      outcome: 'allowed',
      key_id: id,
      operation: 'revokeApiKey',
      subject_id: id,
    })
    const [, made] = await entries(server)
    expect(made).toMatchObject({ key_id: 'administrator', operation: 'createApiKey', subject_id: id })
  })

  test('a replay changes nothing, and reads are no changes', async () => {
    const once = { headers: { ...json, 'idempotency-key': 'audited' }, body }
    expectSuccess(await server.ask('POST', all, once))
    const [newest] = await entries(server)
    expectSuccess(await server.ask('POST', all, once))
    expectSuccess(await server.ask('GET', all))
    expect((await entries(server))[0]).toEqual(newest)
  })
})

describe('refusals', () => {
  test('of an unauthenticated request: the address and the operation, and nothing that the client chose', async () => {
    const answer = await server.ask('DELETE', `${all}/some`, { token: 'guess' })
    expectFailure(answer, 401, 'Unauthorized', 'UNAUTHORIZED')
    const refused = { outcome: 'refused', code: 'UNAUTHORIZED', count: 1 }
    expect(await entryOf(server, answer)).toEqual({ ...refused, operation: 'cancelTransaction' })
    const nowhere = await server.ask('GET', '/api/v1/nothing/here', { token: 'guess' })
    expect(await entryOf(server, nowhere)).toEqual(refused)
    const broken = await server.ask('GET', '/api/v1/%zz', { token: 'guess' })
    expect(await entryOf(server, broken)).toEqual(refused)
  })

  test('of a key: which, and to what', async () => {
    const { id, key: token } = await key(server, ['read'], ['two'])
    const noScope = await server.ask('DELETE', `/api/v1/relayers/two/transactions/some`, { token })
    expect(await entryOf(server, noScope)).toEqual({
      outcome: 'refused',
      code: 'SCOPE_MISSING',
      key_id: id,
      operation: 'cancelTransaction',
      relayer_id: 'two',
      transaction_id: 'some',
      count: 1,
    })
    const elsewhere = await server.ask('GET', '/api/v1/relayers/one', { token })
    expect(await entryOf(server, elsewhere)).toMatchObject({ code: 'RELAYER_NOT_GRANTED', relayer_id: 'one' })
    expectSuccess(await server.ask('DELETE', `/api/v1/api-keys/${id}`))
    const revoked = await server.ask('GET', '/api/v1/relayers/two', { token })
    expect(await entryOf(server, revoked)).toMatchObject({ code: 'UNAUTHORIZED', key_id: id, operation: 'getRelayer' })
  })

  test('of a change, behind the door', async () => {
    await put(server.store, transaction('over', { phase: 'dropped', reason: 'expired', droppedAt: 1 }))
    const answer = await server.ask('PUT', `${all}/over`, { headers: json, body })
    expect(answer.status).toBe(400)
    expect(await entryOf(server, answer)).toMatchObject({
      outcome: 'refused',
      code: answer.headers['relayer-error-code'],
      key_id: 'administrator',
      transaction_id: 'over',
    })
  })

  test('an error of ours is recorded as one', async () => {
    await using broken = await serve({
      clock: hasty,
      wrap: (store): Store => ({
        ...store,
        commit: (unit) =>
          store.commit((session) =>
            unit({ ...session, reserveSequence: () => Promise.reject(new Error('the disk is gone')) }),
          ),
      }),
    })
    const answer = await broken.ask('POST', all, { headers: json, body })
    expectFailure(answer, 500, 'Internal Server Error', 'INTERNAL')
    expect(await entryOf(broken, answer)).toMatchObject({ outcome: 'failed', code: 'INTERNAL' })
  })
})

describe('a storm of refusals', () => {
  /** Its waits end when the test says so. */
  function held(): { clock: Clock; pass: () => void; waits: number[] } {
    const waits: number[] = []
    let open: (() => void)[] = []
    const sleep: Clock['sleep'] = (ms, signal) =>
      new Promise((resolve) => {
        waits.push(ms)
        open.push(resolve)
        signal?.addEventListener('abort', () => resolve())
      })
    const pass = () => {
      for (const each of open) each()
      open = []
    }
    return { clock: { ...systemClock, sleep }, pass, waits }
  }

  const proxied: Setting = { trustedProxies: ['127.0.0.1'] }
  const from = (address: string) => ({ token: 'guess', headers: { 'x-forwarded-for': address } })

  test('like ones are one with their count, and the separate ones have a bound', async () => {
    const { clock, pass, waits } = held()
    await using stormy = await serve({ ...proxied, clock })
    const { key: token } = await key(stormy, ['read'])
    for (let times = 0; times < 40; times++) await stormy.ask('GET', all, from('192.0.2.1'))
    const many = 3 * auditRefusalKindsMax
    for (let number = 0; number < many; number++) await stormy.ask('GET', all, from(`2001:db8::${number.toString(16)}`))
    await stormy.ask('DELETE', `${all}/some`, { token })
    expect((await entries(stormy)).filter(({ outcome }) => outcome === 'refused')).toEqual([])
    pass()
    await until(async () => (await entries(stormy)).some(({ outcome }) => outcome === 'refused'))
    const refused = (await entries(stormy)).filter(({ outcome }) => outcome === 'refused')
    expect(refused).toHaveLength(auditRefusalKindsMax + 2)
    expect(refused.find(({ address }) => address === '192.0.2.1')).toMatchObject({ count: 40 })
    expect(refused.find(({ code }) => code === 'SCOPE_MISSING')).toMatchObject({ count: 1 })
    const others = refused.find(({ address }) => address === undefined)
    expect(others).toEqual({
      id: others?.id,
      at: others?.at,
      outcome: 'refused',
      code: 'UNAUTHORIZED',
      count: many - auditRefusalKindsMax + 1,
    })
    // The first soon, those after it once a minute.
    await stormy.ask('GET', all, from('192.0.2.1'))
    await until(() => waits.length === 2)
    expect(waits[0]).toBe(1_000)
    expect(waits[1]).toBeGreaterThan(30_000)
  })

  test('a path that a key may choose is cut', async () => {
    const { clock, pass } = held()
    await using stormy = await serve({ clock })
    const { key: token } = await key(stormy, ['read'])
    await stormy.ask('DELETE', `/api/v1/relayers/${'r'.repeat(9_000)}/transactions/x`, { token })
    pass()
    await until(async () => (await entries(stormy)).some(({ outcome }) => outcome === 'refused'))
    expect((await entries(stormy))[0]?.relayer_id).toBe('r'.repeat(64))
  })

  test('what waits is written when the service ends', async () => {
    const { clock } = held()
    await using ending = await serve({ clock })
    await ending.ask('GET', all, { token: 'guess' })
    await ending.stop()
    expect((await ending.store.reads.audit(10)).entries).toMatchObject([{ outcome: 'refused', count: 1 }])
  })
})

test('pages go on from an entry; only a key with admin reads them', async () => {
  const newest = await entries(server)
  const page = await server.ask('GET', `${log}?per_page=3&before=${newest[1]?.id}`)
  expect(page.body.data).toEqual(newest.slice(2, 5))
  expect(page.body.pagination).toMatchObject({ current_page: 1, per_page: 3 })
  expect(page.body.pagination.total_items).toBeGreaterThanOrEqual(newest.length)
  expect((await server.ask('GET', `${log}?before=0-0`)).body.data).toEqual([])
  expectFailure(
    await server.ask('GET', `${log}?before=x`),
    400,
    'before: "x" is not the id of an entry, such as "1042-7"; the answer begins with the one before it',
    'INVALID_REQUEST',
  )
  const { key: token } = await key(server, ['read', 'send', 'cancel', 'sign'])
  expectFailure(await server.ask('GET', log, { token }), 401, 'Unauthorized', 'SCOPE_MISSING')
})

test('no entry holds a token', async () => {
  const { key: token } = await key(server, ['read'])
  const answer = await server.ask('DELETE', `${all}/some`, { token })
  await entryOf(server, answer)
  await entryOf(server, await server.ask('GET', all, { token: 'a-guess-that-is-secret' }))
  const reported = JSON.stringify((await server.store.reads.audit(1_000)).entries)
  for (const secret of [token, apiKey, 'a-guess-that-is-secret']) expect(reported).not.toContain(secret)
})

test('cancellations that find nothing to cancel are counted, and crowd out nothing', async () => {
  await using quiet = await serve()
  await put(quiet.store, transaction('once', { phase: 'queued' }))
  for (let count = 0; count < 20; count += 1) {
    expectSuccess(await quiet.ask('DELETE', `/api/v1/relayers/two/transactions/pending`))
    expectSuccess(await quiet.ask('DELETE', `${all}/once`))
  }
  const counted = async () => {
    const found = await entries(quiet)
    const countOf = (entry: Entry) => entry.count ?? 1
    const of = (operation: string) => found.filter((entry) => entry.operation === operation)
    return { bulk: of('cancelPendingTransactions'), single: of('cancelTransaction'), countOf }
  }
  await until(async () => {
    const { bulk, single, countOf } = await counted()
    const total = (list: Entry[]) => list.reduce((sum, entry) => sum + countOf(entry), 0)
    return total(bulk) === 20 && total(single) === 20
  })
  const { bulk, single } = await counted()
  expect(bulk.every(({ outcome }) => outcome === 'allowed')).toBe(true)
  expect(bulk.length).toBeLessThan(20)
  // The one that changed something has a record of its own.
  expect(single.filter(({ count }) => count === undefined).length).toBeGreaterThan(0)
})
