// The stream of positions: a burst of events is one line, with the id of the newest, and no event is read for it.
import { Agent, request } from 'undici'
import { expect, test } from 'vitest'
import { cancel } from '../../../src/domain/cancel.ts'
import type { Store } from '../../../src/store/store.ts'
import { until } from '../../../tooling/client.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { expectFailure } from '../support/expectations.ts'
import { at, put, transaction } from '../support/rows.ts'
import { apiKey, serve } from '../support/serve.ts'

/** One event each. Returns the id of the newest, once readers see it. */
async function end(store: Store, ...ids: readonly string[]): Promise<number> {
  const before = await store.reads.newestEvent()
  for (const id of ids) {
    const stored = await put(store, transaction(id, { phase: 'queued' }))
    await store.commit((session) => session.saveTransaction(stored, cancel(stored, at), at))
  }
  const newest = before + ids.length
  // PostgreSQL shows events once every database transaction that began before them has ended, on the whole server.
  await until(async () => (await store.reads.newestEvent()) === newest, { what: `event ${newest} to be shown` })
  return newest
}

test('a burst is one line, at most every half second, and a returning reader gets what it missed', async () => {
  const clock = manualClock()
  await using server = await serve({ clock })
  const follow = async (lastEventId?: string) => {
    const dispatcher = new Agent({ bodyTimeout: 0 })
    const { body, statusCode } = await request(`${server.url}/api/v1/events?detail=position`, {
      headers: { authorization: `Bearer ${apiKey}`, ...(lastEventId && { 'last-event-id': lastEventId }) },
      dispatcher,
    })
    expect(statusCode).toBe(200)
    let text = ''
    body.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    body.on('error', () => {})
    const changes = () => [...text.matchAll(/^id: (\d+)\nevent: changed\ndata: \{\}\n\n/gm)].map(([, id]) => Number(id))
    return { changes, text: () => text, leave: () => dispatcher.destroy() }
  }
  const waiting = (ms: number) => until(async () => clock.sleeping.includes(ms), { what: `a sleep of ${ms} ms` })

  const live = await follow()
  await waiting(100)
  const third = await end(server.store, 'one', 'two', 'three')
  clock.advance(100)
  await waiting(500)
  // The service has written it: it may still be on its way.
  await until(async () => live.changes().length > 0, { what: 'the first line' })
  expect(live.changes()).toEqual([third])

  const fifth = await end(server.store, 'four', 'five')
  clock.advance(499)
  expect(live.changes()).toEqual([third])
  clock.advance(1)
  await until(async () => live.changes().length === 2, { what: 'the second line' })
  expect(live.changes()).toEqual([third, fifth])
  expect(live.text()).not.toMatch(/one|transaction/)
  await live.leave()

  const returning = await follow(String(third))
  await until(async () => returning.changes().length === 1, { what: 'the line that it missed' })
  expect(returning.changes()).toEqual([fifth])
  await returning.leave()
})

test('it is of all relayers, and says so to a reader that wants those of one', async () => {
  await using server = await serve()
  const refused = await server.ask('GET', '/api/v1/events?detail=position&relayer_id=one')
  const message = 'detail: "position" is not "full", or leave out relayer_id and transaction_id'
  expectFailure(refused, 400, message, 'INVALID_REQUEST')
})
