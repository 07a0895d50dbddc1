// The operations that the dashboard reads: overview, nonces, traces, search and daily gas, each within the sight of its key.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TransactionId } from '../../../src/domain/ids.ts'
import { withWait } from '../../../src/domain/wait.ts'
import { expectSuccess } from '../support/expectations.ts'
import { address, attempt, inclusion, put, putEveryPhase, receiver, relayer, transaction } from '../support/rows.ts'
import { type Serving, serve } from '../support/serve.ts'

const mined = `0x${'ab'.repeat(32)}`
let server: Serving
beforeAll(async () => {
  server = await serve({
    chain: {
      price: () => ({ perGas: 25_001_500_000n, block: 17, readAt: 1_800_000_000_000 }),
      read: async ({ params }) => ({ value: params[0] === mined ? { from: address, nonce: '0x0' } : null }),
    },
  })
  await putEveryPhase(server.store)
  const { policies } = relayer('one')
  await server.store.commit((session) =>
    session.saveRelayer(relayer('one', { policies: { ...policies, gasPriceCap: 2_000_000_000n } })),
  )
  const own = {
    ...attempt('stuck' as TransactionId, 0x9000, 'execute', 40),
    broadcast: {
      state: 'handed',
      outcome: { kind: 'rejected', code: 'feeTooLow', message: 'fee too low' },
      at: 0,
      rejections: 'all',
    },
  } as const
  const stuck = transaction('stuck', { phase: 'inFlight', nonce: 40, attempts: [own] })
  const offer = { perGas: 5_000_000_000n, hasRoom: true }
  const facts = { of: 'attempt', cap: 2_000_000_000n, offer, nonce: 40, since: 90 } as const
  await put(server.store, withWait(stuck, { condition: 'gas_price_cap', facts }, 1_800_000_000_000))
})
afterAll(() => server[Symbol.asyncDispose]())

const read = async (path: string, token?: string) => {
  const answer = await server.ask('GET', `/api/v1${path}`, token === undefined ? {} : { token })
  expectSuccess(answer)
  return answer.body.data
}

const stuckWait = {
  condition: 'gas_price_cap',
  facts: { of: 'attempt', cap: '2000000000', offer: { per_gas: '5000000000', has_room: true }, nonce: 40, since: 90 },
  text: expect.stringMatching(/^waits at gas_price_cap \(2 gwei\)/),
  since: '2027-01-15T08:00:00.000Z',
  runbook: '/docs/runbook.md#gas_price_cap',
}

test('the nonces of a relayer show why each waits, with the facts', async () => {
  const shown = await read('/relayers/one/nonces?from=40')
  expect(shown).toMatchObject([{ transaction: { id: 'stuck' }, wait: stuckWait }])
})

test('the overview names the transaction that holds the others up', async () => {
  const [one, two] = await read('/overview')
  expect(one).toMatchObject({
    id: 'one',
    in_flight: expect.any(Number),
    held_up: { id: 'stuck', nonce: 40, wait: stuckWait },
    oldest: { created_at: expect.any(String) },
    gas_price_cap: '2000000000',
    network_price: { per_gas: '25001500000', block_number: 17, read_at: '2027-01-15T08:00:00.000Z' },
  })
  expect(two).toEqual({
    id: 'two',
    name: 'Relayer two',
    network: 'localhost',
    address: receiver,
    paused: false,
    state: 'unobserved',
    conditions: [],
    queued: 0,
    in_flight: 0,
    mined: 0,
    racing: 0,
    warnings: [],
    network_price: one.network_price,
  })
})

test('the nonces come lowest first, with attempts, blocks and fees', async () => {
  const traces = await read('/relayers/one/nonces?from=0')
  const nonces = traces.map((trace: { transaction: { nonce: number } }) => trace.transaction.nonce)
  expect(nonces).toEqual([...nonces].sort((left: number, right: number) => left - right))
  expect(traces[0]).toMatchObject({
    transaction: { id: 'confirmed' },
    final: true,
    inclusion: { spender: 'payload', block_number: 100, fees: String(21_000n * 2_000_000_000n) },
    attempts: [{ kind: 'execute', recorded_at_block: 90 }],
  })
  expect(traces[0].attempts[0]).not.toHaveProperty('always_rejected')
  expect(traces.at(-1)).toMatchObject({ transaction: { nonce: 40 }, attempts: [{ always_rejected: true }] })
})

