// Reading transactions, their verdicts and their attempts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import { statusReasonOf } from '../../../src/domain/wait.ts'
import { someWait } from '../../domain/some-reasons.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { at, attempt, hashOf, inclusion, put, putEveryPhase, relayer, transaction } from '../support/rows.ts'
import { type Serving, serve } from '../support/serve.ts'

const all = '/api/v1/relayers/one/transactions'
let server: Serving
beforeAll(async () => {
  server = await serve()
  await putEveryPhase(server.store)
})
afterAll(() => server[Symbol.asyncDispose]())

const get = (path: string) => server.ask('GET', path)

describe('one', () => {
  test.each(['confirmed', 'failed', 'mined', 'submitted', 'sent', 'expired'])(
    'its status is returned: %s',
    async (id) => {
      const answer = await get(`${all}/${id}`)
      expectSuccess(answer)
      expect(answer.body.data.status).toBe(id)
      expect(answer.body.pagination).toEqual({ current_page: 1, per_page: 1, total_items: 1 })
    },
  )

  test('times: sent when it was first on its way, confirmed when the payload was final', async () => {
    expect((await get(`${all}/confirmed`)).body.data).toMatchObject({
      created_at: '2026-01-02T03:04:05.678Z',
      sent_at: '2026-01-02T03:04:05.679Z',
      confirmed_at: '2026-01-02T03:04:14.678Z',
    })
    expect((await get(`${all}/failed`)).body.data).toHaveProperty('confirmed_at')
    for (const id of ['mined', 'submitted', 'queued']) {
      expect((await get(`${all}/${id}`)).body.data).not.toHaveProperty('confirmed_at')
    }
  })

  test('hash, fees and signature are those of the payload that was mined, else of its newest attempt', async () => {
    const id = 'replaced' as TransactionId
    const [first, second, noOp] = [
      attempt(id, 0x51, 'execute', 60),
      attempt(id, 0x52, 'replace', 60),
      attempt(id, 0x53, 'cancel', 60),
    ]
    const attempts = [first, second, noOp] as const
    const row = await put(server.store, transaction(id, { phase: 'inFlight', nonce: 60, attempts }))
    expect((await get(`${all}/replaced`)).body.data).toMatchObject({
      hash: second.hash,
      signature: { r: hashOf(0x53) },
    })
    const mined = { ...row, lifecycle: { phase: 'mined', nonce: 60, attempts, inclusion: inclusion(first) } as const }
    await server.store.commit((session) => session.saveTransaction(row, mined, at))
    expect((await get(`${all}/replaced`)).body.data).toMatchObject({
      hash: first.hash,
      nonce: 60,
      gas_limit: 50_000,
      max_fee_per_gas: '30000000081',
      signature: { r: hashOf(0x52) },
    })
  })

  test('a legacy transaction has a gas price, and v as EIP-155 has it', async () => {
    const id = 'legacy' as TransactionId
    const own = {
      ...attempt(id, 0x61, 'execute', 61),
      fees: { kind: 'legacy', gasPrice: 5n } as const,
      signature: { r: '0x1' as const, s: '0x2' as const, v: 62_710 },
    }
    await put(server.store, transaction(id, { phase: 'inFlight', nonce: 61, attempts: [own] }))
    const { data } = (await get(`${all}/legacy`)).body
    expect(data.gas_price).toBe('5')
    expect(data).not.toHaveProperty('max_fee_per_gas')
    expect(data.signature.v).toBe(62_710)
    expect(data.signature.sig).toBe(`${hashOf(1)}${hashOf(2).slice(2)}1c`)
  })

  test('unknown, of an unknown relayer, or of a neighbour', async () => {
    for (const path of [
      `${all}/nothing`,
      '/api/v1/relayers/nobody/transactions/mined',
      '/api/v1/relayers/two/transactions/mined',
    ]) {
      expectFailure(await get(path), 404, 'Not found', 'TRANSACTION_NOT_FOUND')
    }
  })
})

