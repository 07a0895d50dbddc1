// POST of a transaction: accepted members, stored rows, and refusals with their words.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { administratorId } from '../../../src/domain/api-key.ts'
import { giveUpsMax } from '../../../src/domain/give-up.ts'
import type { RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import { someMarket } from '../../domain/some.ts'
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

describe('what clients of other relayers send', () => {
  test.each([
    ['0x0', '0'],
    ['0x00', '0'],
    ['0xDe0b6b3a7640000', '1000000000000000000'],
    [`0x${'f'.repeat(64)}`, (2n ** 256n - 1n).toString()],
  ])('a value of %s', async (value, shown) => {
    const answer = await send({ to: receiver, value })
    expectSuccess(answer)
    expect(answer.body.data.value).toBe(shown)
  })

  test('its SDK and plain HTTP: value "0x0" with data and a speed', async () => {
    expect(await payloadOf({ to: receiver, data: '0xd0e30db0', value: '0x0', speed: 'fast' })).toEqual({
      ...{ from: address, to: receiver, value: 0n, data: '0xd0e30db0' },
      pricing: { kind: 'speed', speed: 'fast' },
    })
  })

  test.each([
    ['', '0x'],
    ['0x', '0x'],
    ['ABcd', '0xabcd'],
    ['0xABcd', '0xabcd'],
  ])('data of "%s"', async (data, stored) => {
    expect(await payloadOf({ ...minimal, data })).toMatchObject({ data: stored })
  })

  test('the code of a contract without 0x', async () => {
    const payload = await payloadOf({ value: 0, data: '6000' })
    expect(payload).toMatchObject({ data: '0x6000' })
    expect(payload).not.toHaveProperty('to')
  })

  test('one request in two spellings is one under its key', async () => {
    const headers = { 'idempotency-key': 'two-spellings', 'content-type': 'application/json' }
    const ask = (body: object) =>
      server.ask('POST', '/api/v1/relayers/one/transactions', { headers, body: JSON.stringify(body) })
    const first = await ask({ ...minimal, value: '0x0a', data: 'AB' })
    const second = await ask({ ...minimal, value: '10', data: '0xab' })
    expectSuccess(first)
    expect(second.body.data.id).toBe(first.body.data.id)
  })
})

describe('members that have no effect', () => {
  const ignored = {
    ...{ gasLimit: '0x5208', gas: { any: 'thing' } },
    ...{ from: address.toLowerCase(), chainId: '0x7a69', chain_id: 31_337 },
  }

  test('pass, and are named in the response; a key and a member are one line of the log', async () => {
    await using own = await serve()
    for (const repeated of [false, true]) {
      const answer = await own.send('one', { ...minimal, ...ignored })
      expectSuccess(answer)
      expect(answer.body.data).not.toHaveProperty('gas_limit')
      expect(answer.body.metadata.logs.map(({ message }: { message: string }) => message).sort()).toEqual([
        'chainId: has no effect: it is the chain of the relayer',
        'chain_id: has no effect: it is the chain of the relayer',
        'from: has no effect: it is the address of the relayer',
        'gas: has no effect; the member is called gas_limit',
        'gasLimit: has no effect; the member is called gas_limit',
      ])
      const named = own.log.filter(({ message }) => message.startsWith('a send has a member that has no effect'))
      expect([repeated, named.map(({ facts: { member } }) => member).sort()]).toEqual([
        repeated,
        ['chainId', 'chain_id', 'from', 'gas', 'gasLimit'],
      ])
    }
  })

  test('null is absent, and the gas limit of the API counts', async () => {
    const answer = await send({ ...minimal, gasLimit: 1, gas_limit: 30_000, from: null, chainId: null })
    expectSuccess(answer)
    expect(answer.body.data.gas_limit).toBe(30_000)
    expect(answer.body.metadata.logs).toHaveLength(1)
  })

  test.each<[object, RegExp]>([
    [{ from: receiver }, /^from: is 0x70997970C51812dc3A010C7d01b50e0d17dc79C8, and relayer "one" sends from 0xf39F/],
    [{ from: 'me' }, /^from: "me" is not an address/],
    [{ from: address.replace('F', 'f') }, /^from: ".*" is not right by its EIP-55 checksum/],
    [{ chainId: 1 }, /^chainId: is 1, and relayer "one" is on chain 31337; send through another relayer, or leave/],
    [{ chain_id: '0x1' }, /^chain_id: is 1, and relayer "one" is on chain 31337/],
    [{ chainId: 31_337, chain_id: '1' }, /^chain_id: is 1/],
    [{ chainId: 'mainnet' }, /^chainId: "mainnet" is not the id of a chain; leave it out/],
    [{ chainId: 31_337.5 }, /^chainId: 31337.5 is not the id of a chain/],
  ])('those of another account are refused: %j', async (members, message) => {
    const answer = await send({ ...minimal, ...members })
    expect(answer.body.message).toMatch(message)
    expectFailure(answer, 400, answer.body.message, 'INVALID_REQUEST')
  })

  test('the account that a client believes in is no part of its send', async () => {
    const headers = {
      'idempotency-key': 'with and without from'.replaceAll(' ', '-'),
      'content-type': 'application/json',
    }
    const ask = (body: object) =>
      server.ask('POST', '/api/v1/relayers/one/transactions', { headers, body: JSON.stringify(body) })
    const first = await ask({ ...minimal, from: address, chainId: 31_337 })
    expectSuccess(first)
    expect((await ask(minimal)).body.data.id).toBe(first.body.data.id)
    const row = await server.store.reads.transaction('one' as RelayerId, first.body.data.id as TransactionId)
    expect(row?.payload).not.toHaveProperty('believed')
  })

  test('a batch counts them, and names the item that is of another account', async () => {
    const batch = (transactions: object[]) =>
      server.ask('POST', '/api/v1/relayers/one/transactions/batch', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ transactions }),
      })
    const taken = await batch([minimal, { ...minimal, gas: 1 }, { ...minimal, gas: 2, from: address }])
    expectSuccess(taken)
    expect(taken.body.metadata.logs.map(({ message }: { message: string }) => message).slice(1)).toEqual([
      'gas: has no effect; the member is called gas_limit (in 2 of 3 transactions)',
      'from: has no effect: it is the address of the relayer (in 1 of 3 transactions)',
    ])
    expect((await batch([minimal, { ...minimal, from: receiver }])).body.message).toMatch(
      /^transactions\[1\]\.from: is/,
    )
  })

  test('a strict file refuses them', async () => {
    await using own = await serve({ isStrict: true })
    for (const name of Object.keys(ignored)) {
      const answer = await own.send('one', { ...minimal, [name]: address })
      expect(answer.body.message).toMatch(
        new RegExp(`^${name}: is not accepted here; (did you mean "gas_|send only to, )`),
      )
      expectFailure(answer, 400, answer.body.message, 'INVALID_REQUEST')
    }
    expectSuccess(await own.send('one', minimal))
  })

  test('a replacement takes and refuses the same', async () => {
    const { body } = await send(minimal)
    const replace = (payload: object) =>
      server.ask('PUT', `/api/v1/relayers/one/transactions/${body.data.id}`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(payload),
      })
    const replaced = await replace({ ...minimal, value: '0x2', gas: 7, from: address })
    expectSuccess(replaced)
    expect(replaced.body.metadata.logs).toHaveLength(2)
    expect((await replace({ ...minimal, chainId: 1 })).body.message).toMatch(/^chainId: is 1, and relayer/)
  })

  test('the document and the refusals leave them out', async () => {
    const { body } = await server.ask('GET', '/api/v1/openapi.json', { token: null })
    expect(Object.keys(body.components.schemas.SendRequest.properties)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(gasLimit|gas|from|chainId|chain_id)$/)]),
    )
    expect((await send({ ...minimal, other: 1 })).body.message).not.toContain('gasLimit')
  })
})

