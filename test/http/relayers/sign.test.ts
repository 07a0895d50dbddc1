// Signing without sending: the signed texts, the signer, and refusals.
import { domainSeparator, hashStruct, recoverMessageAddress, recoverTypedDataAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Scope, scopes } from '../../../src/domain/api-key.ts'
import type { ApiKeyId, RelayerId } from '../../../src/domain/ids.ts'
import type { Principal } from '../../../src/http/request/authenticate.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { address, relayer } from '../support/rows.ts'
import { type Serving, serve } from '../support/serve.ts'

let server: Serving
beforeAll(async () => {
  server = await serve()
  await server.store.commit(async (session) => {
    await session.saveRelayer(relayer('paused', { chainId: 2, paused: true }))
  })
})
afterAll(() => server[Symbol.asyncDispose]())

const post = (on: Serving, path: string, body: unknown) =>
  on.ask('POST', `/api/v1/relayers/${path}`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

test.each(['hello', '', '0xdeadbeef', 'żółw 🐢', 'a\u0000b\r\nc', 'x'.repeat(100_000)])(
  'a text, as personal_sign signs it: %.20j',
  async (message) => {
    const answer = await post(server, 'one/sign', { message })
    expectSuccess(answer)
    const { r, s, v, sig } = answer.body.data
    expect(sig).toBe(`0x${r.slice(2)}${s.slice(2)}${v.toString(16)}`)
    expect(await recoverMessageAddress({ message, signature: sig })).toBe(address)
  },
)

test('bytes', async () => {
  const raw = '0xDEADbeef'
  const answer = await post(server, 'one/sign', { message: { raw } })
  expectSuccess(answer)
  expect(await recoverMessageAddress({ message: { raw }, signature: answer.body.data.sig })).toBe(address)
})

const permit = {
  domain: { name: 'Token', chainId: 31_337 },
  types: { Permit: [{ name: 'value', type: 'uint256' }] },
  primaryType: 'Permit',
  message: { value: 7n },
} as const

test('typed data, by hashes with or without 0x', async () => {
  const domain = domainSeparator({ domain: permit.domain })
  const struct = hashStruct({
    data: permit.message,
    primaryType: 'Permit',
    types: { Permit: [...permit.types.Permit] },
  })
  for (const strip of [(hash: string) => hash, (hash: string) => hash.slice(2).toUpperCase()]) {
    const body = { domain_separator: strip(domain), hash_struct_message: strip(struct) }
    const answer = await post(server, 'one/sign-typed-data', body)
    expectSuccess(answer)
    expect(await recoverTypedDataAddress({ ...permit, signature: answer.body.data.sig })).toBe(address)
  }
})

describe('refused', () => {
  const messageForm = 'a text, or bytes as {"raw": "0xdeadbeef"}'
  test.each<[unknown, string]>([
    [{}, `message: is missing; send ${messageForm}`],
    [{ message: 7 }, `message: 7 is not ${messageForm}`],
    [{ message: { raw: '0x1' } }, `message: {"raw":"0x1"} is not ${messageForm}`],
    [{ message: 'a', relayer: 'x' }, 'relayer: is not accepted here; send only message'],
    [{ message: '\ud800' }, 'message: "\\ud800" is not Unicode; send it as bytes, {"raw": "0x…"}'],
  ])('a message like %j', async (body, reported) => {
    expectFailure(await post(server, 'one/sign', body), 400, reported, 'INVALID_REQUEST')
  })

  test.each([31, 33])('a hash of %i bytes', async (bytes) => {
    const body = { domain_separator: `0x${'1f'.repeat(32)}`, hash_struct_message: `0x${'1f'.repeat(bytes)}` }
    const answer = await post(server, 'one/sign-typed-data', body)
    expect(answer.status).toBe(400)
    expect(answer.body.message).toMatch(/^hash_struct_message: .* is not 32 bytes in hex/)
  })

  test.each(['sign', 'sign-typed-data', 'sign-transaction'])('%s by a relayer that is not there', async (verb) => {
    const hash = `0x${'1f'.repeat(32)}`
    const body = verb === 'sign' ? { message: 'x' } : { domain_separator: hash, hash_struct_message: hash }
    const answer = await post(server, `nobody/${verb}`, body)
    expectFailure(answer, 404, 'Relayer with ID nobody not found', 'RELAYER_NOT_FOUND')
  })

  test('by a relayer that is paused', async () => {
    const answer = await post(server, 'paused/sign', { message: 'x' })
    expectFailure(answer, 400, 'relayer "paused" is paused and signs nothing new', 'RELAYER_PAUSED')
  })

  test.each([{}, [1, 2, 3], { unsigned_xdr: 'AAAA' }, { to: address, value: '1' }])(
    'a transaction: %j',
    async (body) => {
      const answer = await post(server, 'one/sign-transaction', body)
      expect([answer.status, answer.headers['relayer-error-code']]).toEqual([400, 'NOT_SUPPORTED'])
      expect(answer.body.message).toMatch(/^sign-transaction is not supported: .* POST …\/transactions$/)
    },
  )

  test('while the key is out of reach: nothing of the cause is shown', async () => {
    const failing = () => Promise.reject(new Error('https://vault.internal/?token=hunter2'))
    await using other = await serve({ signer: { address, sign: failing, signStatement: failing } })
    const answer = await post(other, 'one/sign', { message: 'x' })
    const reported = 'signer "dev" of relayer "one" does not sign now; try again later'
    expectFailure(answer, 503, reported, 'SIGNER_UNAVAILABLE')
  })
})

test('only the scope "sign" signs, and only for its relayers', async () => {
  const principal = (scope: Scope, relayers?: RelayerId[]): Principal => ({
    id: scope as string as ApiKeyId,
    scopes: new Set([scope]),
    ...(relayers && { relayers }),
  })
  for (const scope of scopes) {
    await using other = await serve({ authenticate: () => principal(scope) })
    const answer = await post(other, 'one/sign', { message: 'x' })
    expect(answer.status, scope).toBe(scope === 'sign' ? 200 : 401)
  }
  await using other = await serve({ authenticate: () => principal('sign', ['two' as RelayerId]) })
  expect((await post(other, 'one/sign', { message: 'x' })).status).toBe(401)
  expect((await post(other, 'two/sign', { message: 'x' })).status).toBe(200)
})
