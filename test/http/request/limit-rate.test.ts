// Rates: section 8 of the interface.

import { describe, expect, test } from 'vitest'
import type { ApiKeyId } from '../../../src/domain/ids.ts'
import { type Authenticate, bearerToken } from '../../../src/http/request/authenticate.ts'
import { RateLimited, rateLimits } from '../../../src/http/request/limit-rate.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { type Answer, serve } from '../support/serve.ts'

/** A window so long that no test outlives it. */
const limits = { requestsPerSecond: 0.001, burst: 3 }

function expectLimited(answer: Answer, name: string): void {
  expectFailure(answer, 429, 'Too Many Requests', 'RATE_LIMITED')
  const seconds = Number(answer.headers['retry-after'])
  expect(Number.isInteger(seconds)).toBe(true)
  expect(seconds).toBeGreaterThan(0)
  expect(answer.headers).toMatchObject({
    'ratelimit-policy': `"${name}";q=3;w=3000`,
    ratelimit: `"${name}";r=0;t=${seconds}`,
  })
}

describe('per key', () => {
  test.each([
    ['cancel', 'DELETE', '/api/v1/relayers/one/transactions/some'],
    ['bulk', 'DELETE', '/api/v1/relayers/one/transactions/pending'],
  ])('%s', async (_, method, path) => {
    await using server = await serve({ limits })
    for (const remaining of [2, 1, 0]) {
      const answer = await server.ask(method, path)
      expect(answer.status).not.toBe(429)
      expect(answer.headers).toMatchObject({
        'ratelimit-policy': '"key";q=3;w=3000',
        ratelimit: expect.stringMatching(new RegExp(`^"key";r=${remaining};t=\\d+$`)),
      })
    }
    expectLimited(await server.ask(method, path), 'key')
  })

  test('unknown paths and methods count, and each key has its own', async () => {
    const authenticate: Authenticate = (header) => {
      const id = bearerToken(header)
      return id === undefined ? undefined : { id: id as ApiKeyId, scopes: new Set(['read'] as const) }
    }
    await using server = await serve({ limits, authenticate })
    await server.ask('GET', '/api/v1/nothing', { token: 'first' })
    await server.ask('PUT', '/api/v1/relayers', { token: 'first' })
    await server.ask('GET', '/api/v1/relayers/%zz', { token: 'first' })
    expectLimited(await server.ask('GET', '/api/v1/relayers', { token: 'first' }), 'key')
    expectSuccess(await server.ask('GET', '/api/v1/relayers', { token: 'second' }))
  })
})

describe('per address', () => {
  test('failed authentications are limited, and the right key is still accepted', async () => {
    await using server = await serve({ limits })
    for (let tries = 0; tries < 3; tries++) {
      const answer = await server.ask('GET', '/api/v1/relayers', { token: 'guess' })
      expectFailure(answer, 401, 'Unauthorized', 'UNAUTHORIZED')
    }
    expectLimited(await server.ask('GET', '/api/v1/relayers', { token: 'guess' }), 'address')
    expectLimited(await server.ask('GET', '/api/v1/nothing', { token: null }), 'address')
    expectLimited(await server.ask('DELETE', '/api/v1/relayers/%zz', { token: null }), 'address')
    expectSuccess(await server.ask('GET', '/api/v1/relayers'))
  })

  test('requests that authenticate cost the address nothing', async () => {
    await using server = await serve({ limits })
    for (let tries = 0; tries < 4; tries++) await server.ask('GET', '/api/v1/relayers')
    expectFailure(await server.ask('GET', '/api/v1/relayers', { token: 'wrong' }), 401, 'Unauthorized', 'UNAUTHORIZED')
  })
})