describe('by nonce', () => {
  test('the holder', async () => {
    const answer = await get(`${all}/by-nonce/2`)
    expectSuccess(answer)
    expect(answer.body.data.id).toBe('mined')
    expect((await get(`${all}/by-nonce/0`)).body.data.id).toBe('confirmed')
  })

  test('none', async () => {
    expectFailure(await get(`${all}/by-nonce/999`), 404, 'Not found', 'TRANSACTION_NOT_FOUND')
    const path = '/api/v1/relayers/nobody/transactions/by-nonce/2'
    expectFailure(await get(path), 404, 'Relayer with ID nobody not found', 'RELAYER_NOT_FOUND')
  })

  test.each(['x', '-1', '1.5', '01', '9007199254740992'])('not a nonce: %s', async (nonce) => {
    const message = `nonce: "${nonce}" is not a nonce as a decimal integer, 0 or more`
    const answer = await get(`${all}/by-nonce/${nonce}`)
    expectFailure(answer, 400, nonce.length === 16 ? message.replaceAll('"', '') : message, 'INVALID_REQUEST')
  })
})

describe('lists', () => {
  const list = async (query: string) => {
    const answer = await get(`/api/v1/relayers/two/transactions${query}`)
    expectSuccess(answer)
    return { ids: answer.body.data.map(({ id }: { id: string }) => id), pagination: answer.body.pagination }
  }
  beforeAll(async () => {
    for (let count = 1; count <= 12; count++) {
      await put(server.store, transaction(`two-${count}`, { phase: 'queued' }, { relayerId: 'two' as RelayerId }))
    }
    await server.ask('DELETE', '/api/v1/relayers/two/transactions/two-5')
  })

  test('newest first, ten to a page', async () => {
    const first = await list('')
    expect(first.ids).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((count) => `two-${count}`))
    expect(first.pagination).toEqual({ current_page: 1, per_page: 10, total_items: 12 })
    expect((await list('?page=2')).ids).toEqual(['two-2', 'two-1'])
    expect((await list('?page=3')).ids).toEqual([])
    expect(await list('?page=2&per_page=5')).toEqual({
      ids: [7, 6, 5, 4, 3].map((count) => `two-${count}`),
      pagination: { current_page: 2, per_page: 5, total_items: 12 },
    })
  })

  test('by status', async () => {
    const canceled = await list('?status=canceled')
    expect(canceled).toEqual({ ids: ['two-5'], pagination: { current_page: 1, per_page: 10, total_items: 1 } })
    expect((await list('?status=pending&per_page=100')).ids).toHaveLength(11)
    expect((await list('?status=mined')).ids).toEqual([])
  })

  test.each(['CANCELED', 'Canceled', 'cAnCeLeD'])('by status in any letter case: %s', async (status) => {
    expect((await list(`?status=${status}`)).ids).toEqual(['two-5'])
  })

  test('up to a thousand on a page', async () => {
    const { ids, pagination } = await list('?per_page=1000')
    expect(ids).toHaveLength(12)
    expect(pagination).toEqual({ current_page: 1, per_page: 1000, total_items: 12 })
  })

  test.each([
    ['?per_page=1001', 'per_page: 1001 is not an integer from 1 to 1000'],
    ['?per_page=0', 'per_page: 0 is not an integer from 1 to 1000'],
    ['?page=0', 'page: 0 is not an integer from 1 to 1000000'],
    ['?page=', 'page: "" is not an integer from 1 to 1000000'],
    ['?page=1&page=2', 'page: ["1","2"] is not an integer from 1 to 1000000'],
    ['?page=1e3', 'page: "1e3" is not an integer from 1 to 1000000'],
    [
      '?status=done',
      'status: "done" is not one of pending, sent, submitted, mined, confirmed, failed, canceled, expired',
    ],
    [
      '?limit=5',
      'limit: is not accepted here; send only page, per_page, before, status, verdict, to, nonce_from, nonce_to, created_from, created_to, value_from, value_to, text, external_id, tag, include',
    ],
  ])('%s', async (query, message) => {
    expectFailure(await get(`${all}${query}`), 400, message, 'INVALID_REQUEST')
  })

  test('of an unknown relayer', async () => {
    const answer = await get('/api/v1/relayers/nobody/transactions')
    expectFailure(answer, 404, 'Relayer with ID nobody not found', 'RELAYER_NOT_FOUND')
  })
})

