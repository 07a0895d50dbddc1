// Four eyes over HTTP: what a second key sees, what it sends, and each refusal, which changes nothing.
import { hash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ApiKeyId, RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import type { Policies } from '../../../src/domain/policy-table.ts'
import {
  type Authenticate,
  administratorBy,
  bearerToken,
  type Principal,
} from '../../../src/http/request/authenticate.ts'
import { expectSuccess } from '../support/expectations.ts'
import { receiver, relayer } from '../support/rows.ts'
import { type Answer, apiKey, type Serving, serve } from '../support/serve.ts'

const scopes = new Set(['send', 'read', 'cancel', 'release'] as const)
const keys: Readonly<Record<string, Principal>> = {
  anna: { id: 'anna' as ApiKeyId, scopes },
  ben: { id: 'ben' as ApiKeyId, scopes },
  cleo: { id: 'cleo' as ApiKeyId, scopes },
}
const authenticate: Authenticate = (header) => keys[bearerToken(header) ?? ''] ?? administratorBy(apiKey)(header)

let server: Serving
beforeAll(async () => {
  server = await serve({ authenticate })
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => withPolicies({ fourEyes: true }))

const at = (rest = '') => `/api/v1/relayers/one/transactions${rest}`
const call = (token: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  server.ask(method, path, {
    token,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
const post = (token: string, body: object = {}) => call(token, 'POST', at(), { to: receiver, value: '5', ...body })
const holdOf = async (id: string) => {
  const answer = await call('cleo', 'GET', at(`/${id}/hold`))
  expectSuccess(answer)
  return answer.body.data
}
const release = (token: string, id: string, digest?: string) =>
  call(token, 'POST', at(`/${id}/release`), digest === undefined ? undefined : { payload_digest: digest })
const codeOf = ({ status, headers }: Answer) => [status, headers['relayer-error-code']]
const idOf = (answer: Answer): string => {
  expectSuccess(answer)
  return answer.body.data.id
}
const stored = (id: string) => server.store.reads.transaction('one' as RelayerId, id as TransactionId)

async function withPolicies(policies: Partial<Policies>): Promise<void> {
  const one = relayer('one')
  await server.store.commit((session) => session.saveRelayer({ ...one, policies: { ...one.policies, ...policies } }))
}

test('the hold shows the payload, a digest that a client computes itself, and the key that may not release it', async () => {
  const access = [{ address: receiver, storage_keys: [`0x${'AB'.repeat(32)}`] }]
  const id = idOf(
    await post('anna', {
      ...{ gas_limit: 90_000, data: '0xA9059CBB', valid_until: '2030-01-31T12:00:00Z', access_list: access },
      ...{ max_fee_per_gas: '9000000000', max_priority_fee_per_gas: '1' },
    }),
  )
  const hold = await holdOf(id)
  expect(hold).toMatchObject({ rule: 'four_eyes', by: 'anna', four_eyes: { set_by: ['anna'] } })
  expect(hold).not.toHaveProperty('until')
  expect(hold.payload).toEqual({
    access_list: [{ address: receiver, storage_keys: [`0x${'ab'.repeat(32)}`] }],
    data: '0xa9059cbb',
    from: expect.any(String),
    gas_limit: 90_000,
    max_fee_per_gas: '9000000000',
    max_priority_fee_per_gas: '1',
    relayer_id: 'one',
    to: receiver,
    transaction_id: id,
    valid_until: '2030-01-31T12:00:00.000Z',
    value: '5',
  })
  expect(hold.payload_digest).toBe(`0x${hash('sha256', JSON.stringify(sorted(hold.payload)))}`)
})

/** RFC 8785, for what a payload may hold. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]))
}

test('only another key releases it, with the digest that was shown', async () => {
  const id = idOf(await post('anna'))
  const before = await stored(id)
  const { payload_digest: digest } = await holdOf(id)
  expect(codeOf(await release('ben', id))).toEqual([400, 'PAYLOAD_DIGEST_MISSING'])
  expect(codeOf(await call('ben', 'POST', at(`/${id}/release`), {}))).toEqual([400, 'PAYLOAD_DIGEST_MISSING'])
  expect(codeOf(await call('ben', 'POST', at(`/${id}/release`), { payload_digest: '0x12' }))).toEqual([
    400,
    'INVALID_REQUEST',
  ])
  expect(codeOf(await release('ben', id, `0x${'1f'.repeat(32)}`))).toEqual([409, 'PAYLOAD_DIGEST_DIFFERS'])
  expect(codeOf(await release('anna', id, digest))).toEqual([403, 'SECOND_KEY_REQUIRED'])
  expect(await stored(id)).toEqual(before)

  // Also in upper case, as some tools print it.
  expectSuccess(await release('ben', id, `0x${digest.slice(2).toUpperCase()}`))
  expect((await stored(id))?.lifecycle.phase).toBe('queued')
  expect(await holdOf(id)).toMatchObject({
    rule: 'four_eyes',
    payload_digest: digest,
    four_eyes: { set_by: ['anna'], released: { by: 'ben', at: expect.any(String), payload_digest: digest } },
  })
  const again = await release('ben', id, digest)
  expectSuccess(again)
  expect(again.body.metadata.logs[0].message).toMatch(/^It was not on hold/)
  const { body } = await server.ask('GET', '/api/v1/audit-log?per_page=50')
  const released = body.data.filter(
    (each: { transaction_id?: string; operation: string; outcome: string }) =>
      each.transaction_id === id && each.operation === 'releaseTransaction' && each.outcome === 'allowed',
  )
  expect(released.map((each: { key_id: string }) => each.key_id)).toContain('ben')
})

test('many are released by pairs, and one of two equal payouts does not stand for the other', async () => {
  const [one, twin, own] = [idOf(await post('anna')), idOf(await post('anna')), idOf(await post('ben'))]
  const digests = await Promise.all([one, twin, own].map(async (id) => (await holdOf(id)).payload_digest))
  expect(new Set(digests).size).toBe(3)
  const answer = await call('ben', 'POST', at('/release'), {
    transactions: [
      { id: one, payload_digest: digests[0] },
      { id: twin, payload_digest: digests[0] },
      { id: twin },
      { id: own, payload_digest: digests[2] },
    ],
  })
  expectSuccess(answer)
  expect(answer.body.data.map(({ result, code }: { result: string; code?: string }) => code ?? result)).toEqual([
    'released',
    'PAYLOAD_DIGEST_DIFFERS',
    'PAYLOAD_DIGEST_MISSING',
    'SECOND_KEY_REQUIRED',
  ])
  expect(await Promise.all([one, twin, own].map(async (id) => (await stored(id))?.lifecycle.phase))).toEqual([
    'queued',
    'held',
    'held',
  ])
  // No filter: only pairs.
  expect(codeOf(await call('ben', 'POST', at('/release'), { filter: { to: receiver } }))[0]).toBe(400)
})

test('a DELETE of it is free and final, and a replay of its send changes nothing', async () => {
  const body = JSON.stringify({ to: receiver, value: '5' })
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'payout-1' }
  const id = idOf(await server.ask('POST', at(), { token: 'anna', body, headers }))
  expect(idOf(await server.ask('POST', at(), { token: 'anna', body, headers }))).toBe(id)
  expect((await stored(id))?.fourEyes).toMatchObject({ setBy: ['anna'] })
  const { payload_digest: digest } = await holdOf(id)
  expectSuccess(await call('anna', 'DELETE', at(`/${id}`)))
  expect((await stored(id))?.lifecycle).toMatchObject({ phase: 'dropped', reason: 'canceled' })
  expect(codeOf(await call('cleo', 'GET', at(`/${id}/hold`)))).toEqual([404, 'HOLD_NOT_FOUND'])
  expect(codeOf(await release('ben', id, digest))).toEqual([400, 'TRANSACTION_ALREADY_CANCELED'])
})

test('the approval stays readable after a DELETE', async () => {
  const id = idOf(await post('anna'))
  expectSuccess(await release('ben', id, (await holdOf(id)).payload_digest))
  expectSuccess(await call('anna', 'DELETE', at(`/${id}`)))
  expect(await holdOf(id)).toMatchObject({ four_eyes: { set_by: ['anna'], released: { by: 'ben' } } })
})

describe('with hold_above_value, what a small send may spend without a second key', () => {
  const gwei = (price: number) => `${price}000000000`
  const phaseOf = async (body: object) => (await stored(idOf(await post('anna', body))))?.lifecycle.phase
  const small = { fourEyes: true, holdAboveValue: 10n }
  beforeEach(() => withPolicies(small))

  test.each<[object, string]>([
    [{}, 'queued'],
    [{ speed: 'fastest', gas_limit: 100_000 }, 'queued'],
    [{ access_list: [] }, 'queued'],
    [{ value: '11' }, 'held'],
    [{ data: '0xa9059cbb' }, 'held'],
    [{ gas_limit: 100_001 }, 'held'],
    [{ access_list: [{ address: receiver, storage_keys: [] }] }, 'held'],
    // A block builder that shares the fee may pay it back.
    [{ value: '0', gas_limit: 21_000, gas_price: gwei(190_000_000) }, 'held'],
    [{ value: '0', max_fee_per_gas: gwei(30), max_priority_fee_per_gas: gwei(1) }, 'held'],
  ])('%j: %s', async (body, phase) => {
    expect(await phaseOf(body)).toBe(phase)
  })

  test('a price of its own goes up to gas_price_cap', async () => {
    await withPolicies({ ...small, gasPriceCap: 40_000_000_000n })
    expect(await phaseOf({ gas_price: gwei(40) })).toBe('queued')
    expect(codeOf(await post('anna', { gas_price: gwei(41) }))).toEqual([400, 'POLICY_VIOLATION'])
  })

  test('a PUT needs one for the same, and without gas_limit from another key', async () => {
    const change = async (token: string, body: object) => {
      const id = idOf(await post('anna'))
      expectSuccess(await call(token, 'PUT', at(`/${id}`), { to: receiver, value: '5', ...body }))
      const { lifecycle, fourEyes } = (await stored(id)) ?? {}
      return [lifecycle?.phase, fourEyes?.setBy]
    }
    expect(await change('anna', {})).toEqual(['queued', undefined])
    expect(await change('ben', { gas_limit: 21_000 })).toEqual(['queued', undefined])
    expect(await change('ben', {})).toEqual(['held', ['anna', 'ben']])
    expect(await change('anna', { gas_price: gwei(190_000_000) })).toEqual(['held', ['anna']])
  })
})

test('a relayer on another chain with the same account signs nothing either, and its key learns no name', async () => {
  await server.store.commit((session) => session.saveRelayer(relayer('other-chain', { chainId: 7 })))
  const bound = { name: 'bound', scopes: ['sign'], relayers: ['other-chain'] }
  const headers = { 'content-type': 'application/json' }
  const { body: made } = await server.ask('POST', '/api/v1/api-keys', { headers, body: JSON.stringify(bound) })
  const hash = `0x${'1f'.repeat(32)}`
  const attempts = [
    ['sign', { message: 'hello' }],
    ['sign-typed-data', { domain_separator: hash, hash_struct_message: hash }],
  ] as const
  const sign = (verb: string, body: object) =>
    server.ask('POST', `/api/v1/relayers/other-chain/${verb}`, {
      token: made.data.key,
      headers,
      body: JSON.stringify(body),
    })
  for (const [verb, body] of attempts) {
    const answer = await sign(verb, body)
    expect([verb, ...codeOf(answer)]).toEqual([verb, 400, 'POLICY_VIOLATION'])
    expect(answer.text).not.toContain('"one"')
  }
  await withPolicies({ fourEyes: false })
  for (const [verb, body] of attempts) expectSuccess(await sign(verb, body))
})

test('the relayer signs no messages, and for no relayer a transaction', async () => {
  const signing = '/api/v1/relayers/one'
  const message = await server.ask('POST', `${signing}/sign`, {
    body: JSON.stringify({ message: 'hello' }),
    headers: { 'content-type': 'application/json' },
  })
  const typed = await server.ask('POST', `${signing}/sign-typed-data`, {
    body: JSON.stringify({ domain_separator: `0x${'1f'.repeat(32)}`, hash_struct_message: `0x${'2e'.repeat(32)}` }),
    headers: { 'content-type': 'application/json' },
  })
  expect([message, typed].map(codeOf)).toEqual([
    [400, 'POLICY_VIOLATION'],
    [400, 'POLICY_VIOLATION'],
  ])
  expect(message.body.message).toContain('four_eyes')
  expect(codeOf(await server.ask('POST', `${signing}/sign-transaction`))).toEqual([400, 'NOT_SUPPORTED'])
})
