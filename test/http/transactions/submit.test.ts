// POST of a transaction: what is taken, what is stored, and what is refused with which words.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { administratorId } from '../../../src/domain/api-key.ts'
import { giveUpsMax } from '../../../src/domain/give-up.ts'
import type { RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { address, receiver, relayer } from '../support/rows.ts'
import { type Serving, serve } from '../support/serve.ts'

let server: Serving
beforeAll(async () => {
  server = await serve()
})
afterAll(() => server[Symbol.asyncDispose]())

const minimal = { to: receiver, value: '1' }
const send = (body: object) => server.send('one', body)

async function payloadOf(body: object) {
  const answer = await send(body)
  expectSuccess(answer)
  const row = await server.store.reads.transaction('one' as RelayerId, answer.body.data.id as TransactionId)
  return row?.payload
}

test('the least: durable when it is answered, at speed fast', async () => {
  const answer = await send(minimal)
  expectSuccess(answer)
  expect(answer.body.data).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    relayer_id: 'one',
    status: 'pending',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    from: address,
    to: receiver,
    value: '1',
    data: '0x',
    speed: { name: 'fast' },
  })
  const again = await server.ask('GET', `/api/v1/relayers/one/transactions/${answer.body.data.id}`)
  expect(again.body.data).toEqual(answer.body.data)
  expect(server.woken).toContain('one')
})

test('the most', async () => {
  const answer = await send({
    to: receiver.toLowerCase(),
    value: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
    data: '0xABCDef',
    gas_limit: 123_456,
    max_fee_per_gas: '30000000000',
    max_priority_fee_per_gas: 1_000_000_000,
    valid_until: '2999-12-31T23:59:59.5+01:00',
  })
  expectSuccess(answer)
  expect(answer.body.data).toMatchObject({
    to: receiver,
    value: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
    data: '0xabcdef',
    gas_limit: 123_456,
    max_fee_per_gas: '30000000000',
    max_priority_fee_per_gas: '1000000000',
  })
  expect(answer.body.data).not.toHaveProperty('speed')
  const row = await server.store.reads.transaction('one' as RelayerId, answer.body.data.id as TransactionId)
  expect(row?.validUntil).toBe(Date.UTC(2999, 11, 31, 22, 59, 59, 500))
})

test.each([
  ['speed as an object', { speed: { name: 'safeLow' } }, { kind: 'speed', speed: 'safeLow' }],
  ['speed as a string', { speed: 'fastest' }, { kind: 'speed', speed: 'fastest' }],
  ['a legacy price', { gas_price: '7' }, { kind: 'legacy', gasPrice: 7n }],
  [
    'fees',
    { max_fee_per_gas: 9, max_priority_fee_per_gas: '9' },
    { kind: 'eip1559', maxFeePerGas: 9n, maxPriorityFeePerGas: 9n },
  ],
])('%s', async (_, fees, pricing) => {
  expect(await payloadOf({ ...minimal, ...fees })).toMatchObject({ pricing })
})

const key = `0x${'Ab'.repeat(32)}`

test('an access list is kept, shown, and read again', async () => {
  const access_list = [
    { address: receiver.toLowerCase(), storage_keys: [key, `0x${'0'.repeat(64)}`] },
    { address: receiver, storage_keys: [] },
  ]
  const answer = await send({ ...minimal, gas_price: '7', access_list })
  expectSuccess(answer)
  expect(answer.body.data.access_list).toEqual([
    { address: receiver, storage_keys: [key.toLowerCase(), `0x${'0'.repeat(64)}`] },
    { address: receiver, storage_keys: [] },
  ])
  const again = await server.ask('GET', `/api/v1/relayers/one/transactions/${answer.body.data.id}`)
  expect(again.body.data).toEqual(answer.body.data)
})

test('an empty access list is one, and none is none', async () => {
  expect(await payloadOf({ ...minimal, access_list: [] })).toMatchObject({ accessList: [] })
  expect(await payloadOf(minimal)).not.toHaveProperty('accessList')
})

