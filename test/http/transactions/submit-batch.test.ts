// POST of many transactions: all or none, in order, and a refusal that names every bad item.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { at, receiver, relayer } from '../support/rows.ts'
import { type Asking, type Serving, serve } from '../support/serve.ts'

let server: Serving
beforeAll(async () => {
  server = await serve()
})
afterAll(() => server[Symbol.asyncDispose]())

const good = { to: receiver, value: '1' }

const post = (on: Serving, relayerId: string, body: unknown, headers: Asking['headers'] = {}) =>
  on.ask('POST', `/api/v1/relayers/${relayerId}/transactions/batch`, {
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const sends = (count: number) => Array.from({ length: count }, (_, index) => ({ ...good, value: String(index) }))
const total = async (on: Serving, relayerId: string) =>
  (await on.store.reads.transactions(relayerId as RelayerId, {}, { page: 1, perPage: 1 })).total

test('500 at once: durable, in order, next to each other', async () => {
  const before = await server.send('one', good)
  const answer = await post(server, 'one', { transactions: sends(500) })
  expectSuccess(answer)
  expect(answer.body.pagination).toEqual({ current_page: 1, per_page: 500, total_items: 500 })
  expect(answer.body.data.map(({ value }: { value: string }) => Number(value))).toEqual([...Array(500).keys()])
  const after = await server.send('one', good)
  const stored = await Promise.all(
    [before.body.data, ...answer.body.data, after.body.data].map(({ id }: { id: string }) =>
      server.store.reads.transaction('one' as RelayerId, id as TransactionId),
    ),
  )
  const first = stored[0]?.sequence ?? 0
  expect(stored.map((each) => each?.sequence)).toEqual(stored.map((_, index) => first + index))
  const shown = await server.ask('GET', `/api/v1/relayers/one/transactions/${answer.body.data[7].id}`)
  expect(shown.body.data).toEqual(answer.body.data[7])
  expect(server.woken).toContain('one')
})

test('a batch among many single sends: each has a place of its own', async () => {
  const [batch, ...singles] = await Promise.all([
    post(server, 'two', { transactions: sends(50) }),
    ...Array.from({ length: 50 }, () => server.send('two', good)),
    post(server, 'two', { transactions: sends(50) }),
  ])
  for (const answer of [batch, ...singles]) expectSuccess(answer as typeof batch)
  const { items } = await server.store.reads.transactions('two' as RelayerId, {}, { page: 1, perPage: 200 })
  expect(new Set(items.map(({ sequence }) => sequence)).size).toBe(150)
  const own = new Set(batch?.body.data.map(({ id }: { id: string }) => id))
  const places = items.filter(({ id }) => own.has(id)).map(({ sequence }) => sequence)
  expect(Math.max(...places) - Math.min(...places)).toBe(49)
})

describe('none is stored, and every bad item is named', () => {
  test('in its form', async () => {
    const before = await total(server, 'one')
    const transactions: (object | null)[] = sends(30)
    transactions[3] = { to: receiver, value: '0x' }
    transactions[7] = { to: receiver }
    transactions[9] = { ...good, gaslimit: 1 }
    transactions[12] = null
    const answer = await post(server, 'one', { transactions })
    expect([answer.status, answer.headers['relayer-error-code']]).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.body.message.split('\n')).toEqual([
      expect.stringMatching(/^transactions\[3\]\.value: "0x" is not wei as a decimal string.* 1 to 64 digits$/),
      expect.stringMatching(/^transactions\[7\]\.value: is missing; send wei as a decimal string/),
      expect.stringMatching(/^transactions\[9\]\.gaslimit: is not accepted here; did you mean "gas_limit"\?/),
      expect.stringMatching(/^transactions\[12\]: null is not a transaction as an object/),
    ])
    expect(await total(server, 'one')).toBe(before)
  })

  test('in its meaning', async () => {
    const transactions = [good, { value: '1' }, { ...good, gas_price: '1', speed: 'fast' }, good]
    const answer = await post(server, 'one', { transactions })
    expect(answer.body.message.split('\n')).toEqual([
      'transactions[1].to: is missing; send an address, or data to create a contract with',
      "transactions[2].speed: can't stand beside gas_price; send one of them",
    ])
  })

  test('by the policies', async () => {
    await using other = await serve()
    await other.store.commit(async (session) => {
      const policies = { minBalance: 0n, maxInFlight: 16, eip1559Pricing: true, valueCap: 20n }
      await session.saveRelayer(relayer('one', { policies }))
    })
    const answer = await post(other, 'one', { transactions: sends(40) })
    expect([answer.status, answer.headers['relayer-error-code']]).toEqual([400, 'POLICY_VIOLATION'])
    const lines = answer.body.message.split('\n')
    expect(lines[0]).toMatch(
      /^transactions\[21\]\.value: 0\.000000021 gwei is above the relayer's value_cap of 0\.00000002 gwei/,
    )
    expect(lines.slice(10)).toEqual(['and 9 more of them'])
    expect(await total(other, 'one')).toBe(0)
    // The place in the order that the refused ones had taken was given back with them.
    const { id } = (await other.send('one', good)).body.data
    expect((await other.store.reads.transaction('one' as RelayerId, id))?.sequence).toBe(1)
  })

  test('with too little gas', async () => {
    const data = `0x${'ff'.repeat(10)}`
    const transactions = [good, { ...good, data, gas_limit: 21_399 }, { ...good, data, gas_limit: 21_400 }]
    const answer = await post(server, 'one', { transactions })
    const reported =
      'transactions[1].gas_limit: 21399 is below the intrinsic gas of this transaction, 21400 (by base 21000, floor 10, new_account 0, see gas_rules of the network); send 21400 or more, or none to have it estimated'
    expectFailure(answer, 400, reported, 'GAS_LIMIT_TOO_LOW')
  })

  test('expired before it is sent', async () => {
    const earlier = new Date(at - 1).toISOString()
    const answer = await post(server, 'one', { transactions: [good, { ...good, valid_until: earlier }] })
    const reported = 'transactions[1].valid_until: lies in the past; send a later time, or none'
    expectFailure(answer, 400, reported, 'INVALID_REQUEST')
  })

  test.each<[string, unknown, RegExp]>([
    ['nothing', {}, /^transactions: is missing; send a list of 1 to 500 transactions/],
    ['an empty list', { transactions: [] }, /^transactions: \[\] is not a list of 1 to 500 transactions/],
    ['501', { transactions: sends(501) }, /^transactions: has 501 items; send a list of 1 to 500 transactions/],
    ['no list', { transactions: good }, /^transactions: .* is not a list of 1 to 500 transactions/],
    ['no objects', { transactions: [good, 7] }, /^transactions\[1\]: 7 is not a transaction as an object/],
    ['a bare list', [good], /^body: .* is not a JSON object/],
  ])('%s', async (_, body, reported) => {
    const answer = await post(server, 'one', body)
    expect([answer.status, answer.headers['relayer-error-code']]).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.body.message).toMatch(reported)
  })

  test('a relayer that is not there, and one that is paused', async () => {
    const unknown = await post(server, 'nobody', { transactions: [good] })
    expectFailure(unknown, 404, 'Relayer with ID nobody not found', 'RELAYER_NOT_FOUND')
    await using other = await serve()
    await other.store.commit((session) => session.saveRelayer(relayer('one', { paused: true })))
    const paused = await post(other, 'one', { transactions: [good, good] })
    expectFailure(paused, 400, 'relayer "one" is paused and takes no new transactions', 'RELAYER_PAUSED')
  })

  test('where not all of them fit into the queue', async () => {
    await using other = await serve({ queueMax: 10 })
    expectSuccess(await post(other, 'one', { transactions: sends(7) }))
    const answer = await post(other, 'one', { transactions: sends(4) })
    expect([answer.status, answer.headers['relayer-error-code']]).toEqual([429, 'QUEUE_FULL'])
    expect(answer.body.message).toContain('has room for 3 of these 4')
    expectSuccess(await post(other, 'one', { transactions: sends(3) }))
    expect(await total(other, 'one')).toBe(10)
  })
})

