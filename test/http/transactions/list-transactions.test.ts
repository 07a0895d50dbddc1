// Lists of transactions by filters, and by `before`.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address, RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { at, attempt, hashOf, receiver, relayer, transaction } from '../support/rows.ts'
import { type Serving, serve } from '../support/serve.ts'

const few = '/api/v1/relayers/few/transactions'
const many = '/api/v1/relayers/many/transactions'
const rows = 10_050
const other = devAccount(7).address as Address
/** The sequence stands at its end. */
const idOf = (sequence: number) => `019aa5c2-7d3e-7b43-9a52-${sequence.toString(16).padStart(12, '0')}` as TransactionId
const positionOf = (sequence: number) => `${sequence}-${at + sequence * 1_000}`
const timeOf = (sequence: number) => new Date(at + sequence * 1_000).toISOString()

let server: Serving
beforeAll(async () => {
  server = await serve()
  for (const [id, index] of [['few', 3] as const, ['many', 4] as const]) {
    const { address } = devAccount(index)
    await server.store.commit((session) => session.saveRelayer(relayer(id, { address: address as Address })))
  }
  await store('few' as RelayerId, 0x500, 12)
  await store('many' as RelayerId, 0x10000, rows)
})
afterAll(() => server[Symbol.asyncDispose]())

/** Even ones go to another receiver. Those with a nonce are the first four. */
async function store(relayerId: RelayerId, base: number, count: number): Promise<void> {
  await server.store.commit(async (session) => {
    const { first = 0 } = (await session.reserveSequences(relayerId, count)) ?? {}
    for (let sequence = first; sequence < first + count; sequence += 1) {
      const id = idOf(base + sequence)
      const payload = { ...transaction(id, { phase: 'queued' }).payload, value: 10n ** BigInt(sequence % 20) }
      const attempts = [attempt(id, base + sequence, 'execute', sequence)] as const
      await session.insertTransaction(
        transaction(id, sequence <= 4 ? { phase: 'inFlight', nonce: sequence, attempts } : { phase: 'queued' }, {
          ...{ relayerId, sequence, createdAt: at + sequence * 1_000 },
          payload: sequence % 2 === 0 ? { ...payload, to: other } : payload,
        }),
      )
    }
  }, relayerId)
}

const get = (path: string) => server.ask('GET', path)
const sequences = async (query: string, path = few, first = 0x500): Promise<readonly number[]> => {
  const answer = await get(`${path}${query}`)
  expectSuccess(answer)
  return answer.body.data.map(({ id }: { id: string }) => Number.parseInt(id.slice(-12), 16) - first)
}

describe('filters', () => {
  test.each([
    ['?status=submitted', [4, 3, 2, 1]],
    [`?to=${other}&per_page=3`, [12, 10, 8]],
    [`?to=${receiver.toLowerCase()}&nonce_to=9`, [3, 1]],
    ['?nonce_from=2&nonce_to=3', [3, 2]],
    ['?nonce_from=5', []],
    [`?created_from=${timeOf(11)}`, [12, 11]],
    [`?created_to=${timeOf(2)}`, [2, 1]],
    [`?created_from=${timeOf(3)}&created_to=${timeOf(4)}&status=SUBMITTED`, [4, 3]],
    ['?value_from=10000000000', [12, 11, 10]],
    ['?value_from=0099&value_to=1000', [3, 2]],
    ['?value_to=9', []],
    [`?text=${idOf(0x500 + 7)}`, [7]],
    [`?text=${idOf(0x500 + 7).toUpperCase()}`, [7]],
    [`?text=${idOf(0x500).slice(0, 35)}&value_to=10`, [1]],
    [`?text=${hashOf(0x500 + 2)}`, [2]],
    [`?text=${hashOf(0x500).slice(0, 64)}&nonce_from=2`, [4, 3, 2]],
    [`?text=${hashOf(0x900)}`, []],
  ])('%s', async (query, expected) => {
    expect(await sequences(query)).toEqual(expected)
  })

  test.each([
    ['to=0x12', 'to: "0x12" is not the address of the receiver: 0x and 40 hex digits'],
    [
      `to=${receiver.replace('C', 'c')}`,
      `to: "${receiver.replace('C', 'c')}" is not right by its EIP-55 checksum; check it for a typo, or send it in lower case`,
    ],
    ['nonce_from=-1', 'nonce_from: "-1" is not a nonce as a decimal integer, 0 or more: the lowest of those listed'],
    ['nonce_from=7&nonce_to=3', 'nonce_to: 3 is not at or above nonce_from; swap the two, or leave one out'],
    [
      'created_to=2026-02-30T00:00:00Z',
      'created_to: "2026-02-30T00:00:00Z" is not a time by RFC 3339, such as "2030-01-31T12:00:00Z"',
    ],
    [
      'created_from=2026-01-02T00:00:00Z&created_to=2026-01-01T00:00:00Z',
      'created_to: "2026-01-01T00:00:00Z" is not at or above created_from; swap the two, or leave one out',
    ],
    ['value_to=1.5', 'value_to: "1.5" is not wei as a decimal integer below 2^256: the largest value of those listed'],
    [
      `value_from=${2n ** 256n}`,
      `value_from: "${String(2n ** 256n).slice(0, 39)}… is not an amount of wei below 2^256`,
    ],
    ['value_from=2&value_to=1', 'value_to: "1" is not at or above value_from; swap the two, or leave one out'],
    [
      'text=xyz',
      'text: "xyz" is not an id or its beginning, or with 0x the hash of an attempt or its beginning, in hex digits',
    ],
    [
      `before=${idOf(0x9999)}`,
      `before: "${idOf(0x9999)}" is not the id of a stored transaction of this relayer; begin again without before`,
    ],
    [
      `before=${idOf(0x10001)}`,
      `before: "${idOf(0x10001)}" is not the id of a stored transaction of this relayer; begin again without before`,
    ],
    ['verdict=late', 'verdict: "late" is not one of racing, dropped, won, lost, external'],
    ['before=9-1&page=2', 'page: 2 is not 1, as with before every page is the first; leave page out'],
    [
      'page=10001',
      'page: 10001 is not within the first 100000 rows; for older ones send before, the header Relayer-Next-Before of an earlier page',
    ],
  ])('?%s', async (query, message) => {
    expectFailure(await get(`${few}?${query}`), 400, message, 'INVALID_REQUEST')
  })
})

