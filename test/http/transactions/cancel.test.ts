// DELETE of one transaction, as bytes: sections 2.1, 2.2, 3, 4.1 and 7 of the interface.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { address, at, attempt, hashOf, inclusion, put, putEveryPhase, receiver, transaction } from '../support/rows.ts'
import { type Serving, serve } from '../support/serve.ts'

let server: Serving
beforeAll(async () => {
  server = await serve()
  await putEveryPhase(server.store)
})
afterAll(() => server[Symbol.asyncDispose]())

const pathOf = (id: string, relayer = 'one') => `/api/v1/relayers/${relayer}/transactions/${id}`
const cancel = (id: string, relayer = 'one') => server.ask('DELETE', pathOf(id, relayer))
const stored = (id: string) => server.store.reads.transaction('one' as RelayerId, id as TransactionId)

const queued = (id: string) => put(server.store, transaction(id, { phase: 'queued' }))

describe('success', () => {
  test('a transaction that no node ever had is dropped, with its status, reason and facts', async () => {
    await queued('queued-1')
    const answer = await cancel('queued-1')
    expectSuccess(answer)
    expect(answer.body.data).toEqual({
      id: 'queued-1',
      relayer_id: 'one',
      status: 'canceled',
      status_reason: 'canceled on request',
      created_at: '2026-01-02T03:04:05.678Z',
      from: address,
      to: receiver,
      value: '1000000000000000000000',
      data: '0xabcd',
      speed: { name: 'fast' },
    })
    expect(answer.body.pagination).toEqual({ current_page: 1, per_page: 1, total_items: 1 })
    expect(answer.body.metadata.logs.map((entry: { message: string }) => entry.message).join('\n')).toMatch(
      /cancellation recorded at .*Z\n.*dropped, costs nothing.*final/,
    )
    expect(await stored('queued-1')).toMatchObject({ lifecycle: { phase: 'dropped', reason: 'canceled' } })
  })

  test('a cancel of a transaction that a node may have starts a race, says so, and wakes the relayer', async () => {
    const own = attempt('raced' as TransactionId, 0xaa, 'execute', 20)
    await put(server.store, transaction('raced', { phase: 'inFlight', nonce: 20, attempts: [own] }, { sentAt: at + 1 }))
    const answer = await cancel('raced')
    expectSuccess(answer)
    expect(answer.body.data).toEqual({
      id: 'raced',
      relayer_id: 'one',
      status: 'canceled',
      status_reason: 'canceled on request',
      created_at: '2026-01-02T03:04:05.678Z',
      sent_at: '2026-01-02T03:04:05.679Z',
      hash: own.hash,
      from: address,
      to: receiver,
      value: '1000000000000000000000',
      data: '0xabcd',
      nonce: 20,
      gas_limit: 50_000,
      max_fee_per_gas: '30000000170',
      max_priority_fee_per_gas: '1000000170',
      signature: {
        r: hashOf(0xab),
        s: hashOf(0xac),
        v: 1,
        sig: `${hashOf(0xab)}${hashOf(0xac).slice(2)}1c`,
      },
      speed: { name: 'fast' },
    })
    expect(answer.body.metadata.logs[1].message).toContain('a no-op is sent for nonce 20')
    expect(answer.body.metadata.logs[1].message).toContain(pathOf('raced'))
    expect(server.woken).toContain('one')
    expect(await stored('raced')).toMatchObject({
      lifecycle: { phase: 'inFlight' },
      cancellation: { origin: 'request' },
    })
  })

  test('canceling again answers the same and changes no row', async () => {
    await queued('twice')
    const first = await cancel('twice')
    const row = await stored('twice')
    const second = await cancel('twice')
    expectSuccess(second)
    expect(second.text).toBe(first.text)
    expect(await stored('twice')).toEqual(row)
  })

  test('canceling a race with a bound of cost answers the same bytes, lifts the bound and wakes the owner', async () => {
    const own = attempt('bounded' as TransactionId, 0xd1, 'execute', 22)
    const cancellation = { origin: 'request', requestedAt: at, costMax: 31_500_000_000_000n } as const
    const lifecycle = { phase: 'inFlight', nonce: 22, attempts: [own] } as const
    await put(server.store, transaction('bounded', lifecycle, { cancellation }))
    const shown = () => server.ask('GET', `${pathOf('bounded')}/cancellation`)
    expect((await shown()).body.data).toMatchObject({ state: 'racing', cost_max: '31500000000000' })
    const woken = server.woken.length
    const first = await cancel('bounded')
    expectSuccess(first)
    expect(server.woken.length).toBe(woken + 1)
    expect((await shown()).body.data).not.toHaveProperty('cost_max')
    expect(await stored('bounded')).toMatchObject({ cancellation: { origin: 'request', requestedAt: at } })
    const row = await stored('bounded')
    const second = await cancel('bounded')
    expect(second.text).toBe(first.text)
    expect(await stored('bounded')).toEqual(row)
  })

  test('the no-op that won is not shown as the transaction: hash and fees stay those of the payload', async () => {
    const [own, noOp] = [
      attempt('won' as TransactionId, 0xc1, 'execute', 21),
      attempt('won' as TransactionId, 0xc2, 'cancel', 21),
    ]
    await put(
      server.store,
      transaction(
        'won',
        { phase: 'final', nonce: 21, attempts: [own, noOp], inclusion: inclusion(noOp), finalAt: at, witnesses: 1 },
        { cancellation: { origin: 'request', requestedAt: at } },
      ),
    )
    const answer = await cancel('won')
    expectSuccess(answer)
    expect(answer.body.data).toMatchObject({ status: 'canceled', hash: own.hash, max_fee_per_gas: '30000000193' })
    expect(answer.body.data).not.toHaveProperty('confirmed_at')
    expect(answer.body.metadata.logs[1].message).toContain(`nonce 21 was taken by ${noOp.hash} in block 100`)
    expect(answer.body.metadata.logs[1].message).toContain('cost 0.000042 ether')
  })

  test.each([
    ['nothing', undefined, undefined],
    ['an empty body under application/json', 'application/json', ''],
    ['malformed JSON', 'application/json', '{"a":'],
    ['an unknown type', 'application/x-unknown', 'abc'],
    ['a type that is none', ';;;', 'abc'],
    ['a body without a type', undefined, 'abc'],
    ['a body larger than any POST may be', 'application/json', 'x'.repeat(600_000)],
  ])('a body is ignored: %s', async (name, type, body) => {
    const id = `body-${name.replaceAll(/\W/g, '-')}`
    await queued(id)
    const answer = await server.ask('DELETE', pathOf(id), {
      ...(type !== undefined && { headers: { 'content-type': type } }),
      ...(body !== undefined && { body }),
    })
    expectSuccess(answer)
    expect(answer.body.data.status).toBe('canceled')
  })
})

