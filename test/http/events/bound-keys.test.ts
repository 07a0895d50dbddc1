// A key that is bound to relayers learns nothing of others from its streams: neither when they move, nor how much.
import { Agent, request } from 'undici'
import { expect, test } from 'vitest'
import { cancel } from '../../../src/domain/cancel.ts'
import type { ApiKeyId, RelayerId } from '../../../src/domain/ids.ts'
import { administratorBy } from '../../../src/http/request/authenticate.ts'
import type { Store } from '../../../src/store/store.ts'
import { until } from '../../../tooling/client.ts'
import { type ManualClock, manualClock } from '../../support/manual-clock.ts'
import { at, put, transaction } from '../support/rows.ts'
import { apiKey, type Serving, serve } from '../support/serve.ts'

const heartbeatMs = 15_000
const sealed = /^s[A-Za-z0-9_-]{22}$/

function serving(clock?: ManualClock): Promise<Serving> {
  const administrator = administratorBy(apiKey)
  const bound = { id: 'bound' as ApiKeyId, scopes: new Set(['read'] as const), relayers: ['one' as RelayerId] }
  return serve({
    ...(clock && { clock }),
    authenticate: (header) => (header === 'Bearer bound' ? bound : administrator(header)),
  })
}

/** One event of the relayer, its last. */
async function end(store: Store, relayerId: string, id: string): Promise<void> {
  const before = await store.reads.newestEvent()
  const stored = await put(store, transaction(id, { phase: 'queued' }, { relayerId: relayerId as RelayerId }))
  await store.commit((session) => session.saveTransaction(stored, cancel(stored, at), at))
  await until(async () => (await store.reads.newestEvent()) === before + 1, { what: `the event of ${id} to be shown` })
}

async function open(server: Serving, query: string, token = 'bound', lastEventId?: string) {
  const agent = new Agent({ bodyTimeout: 0 })
  const { body, statusCode } = await request(`${server.url}/api/v1/events?${query}`, {
    headers: { authorization: `Bearer ${token}`, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    dispatcher: agent,
  })
  expect(statusCode).toBe(200)
  let text = ''
  body.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  body.on('error', () => {})
  return {
    text: () => text,
    ids: () => [...text.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id),
    names: () => [...text.matchAll(/"payload":\{"payload_type":"transaction","id":"(\w+)"/g)].map(([, id]) => id),
    [Symbol.asyncDispose]: () => agent.destroy(),
  }
}

const asleep = (clock: ManualClock) => until(async () => clock.sleeping.includes(100), { what: 'the feed to sleep' })

/** Lets the feed look, so that a line would be written by then. */
async function look(clock: ManualClock, ms = 100): Promise<void> {
  await asleep(clock)
  clock.advance(ms)
  await asleep(clock)
}

test.each(['detail=position', 'detail=full'])(
  'with %s, the events of others cause no line, move no heartbeat and no id',
  async (query) => {
    const clock = manualClock()
    await using server = await serving(clock)
    await using mine = await open(server, query)
    await until(async () => mine.ids().length === 1, { what: 'the stream to open' })
    for (const id of ['a', 'b', 'c']) {
      await end(server.store, 'two', id)
      await look(clock)
    }
    expect(mine.ids()).toHaveLength(1)
    // The heartbeat comes when it would without them.
    await look(clock, heartbeatMs - 300 - 1)
    expect(mine.text()).not.toContain('still here')
    await end(server.store, 'two', 'd')
    clock.advance(1)
    await until(async () => mine.text().includes('still here'), { what: 'the heartbeat' })
    for (const id of mine.ids()) expect(id).toMatch(sealed)

    await end(server.store, 'one', 'own')
    const line = query === 'detail=position' ? 'event: changed' : '"id":"own"'
    await asleep(clock)
    clock.advance(100)
    await until(async () => mine.text().includes(line), { what: 'the line of its own event' })
    expect(mine.text()).not.toMatch(/"id":"[abcd]"|two/)
  },
)

test('a position is another text each time, whether it moved or not, and an event is the same at each delivery', async () => {
  await using server = await serving()
  for (const [relayer, id] of [
    ['one', 'a'],
    ['two', 'b'],
    ['one', 'c'],
  ] as const) {
    await end(server.store, relayer, id)
  }
  await using now = await open(server, '')
  await using again = await open(server, '')
  await until(async () => now.ids().length + again.ids().length === 2, { what: 'both to open' })
  expect(new Set([...now.ids(), ...again.ids()]).size).toBe(2)

  await using first = await open(server, 'after=0')
  await using second = await open(server, 'after=0')
  await until(async () => first.names().length + second.names().length === 4, { what: 'its events' })
  expect(first.names()).toEqual(['a', 'c'])
  expect(first.ids().slice(1)).toEqual(second.ids().slice(1))
  expect(first.text()).toContain(`data: {"id":"${first.ids()[1]}"`)
  // The administrator's ids are numbers, as those of webhooks.
  await using all = await open(server, 'after=0', apiKey)
  await until(async () => all.names().length === 3, { what: 'all events' })
  expect(all.ids()).toEqual(['0', `1-${at}`, `2-${at}`, `3-${at}`])
})

test('a bound reader resumes without a gap after an event, a position or the id of its webhook', async () => {
  await using server = await serving()
  await end(server.store, 'one', 'a')
  await end(server.store, 'two', 'b')
  await using seen = await open(server, 'after=0')
  await until(async () => seen.names().length === 1, { what: 'its event' })
  await using now = await open(server, '')
  await until(async () => now.ids().length === 1, { what: 'it to open' })
  await end(server.store, 'one', 'c')
  const [, ofEvent = ''] = seen.ids()
  const [ofPosition = ''] = now.ids()
  for (const id of [ofEvent, ofPosition, `1-${at}`, '1']) {
    await using back = await open(server, 'after=0', 'bound', id)
    await until(async () => back.names().length > 0, { what: `an event after ${id}` })
    expect([id, back.names()]).toEqual([id, ['c']])
    await using byQuery = await open(server, `after=${id}`)
    await until(async () => byQuery.names().length > 0, { what: `an event after ${id}` })
    expect(byQuery.names()).toEqual(['c'])
  }
})

test('ids of others, of nobody and of the future are refused with the same bytes', async () => {
  await using server = await serving()
  await end(server.store, 'one', 'a')
  await end(server.store, 'two', 'b')
  const refused = async (id: string) => {
    const { status, headers, body } = await server.ask('GET', `/api/v1/events?after=${id}`, { token: 'bound' })
    return [status, headers['relayer-error-code'], body]
  }
  const unknown = await refused('999')
  expect(unknown).toMatchObject([410, 'EVENTS_GONE', { message: expect.not.stringMatching(/\d/) }])
  for (const id of ['2', `2-${at}`, `2-${at + 1}`, '3', `1-${at + 1}`, `7-${at}`, `s${'A'.repeat(22)}`]) {
    expect([id, await refused(id)]).toEqual([id, unknown])
  }
  const odd = await server.ask('GET', '/api/v1/events?after=sA', { token: 'bound' })
  expect(odd.status).toBe(400)
})
