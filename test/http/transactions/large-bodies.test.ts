// Large bodies: refused by their structure, charged by their bytes, and taken in turns with the requests of others.
import { privateKeyToAddress } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import { bodyPartsMax, itemsInATurn } from '../../../src/http/limits.ts'
import { nextTurn } from '../../../src/ops/clock.ts'
import { expectSuccess } from '../support/expectations.ts'
import { receiver } from '../support/rows.ts'
import { apiKey, type Serving, serve } from '../support/serve.ts'

const opened: Serving[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]()
})
async function open(limits = { requestsPerSecond: 100_000, burst: 100_000 }): Promise<Serving> {
  const server = await serve({ limits })
  opened.push(server)
  return server
}

const path = '/api/v1/relayers/one/transactions'
const headers = { 'content-type': 'application/json' }

test.each([
  ['empty lists', '[],', 1],
  ['empty objects', '{},', 1],
  ['numbers', '1,', 2],
  ['texts', '"",', 2],
])('a body of many %s is refused by their number, whatever they are', async (_, part, share) => {
  const server = await open()
  const count = Math.ceil((bodyPartsMax / 2) * share)
  const refused = await server.ask('POST', `${path}/batch`, {
    headers,
    body: `{"transactions":[${part.repeat(count)}0]}`,
  })
  expect([refused.status, refused.headers['relayer-error-code'], refused.body.message]).toEqual([
    400,
    'MALFORMED_JSON',
    'body: has more than 65536 brackets and commas; send fewer items, or in parts',
  ])
  // Below that number, the schema refuses it.
  const below = await server.ask('POST', `${path}/batch`, {
    headers,
    body: `{"transactions":[${part.repeat(count - 40)}0]}`,
  })
  expect(below.headers['relayer-error-code']).toBe('INVALID_REQUEST')
})

const batch = (count: number, bytes: number) =>
  JSON.stringify({ transactions: Array(count).fill({ to: receiver, value: '1', data: `0x${'ab'.repeat(bytes)}` }) })
const left = ({ headers: reported }: { headers: { ratelimit?: unknown } }) =>
  Number(/r=(\d+)/.exec(String(reported.ratelimit))?.[1])

test('a body costs a further request for each 64 KiB of it', async () => {
  const server = await open({ requestsPerSecond: 1, burst: 1_000 })
  expect(left(await server.ask('GET', path))).toBe(999)
  const body = batch(10, 65_000)
  const answer = await server.ask('POST', `${path}/batch`, { headers, body })
  expectSuccess(answer)
  expect(left(answer)).toBe(998 - Math.floor(body.length / 65_536))
  expect(left(await server.ask('GET', path))).toBe(997 - Math.floor(body.length / 65_536))
})

test('a body without a declared length costs as much', async () => {
  const server = await open({ requestsPerSecond: 1, burst: 1_000 })
  const body = batch(10, 65_000)
  const streamed = await fetch(`${server.url}${path}/batch`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${apiKey}` },
    body: new Blob([body]).stream(),
    duplex: 'half',
  } as RequestInit)
  expect(streamed.status).toBe(200)
  expect(left(await server.ask('GET', path))).toBe(998 - Math.floor(body.length / 65_536))
})

test('a body that costs more than the whole allowance passes alone, and then nothing does', async () => {
  const server = await open({ requestsPerSecond: 1, burst: 8 })
  expectSuccess(await server.ask('POST', `${path}/batch`, { headers, body: batch(10, 65_000) }))
  const refused = await server.ask('GET', path)
  expect([refused.status, refused.headers['relayer-error-code']]).toEqual([429, 'RATE_LIMITED'])
})

test('the addresses of a large batch are hashed in many turns of the event loop', async () => {
  const server = await open()
  const addresses = Array.from({ length: 100 }, (_, key) =>
    privateKeyToAddress(`0x${(key + 1).toString(16).padStart(64, '0')}`),
  )
  const access_list = addresses.map((address) => ({ address, storage_keys: [] }))
  const transactions = Array(160).fill({ to: receiver, value: '1', access_list })
  let isOver = false
  const answer = server
    .ask('POST', `${path}/batch`, { headers, body: JSON.stringify({ transactions }) })
    .finally(() => {
      isOver = true
    })
  let turns = 0
  while (!isOver) {
    await nextTurn()
    turns += 1
  }
  expectSuccess(await answer)
  expect(turns).toBeGreaterThan(transactions.length / itemsInATurn)
})