describe('before', () => {
  test('goes on after each page, to the end, and while new ones arrive', async () => {
    const found: number[] = []
    let before = ''
    for (;;) {
      const answer = await get(`${few}?per_page=5${before}`)
      expectSuccess(answer)
      expect(answer.body.pagination).toEqual({ current_page: 1, per_page: 5, total_items: 12 })
      expect(answer.headers['relayer-total']).toBe('exact')
      found.push(...answer.body.data.map(({ id }: { id: string }) => Number.parseInt(id.slice(-12), 16) - 0x500))
      const next = answer.headers['relayer-next-before']
      if (next === undefined) break
      before = `&before=${next}`
    }
    expect(found).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    expect(await sequences(`?before=${idOf(0x500 + 4)}`)).toEqual([3, 2, 1])
    expect(await sequences(`?before=${idOf(0x500 + 4)}&to=${other}`)).toEqual([2])
  })

  test('a filter looks at 10,000 transactions, says so, and goes on from there', async () => {
    const first = await get(`${many}?value_to=1&per_page=2`)
    expectSuccess(first)
    // Sequences 51 to 10,050.
    expect(first.body.pagination.total_items).toBe(500)
    expect(first.headers).toMatchObject({ 'relayer-total': 'at-least', 'relayer-next-before': positionOf(10_020) })
    expect(first.body.metadata.logs[0].message).toBe(
      `Only transactions created at ${timeOf(51)} or later were looked at, and total_items counts the matches among them. To go on, repeat the request with before=${positionOf(10_020)}, without page.`,
    )
    const last = await get(`${many}?value_to=1&per_page=2&page=250`)
    expect(last.headers).toMatchObject({ 'relayer-total': 'at-least', 'relayer-next-before': positionOf(51) })
    expect(await sequences(`?value_to=1&before=${positionOf(51)}`, many, 0x10000)).toEqual([40, 20])
    const rest = await get(`${many}?value_to=1&before=${positionOf(51)}`)
    expect(rest.headers).not.toHaveProperty('relayer-next-before')
    expect(rest.headers['relayer-total']).toBe('at-least')
    expect(rest.body.metadata.logs[0].message).toBe('total_items counts the matches that are older than before.')
  })

  test('what an index finds is complete, and its total exact', async () => {
    for (const [query, total] of [
      [`?to=${other}`, 5_025],
      ['?nonce_from=1&nonce_to=4', 4],
      [`?created_to=${timeOf(20)}`, 20],
      ['?status=submitted', 4],
    ] as const) {
      const answer = await get(`${many}${query}`)
      expect(answer.body.pagination.total_items).toBe(total)
      expect(answer.headers['relayer-total']).toBe('exact')
    }
  })
})