test('a body of 4 MiB is taken, and no larger one', async () => {
  const filled = (count: number) => ({
    transactions: Array(count).fill({ ...good, data: `0x${'00'.repeat(130_000)}` }),
  })
  expectSuccess(await post(server, 'one', filled(16)))
  expect((await post(server, 'one', filled(17))).headers['relayer-error-code']).toBe('BODY_TOO_LARGE')
  const { transactions } = filled(2)
  expect((await server.send('one', transactions)).headers['relayer-error-code']).toBe('BODY_TOO_LARGE')
})

test('one idempotency key covers all of them', async () => {
  const headers = { 'idempotency-key': 'batch-1' }
  const before = await total(server, 'one')
  const answers = await Promise.all([1, 2, 3].map(() => post(server, 'one', { transactions: sends(20) }, headers)))
  for (const answer of answers) expectSuccess(answer)
  const ids = answers.map(({ body }) => body.data.map(({ id }: { id: string }) => id))
  expect(ids[1]).toEqual(ids[0])
  expect(ids[2]).toEqual(ids[0])
  expect(answers.filter(({ headers: reported }) => reported['idempotency-replayed'] === 'true')).toHaveLength(2)
  expect(await total(server, 'one')).toBe(before + 20)
  const other = await post(server, 'one', { transactions: sends(19) }, headers)
  expect(other.headers['relayer-error-code']).toBe('IDEMPOTENCY_KEY_REUSED')
  expect(await total(server, 'one')).toBe(before + 20)
})
