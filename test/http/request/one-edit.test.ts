// A misspelled policy never passes as a member without effect: it would be a limit that does not limit.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { policyMembers } from '../../../src/config/parse-policies.ts'
import { oneEditOf } from '../../support/one-edit.ts'
import { receiver } from '../support/rows.ts'
import { type Serving, serve } from '../support/serve.ts'

let server: Serving
beforeAll(async () => {
  server = await serve()
})
afterAll(() => server[Symbol.asyncDispose]())

const payload = { to: receiver, value: '1' }
const relayer = { name: 'n', network: 'localhost', network_type: 'evm', signer_id: 'dev', paused: false }

/** A request of every kind that has a body, with the member put into one of its objects. */
const requests: readonly (readonly [string, string, (member: object) => object])[] = [
  ['POST', '/relayers', (member) => ({ ...relayer, ...member })],
  ['POST', '/relayers', (member) => ({ ...relayer, policies: { min_balance: 1, ...member } })],
  ['PATCH', '/relayers/one', (member) => ({ name: 'n', ...member })],
  ['PATCH', '/relayers/one', (member) => ({ policies: member })],
  ['POST', '/signers', (member) => ({ type: 'plain', config: { key: '1'.repeat(64) }, ...member })],
  ['POST', '/signers', (member) => ({ type: 'plain', config: { key: '1'.repeat(64), ...member } })],
  ['POST', '/notifications', (member) => ({ url: 'https://hooks.example', ...member })],
  ['PATCH', '/notifications/hook', (member) => member],
  ['PATCH', '/networks/evm:localhost', (member) => member],
  ['PATCH', '/networks/evm:localhost', (member) => ({ profile: member })],
  ['POST', '/api-keys', (member) => ({ name: 'n', scopes: ['read'], ...member })],
  ['POST', '/relayers/one/transactions', (member) => ({ ...payload, ...member })],
  ['POST', '/relayers/one/transactions/batch', (member) => ({ transactions: [payload, { ...payload, ...member }] })],
  ['PUT', '/relayers/one/transactions/none', (member) => ({ ...payload, ...member })],
]

test('any policy name with one edit is refused, in the body of every request', async () => {
  const edited = fc.constantFrom(...policyMembers).chain(oneEditOf)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...requests),
      edited,
      fc.constantFrom<unknown>('text', 1, true, null, {}),
      async ([method, path, bodyWith], name, value) => {
        const answer = await server.ask(method, `/api/v1${path}`, {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(bodyWith({ [name]: value })),
        })
        expect([answer.status, answer.headers['relayer-error-code']]).toEqual([400, 'INVALID_REQUEST'])
        // Some refusals shorten it.
        expect(answer.body.message).toContain(name.slice(0, 20))
      },
    ),
    { numRuns: 400 },
  )
})