test('an access list as long as allowed', async () => {
  const access_list = Array.from({ length: 256 }, () => ({ address: receiver, storage_keys: [key, key, key, key] }))
  expect((await payloadOf({ ...minimal, access_list }))?.accessList).toHaveLength(256)
})

test('a contract creation has data and no receiver', async () => {
  expect(await payloadOf({ value: 0, data: '0x6000' })).not.toHaveProperty('to')
})

test('an address in one case needs no checksum', async () => {
  const upper = `0x${receiver.slice(2).toUpperCase()}`
  expect(await payloadOf({ ...minimal, to: upper })).toMatchObject({ to: receiver })
})

test('gas_limit of null is none', async () => {
  expect(await payloadOf({ ...minimal, gas_limit: null })).not.toHaveProperty('gasLimit')
})

test('what a client sent is kept in its order', async () => {
  const ids: string[] = []
  for (let count = 0; count < 3; count++) ids.push((await server.send('two', minimal)).body.data.id)
  const listed = await server.ask('GET', '/api/v1/relayers/two/transactions')
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
})

describe('an amount as a number', () => {
  test.each([
    ['9007199254740993', '9007199254740993'],
    ['1000000000000000001', '1000000000000000001'],
    ['1e+21', '1000000000000000000000'],
    ['1.5E21', '1500000000000000000000'],
    ['1.05e23', '105000000000000000000000'],
    ['12345678901234567.0', '12345678901234567'],
    ['  7e0', '7'],
    [(2n ** 256n - 1n).toString(), (2n ** 256n - 1n).toString()],
  ])('%s keeps every digit', async (literal, value) => {
    const body = `{"to":"${receiver}","value":${literal}}`
    const headers = { 'content-type': 'application/json' }
    const answer = await server.ask('POST', '/api/v1/relayers/one/transactions', { headers, body })
    expectSuccess(answer)
    expect(answer.body.data.value).toBe(value)
  })

  test.each([
    '9007199254740993.5',
    '-9007199254740993',
    '1e400',
    (2n ** 256n).toString(),
    `1${'0'.repeat(100)}`,
    '1.5',
    '-0.5e1',
  ])('%s is refused', async (literal) => {
    const body = `{"to":"${receiver}","value":${literal}}`
    const headers = { 'content-type': 'application/json' }
    const answer = await server.ask('POST', '/api/v1/relayers/one/transactions', { headers, body })
    expectFailure(answer, 400, answer.body.message, 'INVALID_REQUEST')
    expect(answer.body.message).toMatch(/^value: /)
  })
})

const entry = { address: receiver, storage_keys: [] }
const amount = 'wei as a decimal string, such as "1000000000000000000", or as an integer'
const addressForm = 'an address: 0x and 40 hex digits, in one case or with its EIP-55 checksum; none creates a contract'
const timeForm = 'a time by RFC 3339, such as "2030-01-31T12:00:00Z"'
const speedForm =
  'one of safeLow, average, fast, fastest, as {"name": "fast"} or as the bare string; fast when no fee is given'

