// DELETE of everything pending, as bytes: sections 2.3, 3, 4.2 and 7 of the interface.
import { expect, test } from 'vitest'
import type { RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import type { Store } from '../../../src/store/store.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { at, attempt, put, putEveryPhase, transaction } from '../support/rows.ts'
import { serve } from '../support/serve.ts'

const path = '/api/v1/relayers/one/transactions/pending'

test('covers pending, sent and submitted, lowest nonce first, and leaves the rest', async () => {
  await using server = await serve()
  await putEveryPhase(server.store)
  await put(server.store, transaction('neighbour', { phase: 'queued' }, { relayerId: 'two' as RelayerId }))
  const answer = await server.ask('DELETE', path)
  expectSuccess(answer)
  expect(answer.body.data).toEqual({
    queued_for_cancellation_transaction_ids: ['submitted', 'sent', 'queued'],
    failed_to_queue_transaction_ids: [],
    total_processed: 3,
  })
  expect(answer.body.pagination).toEqual({ current_page: 1, per_page: 3, total_items: 3 })
  expect(answer.body.metadata.logs[0].message).toContain('3 pending transactions canceled: 2 dropped')
  expect(answer.body.metadata.logs[1].message).toContain('1 may be known to a node')
  const statusOf = async (id: string, of = 'one') =>
    (await server.ask('GET', `/api/v1/relayers/${of}/transactions/${id}`)).body.data.status
  for (const id of ['submitted', 'sent', 'queued']) expect(await statusOf(id)).toBe('canceled')
  for (const id of ['mined', 'confirmed', 'failed', 'expired']) expect(await statusOf(id)).toBe(id)
  expect(await statusOf('neighbour', 'two')).toBe('pending')
})

test('nothing pending: an empty result, and a body is ignored', async () => {
  await using server = await serve()
  for (const body of ['', '{', 'x'.repeat(600_000)]) {
    const answer = await server.ask('DELETE', path, { headers: { 'content-type': 'application/json' }, body })
    expectSuccess(answer)
    expect(answer.body.data).toEqual({
      queued_for_cancellation_transaction_ids: [],
      failed_to_queue_transaction_ids: [],
      total_processed: 0,
    })
    expect(answer.body.pagination).toEqual({ current_page: 1, per_page: 0, total_items: 0 })
  }
})

test('one that races within a bound of cost loses the bound, and is not in the result', async () => {
  await using server = await serve()
  const own = attempt('bounded' as TransactionId, 0xd1, 'execute', 0)
  const cancellation = { origin: 'request', requestedAt: at, costMax: 7n } as const
  await put(server.store, transaction('bounded', { phase: 'inFlight', nonce: 0, attempts: [own] }, { cancellation }))
  const [first, woken] = [await server.ask('DELETE', path), server.woken.length]
  expect(first.body.data).toMatchObject({ queued_for_cancellation_transaction_ids: [], total_processed: 0 })
  expect(woken).toBe(1)
  const stored = await server.store.reads.transaction('one' as RelayerId, 'bounded' as TransactionId)
  expect(stored?.cancellation).toEqual({ origin: 'request', requestedAt: at })
  const second = await server.ask('DELETE', path)
  expect(second.text).toBe(first.text)
  expect(server.woken.length).toBe(woken)
})

test('a row that could not be changed is listed, with the reason in the logs', async () => {
  const failing = (store: Store): Store => ({
    ...store,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    commit: (unit) =>
      store.commit((session) =>
        unit({
          ...session,
          cancelPending: async () => ({
            canceled: ['a' as TransactionId],
            failed: [{ id: 'b' as TransactionId, reason: 'the row is damaged' }],
            racing: 0,
          }),
        }),
      ),
  })
  await using server = await serve({ wrap: failing })
  const answer = await server.ask('DELETE', path)
  expectSuccess(answer)
  expect(answer.body.data).toEqual({
    queued_for_cancellation_transaction_ids: ['a'],
    failed_to_queue_transaction_ids: ['b'],
    total_processed: 2,
  })
  expect(answer.body.pagination).toEqual({ current_page: 1, per_page: 2, total_items: 2 })
  expect(answer.body.metadata.logs.at(-1).message).toBe('b could not be canceled: the row is damaged')
})

test.each([
  ['plain', 'nobody', 'nobody'],
  ['quotes', "%22no%22'body'", '"no"\'body\''],
  ['a literal percent escape', '%2541', '%41'],
  ['a doubly escaped slash', 'a%252Fb', 'a%2Fb'],
  ['an escaped letter', '%41', 'A'],
  ['a slash', 'a%2Fb', 'a/b'],
  ['a question mark and a hash', 'a%3Fb%23c', 'a?b#c'],
  ['a bare percent sign', '100%25', '100%'],
  ['markup', '%3Cscript%3Ealert(1)%3C%2Fscript%3E', '<script>alert(1)</script>'],
  ['plus and semicolon', 'a+b;c%2B%3B', 'a+b;c+;'],
  ['unicode', '%E2%82%AC%F0%9F%A6%8A', '€🦊'],
  ['a backslash and a control character', '%5C%0A', '\\\n'],
  ['every reserved character', '%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D', ":/?#[]@!$&'()*+,;="],
  ['all of them at once', '%2541%22%2F%E2%82%AC%25', '%41"/€%'],
  ['a long one', 'y'.repeat(8_000), 'y'.repeat(8_000)],
])('an unknown relayer is named as the client meant it: %s', async (_, sent, meant) => {
  await using server = await serve()
  const answer = await server.ask('DELETE', `/api/v1/relayers/${sent}/transactions/pending?x=%zz`)
  expectFailure(answer, 404, `Relayer with ID ${meant} not found`, 'RELAYER_NOT_FOUND')
})

test('a path that does not decode', async () => {
  await using server = await serve()
  for (const id of ['%', '%zz', '%FF']) {
    const answer = await server.ask('DELETE', `/api/v1/relayers/${id}/transactions/pending`)
    expectFailure(answer, 400, 'Bad Request', 'MALFORMED_PATH')
  }
})