describe('behind a proxy', () => {
  const from = (address: string) => ({ token: 'guess', headers: { 'x-forwarded-for': address } })

  test('a trusted proxy separates addresses', async () => {
    await using server = await serve({ limits, trustedProxies: ['127.0.0.1'] })
    for (let tries = 0; tries < 3; tries++) await server.ask('GET', '/api/v1/relayers', from('192.0.2.1'))
    expectLimited(await server.ask('GET', '/api/v1/relayers', from('192.0.2.1')), 'address')
    const other = await server.ask('GET', '/api/v1/relayers', from('192.0.2.2'))
    expectFailure(other, 401, 'Unauthorized', 'UNAUTHORIZED')
  })

  test.each([
    ['a port', (tries: number) => `192.0.2.1:${5_000 + tries}`],
    ['brackets and a port', (tries: number) => `[2001:db8::1]:${5_000 + tries}`],
    ['what is no address', (tries: number) => `192.0.2.${tries}, client-${tries}`],
    ['a port that is none', (tries: number) => `192.0.2.1:${100_000 + tries}`],
  ])('%s makes no new address of a client', async (_kind, written) => {
    await using server = await serve({ limits, trustedProxies: ['127.0.0.1'] })
    for (let tries = 0; tries < 3; tries++) await server.ask('GET', '/api/v1/relayers', from(written(tries)))
    expectLimited(await server.ask('GET', '/api/v1/relayers', from(written(9))), 'address')
    const other = await server.ask('GET', '/api/v1/relayers', from('192.0.2.2'))
    expectFailure(other, 401, 'Unauthorized', 'UNAUTHORIZED')
  })

  test('a proxy that writes its port is trusted by its address', async () => {
    await using server = await serve({ limits, trustedProxies: ['127.0.0.1', '10.0.0.0/8'] })
    const through = (address: string, port: number) => from(`${address}:${port}, 10.0.0.7:${port}`)
    for (let tries = 0; tries < 3; tries++)
      await server.ask('GET', '/api/v1/relayers', through('192.0.2.1', 7_000 + tries))
    expectLimited(await server.ask('GET', '/api/v1/relayers', through('192.0.2.1', 7_100)), 'address')
    const other = await server.ask('GET', '/api/v1/relayers', through('192.0.2.2', 7_200))
    expectFailure(other, 401, 'Unauthorized', 'UNAUTHORIZED')
  })

  test('nobody else can, so a made-up address buys no more tries', async () => {
    await using server = await serve({ limits })
    for (let tries = 0; tries < 3; tries++) await server.ask('GET', '/api/v1/relayers', from(`192.0.2.${tries}`))
    expectLimited(await server.ask('GET', '/api/v1/relayers', from('192.0.2.9')), 'address')
  })
})

test('of the use at other replicas, only whole amounts within the burst count', async () => {
  const rates = rateLimits(limits)
  const amounts = [1_000_000, 4, 0, -1, -1_000_000, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '2', null, {}]
  for (const amount of amounts) {
    await rates.take(new Map([['key:one', amount as number]]))
    await rates.take(new Map([['address:192.0.2.1', amount as number]]))
  }
  await rates.checkAddressLimit('192.0.2.1')
  expect(await rates.checkKeyLimit('one')).toMatchObject({ remaining: 2 })
  await rates.take(new Map([['key:one', 2]]))
  await expect(rates.checkKeyLimit('one')).rejects.toBeInstanceOf(RateLimited)
  await rates.take(new Map([['address:192.0.2.1', 3]]))
  await expect(rates.checkAddressLimit('192.0.2.1')).rejects.toBeInstanceOf(RateLimited)
})

test('a replica shares no more than the burst, also where more was used since its last message', async () => {
  const rates = rateLimits({ requestsPerSecond: 1_000, burst: 3 })
  rates.spent()
  for (let times = 0; times < 9; times++) await rates.countFailure('192.0.2.1')
  expect([...rates.spent()]).toEqual([['address:192.0.2.1', 3]])
  expect([...rates.spent()]).toEqual([])
})

test('health and readiness are not limited', async () => {
  await using server = await serve({ limits })
  for (let tries = 0; tries < 8; tries++) {
    expect((await server.ask('GET', '/api/v1/health', { token: null })).status).toBe(200)
    expect((await server.ask('GET', '/api/v1/ready', { token: null })).status).toBe(200)
  }
})

test('the allowance comes back', async () => {
  await using server = await serve({ limits: { requestsPerSecond: 20, burst: 1 } })
  let limited = 0
  let served = 0
  for (let tries = 0; tries < 2000 && !(limited > 0 && served > 1); tries++) {
    const { status } = await server.ask('GET', '/api/v1/relayers')
    if (status === 429) limited += 1
    else served += 1
  }
  expect(limited).toBeGreaterThan(0)
  expect(served).toBeGreaterThan(1)
})