describe('cancellation', () => {
  const put1 = async (
    id: string,
    phase: 'inFlight' | 'mined' | 'final',
    spender: 'execute' | 'cancel' | 'foreign',
    changes: Parameters<typeof inclusion>[1] = {},
  ) => {
    const seed = 0x7000 + id.length * 0x100 + id.charCodeAt(0)
    const own = attempt(id as TransactionId, seed, 'execute', seed)
    const noOp = attempt(id as TransactionId, seed + 1, 'cancel', seed)
    const attempts = [own, noOp] as const
    const block = { number: 100, hash: hashOf(0xb10c) }
    const included =
      spender === 'foreign'
        ? ({ by: 'external', hash: hashOf(seed + 9), block } as const)
        : inclusion(spender === 'cancel' ? noOp : own, changes)
    const base = { nonce: seed, attempts }
    const lifecycle =
      phase === 'inFlight'
        ? { ...base, phase }
        : phase === 'mined'
          ? { ...base, phase, inclusion: included }
          : { ...base, phase, inclusion: included, finalAt: at, witnesses: 1 }
    await put(
      server.store,
      transaction(id, lifecycle, { cancellation: { origin: 'request', requestedAt: at }, statusReason: 'why' }),
    )
    return included.hash
  }
  const reported = async (id: string) => {
    const answer = await get(`${all}/${id}/cancellation`)
    expectSuccess(answer)
    return answer.body.data
  }

  test('racing', async () => {
    await put1('c-racing', 'inFlight', 'cancel')
    expect(await reported('c-racing')).toEqual({
      transaction_id: 'c-racing',
      state: 'racing',
      final: false,
      safe_to_retry: false,
      origin: 'request',
      requested_at: '2026-01-02T03:04:05.678Z',
      status_reason: 'why',
      cost: '0',
    })
  })

  test.each([
    ['won, not final', 'd-won', 'mined', 'cancel', 'won', false, false, '42000000000000'],
    ['won', 'e-won', 'final', 'cancel', 'won', true, true, '42000000000000'],
    ['lost', 'f-lost', 'final', 'execute', 'lost', true, false, '0'],
    ['external', 'g-external', 'final', 'foreign', 'external', true, true, '0'],
  ] as const)('%s', async (_, id, phase, spender, state, final, safe, cost) => {
    const hash = await put1(id, phase, spender)
    expect(await reported(id)).toMatchObject({
      state,
      final,
      safe_to_retry: safe,
      winner: { hash, block_number: 100, block_hash: hashOf(0xb10c) },
      cost,
    })
  })

  test('won, at a cost that no node reports, has none', async () => {
    await put1('u-won', 'final', 'cancel', { gasUsed: 'unknown' })
    const verdict = await reported('u-won')
    expect(verdict).toMatchObject({ state: 'won', final: true, safe_to_retry: true })
    expect(verdict).not.toHaveProperty('cost')
  })

  test('dropped, by an expiry', async () => {
    expect(await reported('expired')).toMatchObject({
      state: 'dropped',
      final: true,
      safe_to_retry: true,
      origin: 'expiry',
      cost: '0',
    })
  })

  test('none', async () => {
    const answer = await get(`${all}/mined/cancellation`)
    expectFailure(answer, 404, 'this transaction was not canceled', 'CANCELLATION_NOT_FOUND')
    expectFailure(await get(`${all}/nothing/cancellation`), 404, 'Not found', 'TRANSACTION_NOT_FOUND')
    const neighbours = await get('/api/v1/relayers/two/transactions/expired/cancellation')
    expectFailure(neighbours, 404, 'Not found', 'TRANSACTION_NOT_FOUND')
  })
})