describe('refusal', () => {
  test.each(['mined', 'confirmed', 'failed', 'expired'])(
    'already %s: Bad Request, and the row stays',
    async (status) => {
      const before = await stored(status)
      expectFailure(await cancel(status), 400, 'Bad Request', `TRANSACTION_ALREADY_${status.toUpperCase()}`)
      expect(await stored(status)).toEqual(before)
    },
  )

  test("unknown relayer, unknown transaction and a neighbour's: the same bytes", async () => {
    const answers = [await cancel('queued', 'nobody'), await cancel('unheard-of'), await cancel('queued', 'two')]
    for (const answer of answers) {
      expectFailure(answer, 404, 'Not found', 'TRANSACTION_NOT_FOUND')
      expect(Object.keys(answer.headers).sort()).toEqual(Object.keys(answers[0]?.headers ?? {}).sort())
    }
    expect(await stored('queued')).toMatchObject({ lifecycle: { phase: 'queued' } })
  })

  test.each(['%', '%zz', '%C3', 'a%E0%A4%A'])('a path that does not decode: %s', async (id) => {
    expectFailure(await cancel(id), 400, 'Bad Request', 'MALFORMED_PATH')
    expectFailure(await cancel('queued', id), 400, 'Bad Request', 'MALFORMED_PATH')
  })

  test('an id as long as the request line can be', async () => {
    expectFailure(await cancel('x'.repeat(12_000)), 404, 'Not found', 'TRANSACTION_NOT_FOUND')
  })
})
