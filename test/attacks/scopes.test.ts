// Attacks by the holder of a valid key, beyond its rights.
import { expect } from 'vitest'
import { until } from '../../tooling/client.ts'
import { type OpenApiDocument, operationsOf, pathWith } from '../openapi/support/document.ts'
import { attack, json, payment, underAttack } from './support/attack.ts'

underAttack()

const body = JSON.stringify(payment)
/** Open to everybody. */
const open = ['getHealth', 'getReadiness']

attack(9, 'a key for one relayer, at every operation on another', async ({ ask, keyWith, send, stage }) => {
  const id = await send('theirs')
  const scopes = ['read', 'send', 'cancel', 'release', 'pause', 'sign']
  const { key } = await keyWith({ scopes, relayers: ['mine'] })
  const document = (await stage.client.request('GET', '/openapi.json')).body as OpenApiDocument
  const onRelayers = operationsOf(document).filter(({ path }) => path.includes('{relayer_id}'))
  expect(onRelayers.length).toBeGreaterThan(10)
  for (const operation of onRelayers) {
    const values = Object.fromEntries(operation.parameters.map(({ name, examples }) => [name, examples[0]]))
    const path = pathWith(operation, { ...values, relayer_id: 'theirs', transaction_id: id })
    const example = operation.body && { headers: json, body: JSON.stringify(operation.body.examples[0]) }
    expect([operation.id, (await ask(operation.method, path, { key, ...example })).status]).toEqual([operation.id, 401])
  }
  for (const path of ['/api/v1/bulk-cancellations', '/api/v1/bulk-cancellations/preview']) {
    const order = JSON.stringify({ filter: {}, relayers: ['mine', 'theirs'] })
    const headers = { ...json, 'idempotency-key': 'both' }
    expect([path, (await ask('POST', path, { key, headers, body: order })).status]).toEqual([path, 401])
  }
  expect((await stage.client.get('theirs', id)).status).not.toBe('canceled')
  return 1
})

attack(
  10,
  "another's relayer by an id in disguise: encoded, cased, padded, with a path in it",
  async ({ ask, keyWith }) => {
    const { key } = await keyWith({ scopes: ['read', 'send', 'cancel'], relayers: ['mine'] })
    const disguises = [
      '%74heirs',
      'theirs%20',
      '%20theirs',
      'THEIRS',
      'theirs%00',
      'theirs.',
      'theirs%2f',
      'mine%2f..%2ftheirs',
      'mine;theirs',
      'mine,theirs',
      'theirs%09',
    ]
    for (const disguise of disguises) {
      const answer = await ask('POST', `/api/v1/relayers/${disguise}/transactions`, { key, headers: json, body })
      expect([disguise, answer.status]).toEqual([disguise, 401])
    }
  },
)

attack(11, 'distinguishing relayers that exist from those that do not', async ({ ask, keyWith }) => {
  const { key } = await keyWith({ scopes: ['read', 'send', 'cancel'], relayers: ['mine'] })
  const reported = async (relayer: string) => {
    const { status, text, headers } = await ask('DELETE', `/api/v1/relayers/${relayer}/transactions/pending`, { key })
    return [status, text, headers['relayer-error-code'], Object.keys(headers)]
  }
  expect(await reported('theirs')).toEqual(await reported('nobody'))
  const listed = await ask('GET', '/api/v1/relayers', { key })
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual(['mine'])
  expect(listed.body.pagination.total_items).toBe(1)
})

attack(12, 'members that no client may set: ids, owners, states, digests', async ({ ask, rows }) => {
  const before = rows('api_keys')
  for (const extra of [
    { id: 'administrator' },
    { digest: 'x' },
    { key: 'mine-to-choose' },
    { revoked_at: null },
    { created_by: 'x' },
  ]) {
    const answer = await ask('POST', '/api/v1/api-keys', {
      headers: json,
      body: JSON.stringify({ name: 'x', scopes: ['read'], ...extra }),
    })
    expect(answer.status).toBe(400)
  }
  for (const extra of [
    { id: 'x' },
    { status: 'confirmed' },
    { nonce: 0 },
    { from: payment.to },
    { relayer_id: 'theirs' },
    { hash: '0x' },
    { origin: 'filler' },
  ]) {
    const answer = await ask('POST', '/api/v1/relayers/mine/transactions', {
      headers: json,
      body: JSON.stringify({ ...payment, ...extra }),
    })
    expect([answer.status, answer.headers['relayer-error-code']]).toEqual([400, 'INVALID_REQUEST'])
  }
  expect(rows('api_keys')).toBe(before)
})

attack(13, 'no token at all, at every operation', async ({ ask, stage, send }) => {
  const id = await send()
  const document = (await stage.client.request('GET', '/openapi.json')).body as OpenApiDocument
  for (const operation of operationsOf(document).filter((each) => !open.includes(each.id))) {
    const values = Object.fromEntries(operation.parameters.map(({ name, examples }) => [name, examples[0]]))
    const path = pathWith(operation, { ...values, relayer_id: 'mine', transaction_id: id })
    const example = operation.body && { headers: json, body: JSON.stringify(operation.body.examples[0]) }
    expect([operation.id, (await ask(operation.method, path, { key: null, ...example })).status]).toEqual([
      operation.id,
      401,
    ])
  }
  return 1
})

attack(62, 'what spans all relayers, read with a key for one of them', async ({ ask, keyWith, send, stage }) => {
  const id = await send('theirs')
  const [, theirs] = stage.node.accounts
  const hash = await until(async () => (await stage.client.get('theirs', id)).hash, { what: 'a hash' })
  const { key } = await keyWith({ scopes: ['read'], relayers: ['mine'] })
  const found = async (query: string) => {
    const { status, text } = await ask('GET', `/api/v1/search?query=${query}`, { key })
    return [status, text]
  }
  expect((await ask('GET', `/api/v1/search?query=${hash}`)).text).toContain(id)
  const nothing = await found('nobody')
  for (const query of ['theirs', id, hash, hash.toUpperCase().replace('X', 'x'), String(theirs?.address)]) {
    expect([query, ...(await found(query))]).toEqual([query, ...nothing])
  }
  const bulk = { filter: { ids: ['none'] }, relayers: ['theirs'] }
  const order = { headers: { ...json, 'idempotency-key': 'of-theirs' }, body: JSON.stringify(bulk) }
  const made = (await ask('POST', '/api/v1/bulk-cancellations', order)).body.data.id
  expect((await ask('GET', `/api/v1/bulk-cancellations/${made}`, { key })).status).toBe(404)
  for (const path of [
    ...['/overview', '/relayers', '/daily-spend', '/series', '/signers', '/networks', '/notifications'],
    '/bulk-cancellations',
  ]) {
    const { status, text } = await ask('GET', `/api/v1${path}`, { key })
    expect([path, status, text.includes('theirs')]).toEqual([path, 200, false])
  }
  const events = async (relayer: string) => (await ask('GET', `/api/v1/events?relayer_id=${relayer}`, { key })).text
  expect(await events('theirs')).toBe(await events('nobody'))
  return 1
})
