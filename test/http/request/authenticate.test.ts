// Authentication by section 5 of the interface.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { administratorBy } from '../../../src/http/request/authenticate.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
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

test('the key of the environment has every right', () => {
  expect(administratorBy(apiKey)(`Bearer ${apiKey}`)?.scopes).toEqual(
    new Set(['read', 'send', 'cancel', 'admin', 'release', 'pause', 'sign']),
  )
})
