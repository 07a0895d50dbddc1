// Dead letters over HTTP: listed with the undelivered event and the reason, and put back, one or all.
import { expect, test } from 'vitest'
import { cancel } from '../../../src/domain/cancel.ts'
import type { ApiKeyId, RelayerId } from '../../../src/domain/ids.ts'
import { administratorBy } from '../../../src/http/request/authenticate.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { at, put, relayer, transaction } from '../support/rows.ts'
import { apiKey, type Serving, serve } from '../support/serve.ts'
import { until } from '../support/until.ts'

const base = '/api/v1/notifications/hook/dead-letters'
const turn = {
  notificationId: 'hook',
  owner: 'test',
  leaseMs: 1_000,
  leaseBelievedMs: 2_000,
  busy: new Set<number>(),
  room: 100,
}

/** Each transaction's end, given up. */
async function giveUp({ store }: Serving, ...ids: string[]): Promise<void> {
  await store.commit((session) => session.saveRelayer(relayer('one', { notificationId: 'hook' })))
  for (const id of ids) {
    const stored = await put(store, transaction(id, { phase: 'queued' }))
    await store.commit((session) => session.saveTransaction(stored, cancel(stored, at), at))
  }
  const dueOf = () => store.commit((session) => session.advanceQueue({ ...turn, now: at, tried: [] }))
  let due = await dueOf()
  // Where other transactions of the server are older, events wait for them.
  await until(async () => {
    due = await dueOf()
    return due?.length === ids.length
  })
  const tried = (due ?? []).map((each) => ({ due: each, result: 'dead', error: 'HTTP 500' }) as const)
  await store.commit((session) => session.advanceQueue({ ...turn, now: at + 1, tried }))
}

const waiting = async ({ store }: Serving) =>
  (await store.commit((session) => session.advanceQueue({ ...turn, now: Date.now(), tried: [] })))?.map(
    ({ subjectId }) => subjectId,
  )

test('they are listed by pages, each with its undelivered event', async () => {
  await using server = await serve()
  await giveUp(server, 'a', 'b', 'c')
  const answer = await server.ask('GET', `${base}?page=2&per_page=2`)
  expectSuccess(answer)
  expect(answer.body.pagination).toEqual({ current_page: 2, per_page: 2, total_items: 3 })
  const { data: shown } = (await server.ask('GET', '/api/v1/relayers/one/transactions/c')).body
  const time = new Date(at).toISOString()
  expect(answer.body.data).toEqual([
    {
      event: {
        ...{ id: `3-${at}`, event: 'transaction_update', timestamp: time, terminal: true },
        payload: { payload_type: 'transaction', ...shown },
        cancellation: { state: 'dropped', final: true, safe_to_retry: true, origin: 'request' },
      },
      ...{ tries: 1, last_error: 'HTTP 500' },
      ...{ first_tried_at: new Date(at + 1).toISOString(), gave_up_at: new Date(at + 1).toISOString() },
    },
  ])
})

test('one is put back by the id of its event, and then all', async () => {
  await using server = await serve()
  await giveUp(server, 'a', 'b', 'c')
  const one = await server.ask('POST', `${base}/2-${at}/redeliver`)
  expectSuccess(one)
  expect(one.body.data).toEqual({ redelivered: 1 })
  expect(await waiting(server)).toEqual(['b'])
  expectFailure(
    await server.ask('POST', `${base}/2-${at}/redeliver`),
    404,
    'event 2 is no dead letter of this notification',
    'DEAD_LETTER_NOT_FOUND',
  )
  const all = await server.ask('POST', `${base}/redeliver`)
  expect(all.body.data).toEqual({ redelivered: 2 })
  expect((await waiting(server))?.sort()).toEqual(['a', 'b', 'c'])
  expect((await server.ask('GET', base)).body.data).toEqual([])
  expect((await server.ask('POST', `${base}/redeliver`)).body.data).toEqual({ redelivered: 0 })
})

test('an unknown notification, an id that is none, and a key without the right', async () => {
  const administrator = administratorBy(apiKey)
  await using server = await serve({
    authenticate: (header) => {
      const scopes = new Set(['read', 'send', 'cancel'] as const)
      return header === 'Bearer some'
        ? { id: 'some' as ApiKeyId, scopes, relayers: ['one' as RelayerId] }
        : administrator(header)
    },
  })
  await giveUp(server, 'a')
  const unknown = '/api/v1/notifications/other/dead-letters'
  for (const [method, path] of [
    ['GET', unknown],
    ['POST', `${unknown}/redeliver`],
    ['POST', `${unknown}/1/redeliver`],
  ] as const) {
    expectFailure(await server.ask(method, path), 404, 'Notification with ID other not found', 'NOTIFICATION_NOT_FOUND')
  }
  expect((await server.ask('POST', `${base}/x/redeliver`)).status).toBe(400)
  for (const [method, path] of [
    ['GET', base],
    ['POST', `${base}/redeliver`],
    ['POST', `${base}/1/redeliver`],
  ] as const) {
    expectFailure(await server.ask(method, path, { token: 'some' }), 401, 'Unauthorized', 'SCOPE_MISSING')
  }
})