const entry = { address: receiver, storage_keys: [] }
const amount = 'wei as a decimal string, such as "1000000000000000000", or as an integer'
const valueForm = `${amount}, or in hex: 0x and 1 to 64 digits`
const dataForm = 'bytes in hex: an even number of digits, with 0x or without; empty for a transfer'
const addressForm = 'an address: 0x and 40 hex digits, in one case or with its EIP-55 checksum; none creates a contract'
const timeForm = 'a time by RFC 3339, such as "2030-01-31T12:00:00Z"'
const speedForm =
  'one of safeLow, average, fast, fastest, as {"name": "fast"} or as the bare string; fast when no fee is given'

describe('refusals name field, value and fix', () => {
  test.each<[object, string]>([
    [{ to: receiver }, `value: is missing; send ${valueForm}`],
    [{ value: '1' }, 'to: is missing; send an address, or data to create a contract with'],
    [{ value: 1.5, to: receiver }, `value: 1.5 is not ${valueForm}`],
    [{ value: '-1', to: receiver }, `value: "-1" is not ${valueForm}`],
    ...['0x', '0xg', `0x${'0'.repeat(65)}`, '0X1', '-0x1', '0x1 '].map((value): [object, string] => [
      { value, to: receiver },
      `value: ${JSON.stringify(value).slice(0, 40)}${value.length > 40 ? '…' : ''} is not ${valueForm}`,
    ]),
    [{ value: '0', data: '' }, 'to: is missing; send an address, or data to create a contract with'],
    [{ value: null, to: receiver }, `value: is missing; send ${valueForm}`],
    [
      { value: (2n ** 256n).toString(), to: receiver },
      'value: "115792089237316195423570985008687907853… is not an amount below 2^256 wei; send a smaller one',
    ],
    [{ ...minimal, to: '0x1234' }, `to: "0x1234" is not ${addressForm}`],
    [{ ...minimal, to: null }, 'to: is missing; send an address, or data to create a contract with'],
    [
      { ...minimal, to: receiver.replace('C', 'c') },
      `to: "${receiver.replace('C', 'c')}" is not right by its EIP-55 checksum; check it for a typo, or send it in lower case`,
    ],
    [{ ...minimal, data: 'abc' }, `data: "abc" is not ${dataForm}`],
    [
      { ...minimal, gas_limit: 11_999 },
      'gas_limit: 11999 is not gas units as an integer from 12000, or nothing to have it estimated; the network decides the least',
    ],
    [
      { ...minimal, gas_limit: '21000' },
      'gas_limit: "21000" is not gas units as an integer from 12000, or nothing to have it estimated; the network decides the least',
    ],
    [{ ...minimal, speed: 'warp' }, `speed: "warp" is not ${speedForm}`],
    [{ ...minimal, speed: { name: 'fast', extra: 1 } }, `speed: {"name":"fast","extra":1} is not ${speedForm}`],
    [{ ...minimal, gas_price: '0x1' }, `gas_price: "0x1" is not ${amount}; hex is not taken`],
    [
      { ...minimal, gas_price: '1', max_fee_per_gas: '1' },
      "max_fee_per_gas: can't stand beside gas_price; send one of them",
    ],
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
      'access_list[1].storageKeys: is not accepted here; did you mean "storage_keys"?',
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
      'nonce: is not accepted here; send only to, value, data, gas_limit, speed, gas_price, max_fee_per_gas, max_priority_fee_per_gas, allow_out_of_gas, access_list, valid_until, hold, hold_for, not_before, external_id, tags, note',
    ],
  ])('%j', async (body, message) => {
    const before = await server.store.reads.counts('one' as RelayerId)
    expectFailure(await send(body), 400, message, 'INVALID_REQUEST')
    expect(await server.store.reads.counts('one' as RelayerId)).toEqual(before)
  })

  test.each([
    ['validUntil', 'valid_until'],
    ['valid-until', 'valid_until'],
    ['gas_limits', 'gas_limit'],
    ['maxFeePerGas', 'max_fee_per_gas'],
    ['tos', 'to'],
  ])('%s is refused, with the name that was meant', async (name, meant) => {
    const answer = await send({ ...minimal, [name]: '2999-01-01T00:00:00Z' })
    expectFailure(answer, 400, `${name}: is not accepted here; did you mean "${meant}"?`, 'INVALID_REQUEST')
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
    expect(answer.body.message).toContain('gas_price: 0.000000006 gwei is above')
    expectFailure(answer, 400, answer.body.message, 'POLICY_VIOLATION')
  })

  test('without a cap a price of its own is bounded, in a POST, a batch and a PUT', async () => {
    const gwei = (price: number) => `${price}000000000`
    const tipOf = (price: number) => ({ max_fee_per_gas: gwei(9_000_000), max_priority_fee_per_gas: gwei(price) })
    await using unobserved = await serve()
    const { id } = (await unobserved.send('one', { ...minimal, gas_price: gwei(1_000) })).body.data
    const json = { 'content-type': 'application/json' }
    const at = `/api/v1/relayers/one/transactions`
    for (const price of [{ gas_price: gwei(1_001) }, tipOf(1_001)]) {
      const body = { ...minimal, ...price }
      const batch = JSON.stringify({ transactions: [minimal, body] })
      for (const answer of [
        await unobserved.send('one', body),
        await unobserved.ask('POST', `${at}/batch`, { headers: json, body: batch }),
        await unobserved.ask('PUT', `${at}/${id}`, { headers: json, body: JSON.stringify(body) }),
      ]) {
        expect([answer.status, answer.headers['relayer-error-code']]).toEqual([400, 'POLICY_VIOLATION'])
        expect(answer.body.message).toMatch(/pays 1,001 gwei .* without gas_price_cap pays at most 1,000 gwei; /)
      }
    }
    // A fee cap costs nothing. Ten times the observed price at fastest may be higher: 10 * (200 + 4) gwei.
    expectSuccess(await unobserved.send('one', { ...minimal, ...tipOf(1) }))
    await using observed = await serve({ market: { ...someMarket, baseFee: 200_000_000_000n } })
    expectSuccess(await observed.send('one', { ...minimal, gas_price: gwei(2_040) }))
    expectSuccess(await observed.send('one', { ...minimal, ...tipOf(1_840) }))
    for (const price of [{ gas_price: gwei(2_041) }, tipOf(1_841)]) {
      const answer = await observed.send('one', { ...minimal, ...price })
      expectFailure(answer, 400, answer.body.message, 'POLICY_VIOLATION')
    }
    const { policies } = relayer('one')
    const capped = relayer('one', { policies: { ...policies, gasPriceCap: 5_000_000_000_000n } })
    await observed.store.commit((session) => session.saveRelayer(capped))
    expectSuccess(await observed.send('one', { ...minimal, gas_price: gwei(5_000) }))
  })

  test('a full queue says when to come back', async () => {
    await using own = await serve({ queueMax: 2 })
    expectSuccess(await own.send('one', minimal))
    const held = await own.send('one', { ...minimal, hold_for: '10m' })
    expectSuccess(held)
    const answer = await own.send('one', minimal)
    expectFailure(answer, 429, answer.body.message, 'QUEUE_FULL')
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expectSuccess(await own.ask('DELETE', `/api/v1/relayers/one/transactions/${held.body.data.id}`))
    expectSuccess(await own.send('one', minimal))
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