describe('refusals name field, value and fix', () => {
  test.each<[object, string]>([
    [{ to: receiver }, `value: is missing; send ${amount}`],
    [{ value: '1' }, 'to: is missing; send an address, or data to create a contract with'],
    [{ value: '0x10', to: receiver }, `value: "0x10" is not ${amount}; hex is not taken`],
    [{ value: 1.5, to: receiver }, `value: 1.5 is not ${amount}`],
    [{ value: -1, to: receiver }, `value: -1 is not ${amount}`],
    [{ value: '-1', to: receiver }, `value: "-1" is not ${amount}`],
    [{ value: '', to: receiver }, `value: "" is not ${amount}`],
    [{ value: '1 ', to: receiver }, `value: "1 " is not ${amount}`],
    [{ value: true, to: receiver }, `value: true is not ${amount}`],
    [{ value: null, to: receiver }, `value: is missing; send ${amount}`],
    [
      { value: (2n ** 256n).toString(), to: receiver },
      'value: "115792089237316195423570985008687907853… is not an amount below 2^256 wei; send a smaller one',
    ],
    [{ ...minimal, to: '0x1234' }, `to: "0x1234" is not ${addressForm}`],
    [{ ...minimal, to: 'vitalik.eth' }, `to: "vitalik.eth" is not ${addressForm}`],
    [{ ...minimal, to: null }, 'to: is missing; send an address, or data to create a contract with'],
    [
      { ...minimal, to: receiver.replace('C', 'c') },
      `to: "${receiver.replace('C', 'c')}" is not right by its EIP-55 checksum; check it for a typo, or send it in lower case`,
    ],
    [{ ...minimal, data: 'abcd' }, 'data: "abcd" is not bytes in hex: 0x and an even number of digits'],
    [{ ...minimal, data: '0xabc' }, 'data: "0xabc" is not bytes in hex: 0x and an even number of digits'],
    [
      { ...minimal, gas_limit: 20_999 },
      'gas_limit: 20999 is not gas units as an integer from 21000, or nothing to have it estimated',
    ],
    [
      { ...minimal, gas_limit: '21000' },
      'gas_limit: "21000" is not gas units as an integer from 21000, or nothing to have it estimated',
    ],
    [{ ...minimal, speed: 'warp' }, `speed: "warp" is not ${speedForm}`],
    [{ ...minimal, speed: { name: 'fast', extra: 1 } }, `speed: {"name":"fast","extra":1} is not ${speedForm}`],
    [{ ...minimal, gas_price: '0x1' }, `gas_price: "0x1" is not ${amount}; hex is not taken`],
    [
      { ...minimal, gas_price: '1', max_fee_per_gas: '1' },
      "max_fee_per_gas: can't stand beside gas_price; send one of them",
    ],
    [{ ...minimal, gas_price: '1', speed: 'fast' }, "speed: can't stand beside gas_price; send one of them"],
    [
      { ...minimal, max_fee_per_gas: '1', max_priority_fee_per_gas: '1', speed: 'fast' },
      "speed: can't stand beside max_fee_per_gas; send one of them",
    ],
    [
      { ...minimal, max_fee_per_gas: '1' },
      'max_priority_fee_per_gas: is missing beside max_fee_per_gas; send both or neither',
    ],
    [
      { ...minimal, max_priority_fee_per_gas: '1' },
      'max_fee_per_gas: is missing beside max_priority_fee_per_gas; send both or neither',
    ],
    [
      { ...minimal, max_fee_per_gas: '1', max_priority_fee_per_gas: '2' },
      'max_priority_fee_per_gas: "2" is not at most max_fee_per_gas ("1"); send a lower tip',
    ],
    [{ ...minimal, valid_until: 'tomorrow' }, `valid_until: "tomorrow" is not ${timeForm}`],
    [{ ...minimal, valid_until: '2999-02-30T00:00:00Z' }, `valid_until: "2999-02-30T00:00:00Z" is not ${timeForm}`],
    [{ ...minimal, valid_until: '2999-01-01' }, `valid_until: "2999-01-01" is not ${timeForm}`],
    [{ ...minimal, valid_until: '2999-01-01T00:00:00' }, `valid_until: "2999-01-01T00:00:00" is not ${timeForm}`],
    [{ ...minimal, valid_until: '2001-01-01T00:00:00Z' }, 'valid_until: lies in the past; send a later time, or none'],
    [
      { ...minimal, access_list: {} },
      'access_list: {} is not an array of at most 256 objects of address and storage_keys (EIP-2930)',
    ],
    [{ ...minimal, access_list: [entry, 'all'] }, 'access_list[1]: "all" is not an object of address and storage_keys'],
    [
      { ...minimal, access_list: [{ address: receiver }] },
      'access_list[0].storage_keys: is missing; send at most 1024 storage keys, as an array',
    ],
    [
      { ...minimal, access_list: [entry, { ...entry, storageKeys: [] }] },
      'access_list[1].storageKeys: is not accepted here; send only address, storage_keys',
    ],
    [
      { ...minimal, access_list: [entry, entry, { ...entry, address: '0x12' }] },
      'access_list[2].address: "0x12" is not an address: 0x and 40 hex digits, in one case or with its EIP-55 checksum',
    ],
    [
      { ...minimal, access_list: [entry, { ...entry, address: receiver.replace('C', 'c') }] },
      `access_list[1].address: "${receiver.replace('C', 'c')}" is not right by its EIP-55 checksum; check it for a typo, or send it in lower case`,
    ],
    [
      { ...minimal, access_list: [{ ...entry, storage_keys: [`0x${'0'.repeat(64)}`, '0x1'] }] },
      'access_list[0].storage_keys[1]: "0x1" is not a storage key: 0x and 64 hex digits; fill a shorter one with zeros on the left',
    ],
    [
      { ...minimal, nonce: 1 },
      'nonce: is not accepted here; send only to, value, data, gas_limit, speed, gas_price, max_fee_per_gas, max_priority_fee_per_gas, access_list, valid_until',
    ],
  ])('%j', async (body, message) => {
    const before = await server.store.reads.counts('one' as RelayerId)
    expectFailure(await send(body), 400, message, 'INVALID_REQUEST')
    expect(await server.store.reads.counts('one' as RelayerId)).toEqual(before)
  })

  test('an access list of too many entries, or of too many keys', async () => {
    const many = Array.from({ length: 257 }, () => entry)
    const message =
      'access_list: has 257 items; send an array of at most 256 objects of address and storage_keys (EIP-2930)'
    expectFailure(await send({ ...minimal, access_list: many }), 400, message, 'INVALID_REQUEST')
    const wide = Array.from({ length: 205 }, () => ({ ...entry, storage_keys: [key, key, key, key, key] }))
    const tooWide = 'access_list: holds 1025 storage keys; send at most 1024, those that the call reads first'
    expectFailure(await send({ ...minimal, access_list: wide }), 400, tooWide, 'INVALID_REQUEST')
  })

  test('a long value is cut', async () => {
    const answer = await send({ ...minimal, data: `0x${'z'.repeat(10_000)}` })
    expect(answer.body.message.length).toBeLessThan(150)
  })
})

