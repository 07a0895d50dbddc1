// Authentication by section 5 of the interface, and keys with fewer rights.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiKeyId, RelayerId } from '../../../src/domain/ids.ts'
import {
  type Authenticate,
  administratorBy,
  bearerToken,
  type Principal,
} from '../../../src/http/request/authenticate.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { put, transaction } from '../support/rows.ts'
import { apiKey, type Serving, serve } from '../support/serve.ts'

let server: Serving
beforeAll(async () => {
  server = await serve()
})
afterAll(() => server[Symbol.asyncDispose]())

const cancelPath = '/api/v1/relayers/one/transactions/some'
const bulkPath = '/api/v1/relayers/one/transactions/pending'

const rejected: [string, string | undefined][] = [
  ['missing', undefined],
  ['empty', ''],
  ['a scheme alone', 'Bearer'],
  ['a scheme and nothing', 'Bearer '],
  ['the token alone', apiKey],
  ['two tokens', `Bearer ${apiKey} ${apiKey}`],
  ['a comma', `Bearer ${apiKey},`],
  ['no space', `Bearer${apiKey}`],
  ['wrong', 'Bearer wrong'],
  ['wrong in its last character', `Bearer ${apiKey.slice(0, -1)}x`],
  ['a prefix', `Bearer ${apiKey.slice(0, -1)}`],
  ['one character more', `Bearer ${apiKey}x`],
  ['in another case', `Bearer ${apiKey.toUpperCase()}`],
  ['the wrong scheme', `Basic ${Buffer.from(`x:${apiKey}`).toString('base64')}`],
  ['an unknown scheme', `Token ${apiKey}`],
]

describe.each([
  ['cancel', 'DELETE', cancelPath],
  ['bulk', 'DELETE', bulkPath],
  ['send', 'POST', '/api/v1/relayers/one/transactions'],
  ['read', 'GET', '/api/v1/relayers'],
])('%s', (_, method, path) => {
  test.each(rejected)('a token that is %s', async (_name, authorization) => {
    const answer = await server.ask(method, path, {
      token: null,
      ...(authorization !== undefined && { headers: { authorization } }),
    })
    expectFailure(answer, 401, 'Unauthorized', 'UNAUTHORIZED')
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })
})

test.each(['Bearer', 'bearer', 'BEARER'])('the scheme in any case: %s', async (scheme) => {
  const answer = await server.ask('GET', '/api/v1/relayers', {
    token: null,
    headers: { authorization: `${scheme} ${apiKey}` },
  })
  expectSuccess(answer)
})

test.each([
  ['an unknown path', 'GET', '/api/v1/nothing-here'],
  ['the bare prefix', 'GET', '/api/v1'],
  ['a wrong method', 'PUT', cancelPath],
  ['a path that does not decode', 'DELETE', '/api/v1/relayers/%zz/transactions/pending'],
  ['a malformed body', 'POST', '/api/v1/relayers/one/transactions'],
  ['an unknown relayer', 'DELETE', '/api/v1/relayers/nobody/transactions/pending'],
  ['an escaped letter in the prefix', 'GET', '/api/%761/relayers'],
])('an unauthenticated client learns nothing of %s', async (_, method, path) => {
  const body = method === 'POST' ? { headers: { 'content-type': 'application/json' }, body: '{' } : {}
  expectFailure(await server.ask(method, path, { token: null, ...body }), 401, 'Unauthorized', 'UNAUTHORIZED')
})

test.each(['/api/v1/health', '/api/v1/ready', '/api/v1/openapi.json', '/docs/'])('open to all: %s', async (path) => {
  expect((await server.ask('GET', path, { token: null })).status).toBe(200)
})

test('no answer and no log line holds a token', async () => {
  await server.ask('GET', '/api/v1/relayers', { token: 'a-secret-that-is-wrong' })
  await server.ask('GET', '/api/v1/relayers')
  const log = JSON.stringify(server.log)
  expect(log).not.toContain('a-secret-that-is-wrong')
  expect(log).not.toContain(apiKey)
})

describe('keys with fewer rights', () => {
  const keys: Record<string, Principal> = {
    reader: { id: 'reader' as ApiKeyId, scopes: new Set(['read'] as const) },
    sender: { id: 'sender' as ApiKeyId, scopes: new Set(['send'] as const) },
    canceler: { id: 'canceler' as ApiKeyId, scopes: new Set(['cancel'] as const) },
    bound: { id: 'bound' as ApiKeyId, scopes: new Set(['read', 'cancel'] as const), relayers: ['two' as RelayerId] },
  }
  const authenticate: Authenticate = (header) => keys[bearerToken(header) ?? '']
  const operations: [string, string, string][] = [
    ['read', 'GET', '/api/v1/relayers/one'],
    ['send', 'POST', '/api/v1/relayers/one/transactions'],
    ['cancel', 'DELETE', bulkPath],
  ]

  test.each([
    ['reader', 'read'],
    ['sender', 'send'],
    ['canceler', 'cancel'],
  ])('%s may only %s', async (token, allowed) => {
    await using limited = await serve({ authenticate })
    for (const [scope, method, path] of operations) {
      const answer = await limited.ask(method, path, { token })
      if (scope === allowed) expect(answer.status).not.toBe(401)
      else expectFailure(answer, 401, 'Unauthorized', 'SCOPE_MISSING')
    }
  })

  test('a key that is bound to a relayer sees and touches no other', async () => {
    await using limited = await serve({ authenticate })
    await put(limited.store, transaction('mine', { phase: 'queued' }))
    const listed = await limited.ask('GET', '/api/v1/relayers', { token: 'bound' })
    expectSuccess(listed)
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual(['two'])
    expect(listed.body.pagination.total_items).toBe(1)
    for (const path of ['/api/v1/relayers/one', bulkPath, '/api/v1/relayers/nobody/transactions/pending']) {
      const method = path.endsWith('pending') ? 'DELETE' : 'GET'
      expectFailure(await limited.ask(method, path, { token: 'bound' }), 401, 'Unauthorized', 'RELAYER_NOT_GRANTED')
    }
    expectSuccess(await limited.ask('GET', '/api/v1/relayers/two', { token: 'bound' }))
    const row = await limited.ask('GET', '/api/v1/relayers/one/transactions/mine', { token: 'reader' })
    expect(row.body.data.status).toBe('pending')
  })

  test('the key of the environment has every right', () => {
    expect(administratorBy(apiKey)(`Bearer ${apiKey}`)?.scopes).toEqual(
      new Set(['read', 'send', 'cancel', 'admin', 'release', 'pause', 'sign']),
    )
  })
})
