// Without an open dashboard the service makes no query and runs no timer for it: before one was open, and after it was closed.
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionIdleMs } from '../../../src/domain/dashboard-session.ts'
import type { Store } from '../../../src/store/store.ts'
import { until } from '../../../tooling/client.ts'
import { type ManualClock, manualClock } from '../../support/manual-clock.ts'
import { put, transaction } from '../support/rows.ts'
import { apiKey, type Serving, serve } from '../support/serve.ts'

interface Watched {
  readonly server: Serving
  /** All timers of the service are on it: `src` makes none elsewhere. */
  readonly clock: ManualClock
  /** Readings and commits of the store, by name. */
  readonly storeCalls: string[]
}

async function watch(hasDashboard?: false): Promise<Watched> {
  const clock = manualClock()
  const storeCalls: string[] = []
  const server = await serve({
    clock,
    wrap: (store) => countingStore(store, storeCalls),
    ...(hasDashboard === false && { hasDashboard }),
  })
  return { server, clock, storeCalls }
}

function countingStore(store: Store, storeCalls: string[]): Store {
  const counting = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const value = Reflect.get(target, name, target)
        if (name === 'reads') return counting(value as object)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          storeCalls.push(String(name))
          return Reflect.apply(value, target, given)
        }
      },
    })
  return counting(store)
}

let without: Watched
let watched: Watched
beforeAll(async () => {
  without = await watch(false)
  watched = await watch()
})
afterAll(async () => {
  await without.server[Symbol.asyncDispose]()
  await watched.server[Symbol.asyncDispose]()
})

test('a start with the dashboard reads the store and sleeps as one without it', () => {
  expect(watched.storeCalls).toEqual(without.storeCalls)
  expect(watched.clock.sleeping).toEqual(without.clock.sleeping)
})

test('after the page was closed, neither time nor changes make the service do anything for it', async () => {
  const { server, clock, storeCalls } = watched
  const signedIn = await server.ask('POST', '/dashboard/api/session', {
    token: null,
    headers: { 'content-type': 'application/json', origin: server.url },
    body: JSON.stringify({ key: apiKey }),
  })
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
  const page = { token: null, headers: { cookie } }
  const overview = await server.ask('GET', '/dashboard/api/v1/overview', page)
  expect(overview.status).toBe(200)

  // An open page does both, so that their absence later proves something.
  const leaving = new AbortController()
  const headers = { cookie, accept: 'text/event-stream' }
  const stream = await request(`${server.url}/dashboard/api/v1/events?detail=position`, {
    headers,
    signal: leaving.signal,
  })
  stream.body.on('error', () => {}).resume()
  await until(async () => clock.sleeping.length >= 2, { what: 'the stream to wait for events' })
  expect(storeCalls).toContain('newestEvent')

  leaving.abort()
  await until(
    async () => {
      clock.advance(100)
      return clock.sleeping.length === without.clock.sleeping.length
    },
    { what: 'the stream to end' },
  )
  const before = storeCalls.length
  await put(server.store, transaction('sent-later', { phase: 'queued' }))
  clock.advance(2 * sessionIdleMs)
  // The answer comes after everything that the moved time woke.
  expect((await server.ask('GET', '/api/v1/health')).status).toBe(200)
  expect(storeCalls.slice(before)).toEqual([])
  expect(clock.sleeping).toEqual(without.clock.sleeping)
})