describe('attempts', () => {
  test('every attempt, oldest first, without its bytes', async () => {
    const id = 'tried' as TransactionId
    const first = attempt(id, 0x81, 'execute', 80)
    const second = {
      ...attempt(id, 0x82, 'replace', 80),
      fees: { kind: 'legacy', gasPrice: 9n } as const,
      broadcast: {
        state: 'handed',
        outcome: { kind: 'rejected', code: 'feeTooLow', message: 'underpriced' },
        at: at + 7,
      } as const,
    }
    const third = { ...attempt(id, 0x83, 'cancel', 80), broadcast: { state: 'held', reason: 'no endpoint' } as const }
    await put(server.store, transaction(id, { phase: 'inFlight', nonce: 80, attempts: [first, second, third] }))
    const answer = await get(`${all}/tried/attempts`)
    expectSuccess(answer)
    expect(answer.body.pagination).toEqual({ current_page: 1, per_page: 3, total_items: 3 })
    expect(answer.body.data).toEqual([
      {
        hash: first.hash,
        kind: 'execute',
        nonce: 80,
        gas_limit: 50_000,
        max_fee_per_gas: '30000000129',
        max_priority_fee_per_gas: '1000000129',
        state: 'handed',
        outcome: { kind: 'accepted', at: '2026-01-02T03:04:05.683Z' },
        recorded_at: '2026-01-02T03:04:05.678Z',
      },
      {
        hash: second.hash,
        kind: 'replace',
        nonce: 80,
        gas_limit: 50_000,
        gas_price: '9',
        state: 'handed',
        outcome: { kind: 'rejected', code: 'feeTooLow', message: 'underpriced', at: '2026-01-02T03:04:05.685Z' },
        recorded_at: '2026-01-02T03:04:05.678Z',
      },
      {
        hash: third.hash,
        kind: 'cancel',
        nonce: 80,
        gas_limit: 21_000,
        max_fee_per_gas: '30000000131',
        max_priority_fee_per_gas: '1000000131',
        state: 'held',
        reason: 'no endpoint',
        recorded_at: '2026-01-02T03:04:05.678Z',
      },
    ])
    for (const { raw } of [first, second, third]) expect(answer.text).not.toContain(raw)
  })

  test('none yet, and of nothing', async () => {
    const answer = await get(`${all}/queued/attempts`)
    expectSuccess(answer)
    expect(answer.body.data).toEqual([])
    expect(answer.body.pagination).toEqual({ current_page: 1, per_page: 0, total_items: 0 })
    const neighbours = await get('/api/v1/relayers/two/transactions/mined/attempts')
    expectFailure(neighbours, 404, 'Not found', 'TRANSACTION_NOT_FOUND')
  })
})

test('what waits behind the first of the queue says so, and names it', async () => {
  await using place = await serve()
  const wait = someWait('balance_short')
  const text = statusReasonOf({ wait })
  const sequences = ['first', 'second', 'third']
  for (const id of sequences)
    await put(place.store, transaction(id, { phase: 'queued' }, id === 'first' ? { wait } : {}))
  const reasonOf = async (id: string) =>
    (await place.ask('GET', `/api/v1/relayers/one/transactions/${id}`)).body.data.status_reason
  expect(await reasonOf('first')).toBe(text)
  expect(await reasonOf('second')).toBe(`waits behind transaction first: ${text}`)
  const listed = (await place.ask('GET', '/api/v1/relayers/one/transactions')).body.data
  expect(listed.map(({ status_reason: reason }: { status_reason?: string }) => reason).slice(0, 2)).toEqual([
    `waits behind transaction first: ${text}`,
    `waits behind transaction first: ${text}`,
  ])
  // With skip_unfunded it holds up no others.
  const policies = { minBalance: 0n, maxInFlight: 16, eip1559Pricing: true, skipUnfunded: true }
  await place.store.commit((session) => session.saveRelayer(relayer('one', { policies })))
  expect(await reasonOf('second')).toBeUndefined()
  expect(await reasonOf('first')).toBe(text)
  await place.store.commit((session) => session.saveRelayer(relayer('one')))
  await place.ask('DELETE', '/api/v1/relayers/one/transactions/first')
  expect(await reasonOf('second')).toBeUndefined()
})

test.each([
  ['own_price', true],
  ['gas_price_cap', true],
  ['node_refuses', false],
] as const)('a race behind the first in flight, which waits by %s, says so: %s', async (condition, says) => {
  await using place = await serve()
  const own = (id: string, nonce: number) => attempt(id as TransactionId, nonce, 'execute', nonce)
  const [mined, first, raced] = [own('mined', 4), own('first', 5), own('raced', 6)]
  const wait = someWait(condition)
  const cancellation = { requestedAt: at, origin: 'request' } as const
  const lifecycle = { phase: 'mined', nonce: 4, attempts: [mined], inclusion: inclusion(mined) } as const
  await put(place.store, transaction('mined', lifecycle))
  await put(place.store, transaction('first', { phase: 'inFlight', nonce: 5, attempts: [first] }, { wait }))
  await put(place.store, transaction('raced', { phase: 'inFlight', nonce: 6, attempts: [raced] }, { cancellation }))
  const verdict = (await place.ask('GET', `${all}/raced/cancellation`)).body.data
  const reason = says ? `waits behind transaction first: ${statusReasonOf({ wait })}` : undefined
  expect([verdict.state, verdict.status_reason]).toEqual(['racing', reason])
})