test('a trace has the verdict of a canceled transaction', async () => {
  await put(server.store, transaction('unwanted', { phase: 'queued' }))
  await server.ask('DELETE', '/api/v1/relayers/one/transactions/unwanted')
  expect(await read('/relayers/one/transactions/unwanted/trace')).toMatchObject({
    transaction: { status: 'canceled' },
    cancellation: { state: 'dropped', final: true },
    attempts: [],
  })
})

test('the list of traces has waits and verdicts, and the query and the transactions of the list', async () => {
  await put(server.store, transaction('behind', { phase: 'queued' }))
  await server.ask('DELETE', '/api/v1/relayers/one/transactions/submitted')
  const listed = await server.ask('GET', '/api/v1/relayers/one/transactions?per_page=100')
  const traced = await server.ask('GET', '/api/v1/relayers/one/traces?per_page=100')
  expect(traced.body.pagination).toEqual(listed.body.pagination)
  expect(traced.body.data.map((trace: { transaction: object }) => trace.transaction)).toEqual(listed.body.data)
  const of = (id: string) =>
    traced.body.data.find((trace: { transaction: { id: string } }) => trace.transaction.id === id)
  expect(of('stuck')).toEqual({ transaction: expect.objectContaining({ status: 'submitted' }), wait: stuckWait })
  expect(of('submitted')).toMatchObject({ cancellation: { state: 'racing', final: false, safe_to_retry: false } })
  expect(Object.keys(of('behind'))).toEqual(['transaction'])
  const canceled = await read('/relayers/one/traces?status=CANCELED&per_page=1')
  expect(canceled).toMatchObject([{ transaction: { id: 'unwanted' }, cancellation: { state: 'dropped', final: true } }])
  expect((await server.ask('GET', '/api/v1/relayers/one/traces?page=0')).status).toBe(400)
  expect((await server.ask('GET', '/api/v1/relayers/nobody/traces')).status).toBe(404)
})

test.each([
  ['the id of a transaction', 'confirmed', [{ relayer_id: 'one', transaction_id: 'confirmed' }]],
  ['the id of a relayer', 'two', [{ relayer_id: 'two' }]],
  ['the address of a relayer, in any case', receiver.toLowerCase(), [{ relayer_id: 'two' }]],
  [
    'the hash of an open attempt',
    attempt('stuck' as TransactionId, 0x9000).hash,
    [{ relayer_id: 'one', transaction_id: 'stuck' }],
  ],
  ['the hash of a mined transaction', mined, [{ relayer_id: 'one', transaction_id: 'confirmed' }]],
  ['a hash that nobody has', `0x${'cd'.repeat(32)}`, []],
  ['anything else', '<script>alert(1)</script>', []],
])('a search finds %s', async (_, query, found) => {
  expect(await read(`/search?query=${encodeURIComponent(query)}`)).toEqual(found)
})

test('the spending of a day is added when a transaction becomes final', async () => {
  const own = attempt('fresh' as TransactionId, 0x7000, 'execute', 41)
  const before = await put(server.store, transaction('fresh', { phase: 'inFlight', nonce: 41, attempts: [own] }))
  const now = Date.now()
  const lifecycle = {
    phase: 'final',
    nonce: 41,
    attempts: [own],
    inclusion: inclusion(own),
    finalAt: now,
    witnesses: 1,
  } as const
  await server.store.commit((session) => session.saveTransaction(before, { ...before, lifecycle }, now))
  expect(await read('/daily-spend?days=1')).toEqual([
    {
      day: new Date(now).toISOString().slice(0, 10),
      relayer_id: 'one',
      transactions: 1,
      no_ops: 0,
      unpriced: 0,
      fees: String(21_000n * 2_000_000_000n),
      spent: String(21_000n * 2_000_000_000n + before.payload.value),
    },
  ])
})

test('a key for another relayer finds and sees nothing of this one', async () => {
  const body = JSON.stringify({ name: 'two only', scopes: ['read'], relayers: ['two'] })
  const made = await server.ask('POST', '/api/v1/api-keys', { headers: { 'content-type': 'application/json' }, body })
  const { key } = made.body.data
  expect((await read('/overview', key)).map(({ id }: { id: string }) => id)).toEqual(['two'])
  expect(await read('/search?query=confirmed', key)).toEqual([])
  expect(await read('/search?query=one', key)).toEqual([])
  expect(await read('/daily-spend', key)).toEqual([])
  expect((await server.ask('GET', '/api/v1/relayers/one/nonces', { token: key })).status).toBe(401)
  expect((await server.ask('GET', '/api/v1/relayers/one/traces', { token: key })).status).toBe(401)
})
