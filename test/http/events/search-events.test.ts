// Streams whose filter matches nothing in a long outbox: how many rows they read, and how they share the time.
import { expect, test } from 'vitest'
import { cancel } from '../../../src/domain/cancel.ts'
import { openSearch } from '../../../src/http/events/stream-events.ts'
import { nextTurn } from '../../../src/ops/clock.ts'
import type { Reads, Store } from '../../../src/store/store.ts'
import { someWait } from '../../domain/some-reasons.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { at, put, transaction } from '../support/rows.ts'
import { apiKey, serve } from '../support/serve.ts'
import { until } from '../support/until.ts'

const others = 2_300

/** So many events of relayer one, between two of relayer two. */
async function fill(store: Store): Promise<void> {
  const end = async (id: string, relayerId: 'one' | 'two', events: number) => {
    let latest = await put(store, transaction(id, { phase: 'queued' }, { relayerId: relayerId as never }))
    const waits = ['paused', 'balance_short'] as const
    for (let each = 1; each < events; each += 1) {
      const wait = someWait(waits[each % 2] ?? 'paused')
      const before = latest
      latest = await store.commit((session) => session.saveTransaction(before, { ...before, wait }, at))
    }
    const before = latest
    await store.commit((session) => session.saveTransaction(before, cancel(before, at), at))
  }
  await end('first', 'two', 1)
  for (let each = 0; each < 10; each += 1) await end(`other-${each}`, 'one', others / 10)
  await end('last', 'two', 1)
  await until(async () => (await store.reads.newestEvent()) === others + 2)
}

/** Counts the rows that streams read: of whole events, and of subjects only. */
function counting() {
  const rows = { whole: 0, subjects: 0, pageMax: 0 }
  const wrap = (store: Store): Store => ({
    ...store,
    reads: {
      ...store.reads,
      async events(after, limit, wanted) {
        const window = await store.reads.events(after, limit, (subject) => {
          rows.whole += 1
          return wanted(subject)
        })
        return window
      },
      async searchEvents(after, search, wanted) {
        let page = 0
        const window = await store.reads.searchEvents(after, search, (subject) => {
          page += 1
          return wanted(subject)
        })
        rows.subjects += page
        rows.pageMax = Math.max(rows.pageMax, page)
        return window
      },
    },
  })
  return { rows, wrap }
}

test('a reader passes what its filter does not match once, in bounded pages, and never again', async () => {
  const { rows, wrap } = counting()
  await using server = await serve({ wrap })
  await fill(server.store)
  const follow = (lastEventId: string, query = 'relayer_id=two') =>
    openEventStream(server.url, apiKey, { query, lastEventId })
  {
    await using live = follow('0')
    await until(() => live.events.length === 2)
    expect(live.events.map(({ payload }) => payload.id)).toEqual(['first', 'last'])
    // Two pages of whole rows before the search.
    expect([rows.whole, rows.subjects]).toEqual([100, others + 2 - 100])
    expect(rows.pageMax).toBe(1_000)
  }
  Object.assign(rows, { whole: 0, subjects: 0 })
  await using nothing = follow('0', 'transaction_id=unknown')
  await until(() => nothing.place === String(others + 2))
  expect([rows.whole, rows.subjects]).toEqual([50, others + 2 - 50])
  // It was shown the way, and not only the line of an idle stream.
  expect(nothing.comments).toBe(0)
  // It was led along, so it comes back to where it was.
  await using back = follow(nothing.place ?? '0', 'transaction_id=unknown')
  await until(() => back.place !== undefined)
  expect(rows.whole + rows.subjects).toBe(others + 2)
})

test('streams that look for an event take turns, a page each, with a pause for everybody else', async () => {
  const clock = manualClock()
  const pages: number[] = []
  const reads: Pick<Reads, 'searchEvents'> = {
    async searchEvents(after, { rows }) {
      pages.push(after)
      return { events: [], through: after + rows, mayBeFar: after < 20_000 }
    },
  }
  const search = openSearch({ reads, clock })
  const ended = new AbortController()
  const found: number[] = []
  for (const start of [0, 10_000, 20_000, 30_000]) {
    void search(start, () => false, ended.signal).then(({ through }) => found.push(through))
  }
  await nextTurn()
  expect([pages, found, clock.sleeping]).toEqual([[0], [1_000], [10]])
  clock.advance(9)
  await nextTurn()
  expect(pages).toEqual([0])
  clock.advance(1)
  await nextTurn()
  expect(pages).toEqual([0, 10_000])
  clock.advance(10)
  await nextTurn()
  // Short pages need no pause.
  expect(pages).toEqual([0, 10_000, 20_000, 30_000])
  ended.abort()
  expect(await search(40_000, () => false, ended.signal)).toMatchObject({ through: 40_000, mayBeFar: false })
  expect(pages).toHaveLength(4)
})

test('a page that could not be read holds up no other stream', async () => {
  let fails = true
  const reads: Pick<Reads, 'searchEvents'> = {
    async searchEvents(after) {
      if (fails) throw new Error('the database can’t be reached')
      return { events: [], through: after, mayBeFar: false }
    },
  }
  const search = openSearch({ reads, clock: manualClock() })
  const { signal } = new AbortController()
  await expect(search(1, () => false, signal)).rejects.toThrow('reached')
  fails = false
  expect(await search(2, () => false, signal)).toMatchObject({ through: 2 })
})
