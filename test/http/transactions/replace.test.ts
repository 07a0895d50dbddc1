// PUT of a transaction: durable when it is answered, checked like a send, refused where nothing is left to replace.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { putEveryPhase, receiver } from '../support/rows.ts'
import { type Serving, serve } from '../support/serve.ts'

let server: Serving
beforeAll(async () => {
  server = await serve()
  await putEveryPhase(server.store)
})
afterAll(() => server[Symbol.asyncDispose]())

const body = { to: receiver, value: '42', speed: 'safeLow' }
const replace = (id: string, sent: object = body, relayer = 'one') =>
  server.ask('PUT', `/api/v1/relayers/${relayer}/transactions/${id}`, {
    body: JSON.stringify(sent),
    headers: { 'content-type': 'application/json' },
  })

test('in the queue: the new payload is stored when it is answered, beside the old one', async () => {
  const { id } = (await server.send('one', { to: receiver, value: '1' })).body.data
  const answer = await replace(id)
  expectSuccess(answer)
  expect(answer.body.data).toMatchObject({ id, status: 'pending', value: '42', speed: { name: 'safeLow' } })
  const row = await server.store.reads.transaction('one' as RelayerId, id as TransactionId)
  expect(row).toMatchObject({ payload: { value: 42n }, earlier: [{ value: 1n }] })
})

test('with an attempt that a node may have: the new payload is shown, without a hash until it is signed', async () => {
  const answer = await replace('submitted')
  expectSuccess(answer)
  expect(answer.body.data).toMatchObject({ status: 'submitted', value: '42', status_reason: 'replaced on request' })
  expect(answer.body.data).not.toHaveProperty('hash')
  const kept = await server.store.reads.transaction('one' as RelayerId, 'submitted' as TransactionId)
  expect(kept?.earlier).toHaveLength(1)
  expect(server.woken).toContain('one')
})

test('with a gas limit that no node would take', async () => {
  const refused = await replace('submitted', { ...body, data: '0x6000', to: undefined, gas_limit: 53_017 })
  const reported =
    'gas_limit: 53017 is below the intrinsic gas of this transaction, 53022 (by base 21000, floor 10, new_account 0, see gas_rules of the network); send 53022 or more, or none to have it estimated'
  expectFailure(refused, 400, reported, 'GAS_LIMIT_TOO_LOW')
})

test('nothing is left to replace: canceled', async () => {
  await server.ask('DELETE', '/api/v1/relayers/one/transactions/queued')
  const reported = 'transaction queued is already canceled; send a new one'
  expectFailure(await replace('queued'), 400, reported, 'TRANSACTION_ALREADY_CANCELED')
})

test.each(['mined', 'confirmed', 'failed', 'expired'])('nothing is left to replace: %s', async (status) => {
  const reported = `transaction ${status} is already ${status}; send a new one`
  expectFailure(await replace(status), 400, reported, `TRANSACTION_ALREADY_${status.toUpperCase()}`)
})

test('unknown, of an unknown relayer, or of a neighbour', async () => {
  for (const [id, relayer] of [
    ['nothing', 'one'],
    ['submitted', 'two'],
    ['submitted', 'nobody'],
  ] as const) {
    expectFailure(await replace(id, body, relayer), 404, 'Not found', 'TRANSACTION_NOT_FOUND')
  }
})

test('it is checked like a send', async () => {
  const answer = await replace('submitted', { ...body, value: '0x' })
  expect(answer.status).toBe(400)
  expect(answer.headers['relayer-error-code']).toBe('INVALID_REQUEST')
})

test("a key without cancel replaces what it sent, and nobody else's", async () => {
  const json = { 'content-type': 'application/json' }
  const keyWith = async (...scopes: string[]) => {
    const made = await server.ask('POST', '/api/v1/api-keys', {
      headers: json,
      body: JSON.stringify({ name: 'k', scopes }),
    })
    return String(made.body.data.key)
  }
  const [sender, other, canceler] = await Promise.all([keyWith('send'), keyWith('send'), keyWith('send', 'cancel')])
  const transactions = '/api/v1/relayers/one/transactions'
  const sent = await server.ask('POST', transactions, { token: sender, headers: json, body: JSON.stringify(body) })
  const { id } = sent.body.data
  const replaceAs = (token: string, which = id) =>
    server.ask('PUT', `${transactions}/${which}`, {
      token,
      headers: json,
      body: JSON.stringify({ ...body, to: receiver }),
    })
  const row = () => server.store.reads.transaction('one' as RelayerId, id as TransactionId)
  expectFailure(await replaceAs(other), 401, 'Unauthorized', 'SCOPE_MISSING')
  expect((await row())?.earlier).toBeUndefined()
  expectSuccess(await replaceAs(sender))
  expectSuccess(await replaceAs(canceler))
  expect((await row())?.earlier).toHaveLength(2)
  // Nobody is on record as its sender.
  expectFailure(await replaceAs(sender, 'submitted'), 401, 'Unauthorized', 'SCOPE_MISSING')
  expectSuccess(await replaceAs(canceler, 'submitted'))
})

test('a transaction keeps at most 64 earlier payloads: a PUT beyond that is refused, and changes nothing', async () => {
  const { id } = (await server.send('one', { to: receiver, value: '1', hold: true })).body.data
  for (let put = 1; put <= 64; put += 1) expectSuccess(await replace(id, { ...body, value: String(put) }))
  const refused = await replace(id, { ...body, value: '65' })
  expect([refused.status, refused.headers['relayer-error-code']]).toEqual([400, 'TOO_MANY_REPLACEMENTS'])
  const row = await server.store.reads.transaction('one' as RelayerId, id as TransactionId)
  expect(row).toMatchObject({ payload: { value: 64n }, lifecycle: { phase: 'held' } })
  expect(row?.earlier).toHaveLength(64)
  expectSuccess(await server.ask('DELETE', `/api/v1/relayers/one/transactions/${id}`))
})

test('and at most 256 KiB of them together, as signed', async () => {
  const large = { to: receiver, value: '1', data: `0x${'5b'.repeat(127 * 1_024)}`, hold: true }
  const { id } = (await server.send('one', large)).body.data
  expectSuccess(await replace(id, large))
  expectSuccess(await replace(id, large))
  const refused = await replace(id, body)
  expect([refused.status, refused.headers['relayer-error-code']]).toEqual([400, 'TOO_MANY_REPLACEMENTS'])
  const row = await server.store.reads.transaction('one' as RelayerId, id as TransactionId)
  expect(row?.earlier).toHaveLength(2)
})

test('each transaction of a batch belongs to the key that sent it', async () => {
  const batch = await server.ask('POST', '/api/v1/relayers/one/transactions/batch', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ transactions: [body, body] }),
  })
  for (const { id } of batch.body.data) {
    const row = await server.store.reads.transaction('one' as RelayerId, id as TransactionId)
    expect(row?.createdBy).toBe('administrator')
  }
})