describe('refusals of the relayer', () => {
  test('unknown', async () => {
    expectFailure(await server.send('a%22b', minimal), 404, 'Relayer with ID a"b not found', 'RELAYER_NOT_FOUND')
  })

  test('paused', async () => {
    await using own = await serve()
    await own.store.commit((session) => session.saveRelayer(relayer('one', { paused: true })))
    const answer = await own.send('one', minimal)
    expectFailure(answer, 400, 'relayer "one" is paused and takes no new transactions', 'RELAYER_PAUSED')
  })

  test('a fee above the cap', async () => {
    await using own = await serve()
    const { policies } = relayer('one')
    await own.store.commit((session) =>
      session.saveRelayer(relayer('one', { policies: { ...policies, gasPriceCap: 5n } })),
    )
    const answer = await own.send('one', { ...minimal, gas_price: '6' })
    expect(answer.body.message).toContain('gas_price: 6 is above')
    expectFailure(answer, 400, answer.body.message, 'POLICY_VIOLATION')
  })

  test('a full queue says when to come back', async () => {
    await using own = await serve({ queueMax: 1 })
    expectSuccess(await own.send('one', minimal))
    const answer = await own.send('one', minimal)
    expectFailure(answer, 429, answer.body.message, 'QUEUE_FULL')
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  })

  test('a key whose sends every node refuses says so, and when to come back', async () => {
    await using own = await serve()
    for (let given = 1; given <= giveUpsMax; given += 1) {
      const { body } = await own.send('one', minimal)
      await own.store.commit((session) =>
        session.recordGiveUp('one' as RelayerId, { keyId: administratorId, transactionId: body.data.id }, Date.now()),
      )
    }
    const answer = await own.send('one', minimal)
    expect(answer.body.message).toContain('every node refused 16 transactions of this API key')
    expectFailure(answer, 429, answer.body.message, 'TOO_MANY_REFUSED')
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  })
})
