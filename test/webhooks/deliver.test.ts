// Delivery to real receivers from a real store: none waits for another, none is forgotten, and what stays out is given up.
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import { presentEvent } from '../../src/http/events/present-event.ts'
import { systemClock } from '../../src/ops/clock.ts'
import { guardAddresses } from '../../src/ops/guard-addresses.ts'
import type { Logger } from '../../src/ops/logger.ts'
import { noMetrics } from '../../src/ops/metrics.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { secret } from '../../src/ops/secret.ts'
import type { Store } from '../../src/store/store.ts'
import { deliverEvents } from '../../src/webhooks/deliver.ts'
import { openWebhookPoster } from '../../src/webhooks/post-webhook.ts'
import { until } from '../../tooling/client.ts'
import { someWait } from '../domain/some-reasons.ts'
import { allOf, type StoreUnderTest, send, storedRelayer } from '../store/contract.ts'
import { quiet } from '../store/open-store.ts'
import { openTestedStore } from '../support/open-tested-store.ts'
import { nobodyUrl, startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

const day = 86_400_000

/** A worker on the store, whose clock can be put on. */
function worker(store: Store, urls: Record<string, string>, ahead = { ms: 0 }, owner = 'test', logger: Logger = quiet) {
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + ahead.ms,
    elapsed: () => systemClock.elapsed() + ahead.ms,
  }
  const poster = openWebhookPoster({ clock, guard: guardAddresses(['127.0.0.1']), userAgent: 'test' })
  const running = deliverEvents({
    ...{ store, clock, random: systemRandom(), logger, metrics: noMetrics.webhooks, owner },
    ...{ present: presentEvent, poster },
    webhookOf: (id) => (urls[id] === undefined ? undefined : { url: secret(urls[id]) }),
  })
  return {
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      await poster.close()
    },
  }
}

function loggerOfLines(): { readonly lines: readonly string[]; readonly logger: Logger } {
  const lines: string[] = []
  const log = (level: string) => (_: object, message: string) => void lines.push(`${level}: ${message}`)
  const logger: Logger = {
    ...{ debug: () => {}, info: log('info'), warn: log('warn'), error: log('error') },
    ...{ child: () => logger, isLevelEnabled: () => true },
  }
  return { lines, logger }
}

/** Transactions of a relayer that names the notification, with two events each. */
async function happen(
  store: Store,
  notificationId: string,
  count: number,
  at = systemClock.now(),
): Promise<readonly Transaction[]> {
  const relayer = { ...(await storedRelayer(store)), notificationId }
  await store.commit((session) => session.saveRelayer(relayer))
  const ended: Transaction[] = []
  for (let each = 0; each < count; each++) {
    const sent = await send(store, relayer.id)
    const waiting = { ...sent, wait: someWait('paused') }
    const reported = await store.commit((session) => session.saveTransaction(sent, waiting, at))
    ended.push(await store.commit((session) => session.saveTransaction(reported, cancel(reported, at), at)))
  }
  return ended
}

/** What was taken is recorded as such: what comes next is not tried beside it, and nothing comes twice. */
const recorded = (under: StoreUnderTest) =>
  until(async () => (await under.query('SELECT 1 FROM deliveries')).length === 0, { what: 'an empty queue' })

const reported = ({ taken }: WebhookReceiver) => taken.map(({ event }) => `${event.payload.id} ${event.payload.status}`)

test('a test of a notification comes to its receiver, named by a relayer or not, and is in no stream', async () => {
  await using under = await openTestedStore()
  const { store } = under
  await using receiver = await startReceiver(undefined)
  const now = systemClock.now()
  const id = await store.commit((session) => session.publishTest('hook', now))
  await using _worker = worker(store, { hook: receiver.url })
  await until(() => receiver.taken.length === 1, { what: 'the event' })
  await recorded(under)
  expect(receiver.taken.map(({ event }) => event)).toEqual([
    {
      ...{ id: `${id}-${now}`, event: 'notification_test', timestamp: new Date(now).toISOString(), terminal: true },
      payload: { payload_type: 'notification', id: 'hook' },
    },
  ])
  const everything = () => true
  expect((await store.reads.events(0, 100, everything)).events).toEqual([])
  expect((await store.reads.searchEvents(0, { rows: 100, limit: 100 }, everything)).events).toEqual([])
})

test('the events of a relayer come in order, with what holds it up, since when, and where to read on', async () => {
  await using under = await openTestedStore()
  const { store } = under
  await using receiver = await startReceiver(undefined)
  const relayer = { ...(await storedRelayer(store)), notificationId: 'hook' }
  await store.commit((session) => session.saveRelayer(relayer))
  await send(store, relayer.id)
  const { id, network } = relayer
  // The receiver was away for all of it.
  const since = systemClock.now() - 600_000
  const held = [{ condition: 'step_failing', since }] as const
  for (const ms of [0, 60_000])
    await store.commit((session) => session.recordReport(id, { observedAt: since + ms, conditions: held }))
  for (const ms of [90_000, 150_000])
    await store.commit((session) => session.recordReport(id, { observedAt: since + ms, conditions: [] }))
  await using _worker = worker(store, { hook: receiver.url })
  await until(() => receiver.taken.length === 2, { what: 'both' })
  const shown = { payload_type: 'relayer', ...{ id, network, relayers: [id], waiting: 1 } }
  const iso = (ms: number) => new Date(since + ms).toISOString()
  const runbook = '/docs/runbook.md#step_failing'
  const ofRelayer = { id: expect.any(String), event: 'relayer_attention' }
  expect(receiver.taken.map(({ event }) => event)).toEqual([
    {
      ...{ ...ofRelayer, timestamp: iso(60_000), terminal: false },
      payload: { ...shown, conditions: [{ condition: 'step_failing', since: iso(0), runbook }] },
    },
    { ...{ ...ofRelayer, timestamp: iso(150_000), terminal: true }, payload: { ...shown, conditions: [] } },
  ])
})

test('receivers that are slow, fail, are gone or unknown hold up no other, and take no more than their share', async () => {
  await using under = await openTestedStore()
  const { store } = under
  await using slow = await startReceiver(undefined, () => new Promise(() => {}))
  await using failing = await startReceiver(undefined, (_, response) => void response.writeHead(500).end())
  await using good = await startReceiver(undefined)
  for (const id of ['slow', 'failing', 'gone', 'unknown']) await happen(store, id, 40)
  await using _ = worker(store, { slow: slow.url, failing: failing.url, gone: nobodyUrl, good: good.url })
  await until(() => slow.seen >= 16 && failing.seen >= 16, { what: 'the others to be tried' })
  const ended = await happen(store, 'good', 30)
  await until(() => good.taken.length === 60, { what: () => `60 events; ${good.taken.length} came` })
  for (const { id } of ended) {
    expect(reported(good).filter((each) => each.startsWith(`${id} `))).toEqual([`${id} pending`, `${id} canceled`])
  }
  expect([slow.openMax, slow.taken.length, failing.taken.length]).toEqual([16, 0, 0])
  const errors = () =>
    under.query<{ notification_id: string; last_error: string }>(
      // After ten seconds the slow one has failures, too.
      "SELECT DISTINCT notification_id, last_error FROM deliveries WHERE tries > 0 AND notification_id <> 'slow' ORDER BY 1",
    )
  await until(async () => (await errors()).length >= 3, { what: 'the failures of the others' })
  expect(await errors()).toEqual([
    { notification_id: 'failing', last_error: 'HTTP 500' },
    { notification_id: 'gone', last_error: 'no exchange (ECONNREFUSED)' },
    { notification_id: 'unknown', last_error: 'no notification "unknown" is configured' },
  ])
})

test('a receiver that takes all gets twice as many requests at once, up to 256, and sixteen again after a failure', async () => {
  await using under = await openTestedStore()
  let held: { readonly response: ServerResponse; readonly answer: () => void }[] = []
  let holds = true
  await using receiver = await startReceiver(undefined, (_, response) => {
    if (!holds) return
    return new Promise((answer) => held.push({ response, answer }))
  })
  await happen(under.store, 'far', 640)
  await using _ = worker(under.store, { far: receiver.url })
  const open = async (count: number) => {
    await until(() => held.length === count, { what: () => `${count} requests; there are ${held.length}` })
    const all = held
    held = []
    return all
  }
  for (const count of [16, 32, 64, 128]) for (const { answer } of await open(count)) answer()
  const [first, ...others] = await open(256)
  first?.response.writeHead(500).end()
  first?.answer()
  await until(async () => (await under.query('SELECT 1 FROM deliveries WHERE tries > 0')).length === 1, {
    what: 'the failure on record',
  })
  for (const { answer } of others) answer()
  const after = await open(16)
  expect(receiver.openMax).toBe(256)
  holds = false
  for (const { answer } of after) answer()
  await recorded(under)
  expect(receiver.taken).toHaveLength(1_280)
})

test('a receiver that is down is asked by one request at a time, and gets all once it is back', async () => {
  await using under = await openTestedStore()
  let down = true
  await using receiver = await startReceiver(undefined, (_, response) => {
    if (down) response.writeHead(503).end()
  })
  const ahead = { ms: 0 }
  const { lines, logger } = loggerOfLines()
  await using _ = worker(under.store, { hook: receiver.url }, ahead, 'test', logger)
  // Its clock is hours ahead before the receiver is back.
  await happen(under.store, 'hook', 100, systemClock.now() + day)
  // It rests between tries, as its clock says: later it is asked once more.
  await until(
    () => {
      ahead.ms += 60_000
      return receiver.seen > 20
    },
    { what: () => `20 tries; ${receiver.seen} were made` },
  )
  const before = receiver.seen
  for (let look = 0; look < 5; look++) {
    ahead.ms += 3_600_000
    await until(() => receiver.seen > before + look, { what: 'another try' })
  }
  expect(receiver.seen).toBeLessThan(100)
  down = false
  await until(
    () => {
      ahead.ms += 60_000
      return new Set(receiver.taken.map(({ event }) => event.id)).size === 200
    },
    { what: () => `200 events; ${receiver.taken.length} were taken` },
  )
  const [began, over] = [
    'warn: a receiver of webhooks fails; its events wait',
    'info: a receiver of webhooks works again',
  ]
  await until(() => lines.includes(over), { what: 'the end of the outage' })
  expect(lines).toEqual([began, over])
})

test('what fails for a day is a dead letter, and is delivered when it is put back', async () => {
  await using under = await openTestedStore()
  const { store } = under
  let fails = true
  await using receiver = await startReceiver(undefined, ({ event }, response) => {
    if (fails && event === 'transaction_attention') response.writeHead(500).end()
  })
  const ahead = { ms: 0 }
  await using _ = worker(store, { hook: receiver.url }, ahead)
  const [one] = await happen(store, 'hook', 1)
  const dead = async () => allOf((await store.reads.deadLetterItems('hook', { page: 1, perPage: 10 }))?.items)
  await until(async () => (await under.query('SELECT 1 FROM deliveries WHERE tries > 0')).length > 0, { what: 'a try' })
  await until(
    async () => {
      ahead.ms += day / 4
      return (await dead()).length === 1
    },
    { everyMs: 300, what: 'it to be given up' },
  )
  expect(await dead()).toMatchObject([
    { lastError: 'HTTP 500', event: { kind: 'attention', transaction: { id: one?.id } } },
  ])
  const [{ gaveUpAt = 0, firstTriedAt = 0 } = {}] = await dead()
  expect(gaveUpAt - firstTriedAt).toBeGreaterThan(day * 0.7)
  // What comes after it is not held up for ever.
  await until(() => receiver.taken.length === 1, { what: 'the next' })
  fails = false
  const all = { from: 0, to: 1_000 }
  await store.commit((session) => session.redeliver('hook', all, 10, systemClock.now()))
  await until(() => receiver.taken.length === 2, { what: 'what was put back' })
  expect(reported(receiver)).toEqual([`${one?.id} canceled`, `${one?.id} pending`])
  await recorded(under)
})

test('what is under way when the service stops is let finish, or cut off and delivered by the next', async () => {
  await using under = await openTestedStore()
  const { store } = under
  let hold = true
  const stopping = Promise.withResolvers<void>()
  await using receiver = await startReceiver(undefined, () => stopping.promise)
  await using stuck = await startReceiver(undefined, () => (hold ? new Promise(() => {}) : undefined))
  const first = worker(store, { quick: receiver.url, stuck: stuck.url })
  await happen(store, 'quick', 1)
  await happen(store, 'stuck', 1)
  await until(() => receiver.seen === 1 && stuck.seen === 1, { what: 'requests under way' })
  const lastOnes = () => under.query('SELECT 1 FROM deliveries JOIN outbox ON outbox.id = event_id WHERE terminal = 1')
  await until(async () => (await lastOnes()).length === 2, { what: 'what comes after them' })
  const stopped = first[Symbol.asyncDispose]()
  stopping.resolve()
  await stopped
  const left = await under.query('SELECT notification_id, tries FROM deliveries WHERE due_at IS NOT NULL ORDER BY 1')
  // The one of which the first event was taken waits with its second; the other counts as not tried.
  expect(left).toEqual([
    { notification_id: 'quick', tries: 0 },
    { notification_id: 'stuck', tries: 0 },
  ])
  hold = false
  await using _ = worker(store, { quick: receiver.url, stuck: stuck.url })
  await until(() => receiver.taken.length === 2 && stuck.taken.length === 2, { what: 'all that was left' })
  expect(new Set(receiver.taken.map(({ event }) => event.id)).size).toBe(2)
})

test('a queue is one process’s for as long as it works at it, the next one’s as soon as it stops, and not much later when it dies', async () => {
  await using under = await openTestedStore()
  const { store } = under
  const ahead = { ms: 0 }
  const answer = Promise.withResolvers<void>()
  await using receiver = await startReceiver(undefined, () => answer.promise)
  const first = worker(store, { hook: receiver.url }, ahead, 'first')
  await happen(store, 'hook', 1)
  await until(() => receiver.seen === 1, { what: 'a request under way' })
  const lease = async () => {
    const [row] = await under.query<{ by: string; until: number }>(
      'SELECT leased_by AS "by", leased_until AS "until" FROM delivery_queues',
    )
    return row
  }
  for (let step = 0; step < 4; step += 1) {
    const { until: before = 0 } = (await lease()) ?? {}
    ahead.ms += 6_000
    await until(async () => ((await lease())?.until ?? 0) > before, { what: 'the lease to be renewed' })
  }
  await using _ = worker(store, { hook: receiver.url }, ahead, 'second')
  expect(await lease()).toMatchObject({ by: 'first' })
  answer.resolve()
  await first[Symbol.asyncDispose]()
  await until(() => receiver.taken.length === 2, { what: 'the second event' })
  await recorded(under)

  await happen(store, 'hook', 1)
  await until(() => receiver.taken.length === 4, { what: 'events of the second' })
  await recorded(under)
  // As one that was killed a moment ago has left it.
  const leased = { leaseMs: 10_000, leaseBelievedMs: 30_000, now: systemClock.now() + ahead.ms + 15_001 }
  const died = { notificationId: 'hook', owner: 'killed', ...leased }
  await store.commit((session) => session.advanceQueue({ ...died, tried: [], busy: new Set(), room: 0 }))
  expect(await lease()).toMatchObject({ by: 'killed' })
  await happen(store, 'hook', 1)
  ahead.ms += 31_000
  await until(() => receiver.taken.length === 6, { what: 'what the one that was killed has left' })
})

test('a database that is out is told once when that begins and once when it is over, and asked less and less often', async () => {
  await using under = await openTestedStore()
  const { store } = under
  const { lines, logger } = loggerOfLines()
  let out: 'no' | 'reads' | 'writes' = 'no'
  let requested = 0
  const failing: Store = {
    ...store,
    commit: (...unit) => (out === 'writes' ? refuse() : store.commit(...unit)),
    reads: {
      ...store.reads,
      async queuesToDo(at) {
        const found = await store.reads.queuesToDo(at)
        // Also where it went out under the look.
        return out === 'reads' ? refuse() : found
      },
    },
  }
  const refuse = () => {
    requested += 1
    return Promise.reject(new Error('the database can’t be reached'))
  }
  await using receiver = await startReceiver(undefined)
  const ahead = { ms: 0 }
  await using _ = worker(failing, { hook: receiver.url }, ahead, 'test', logger)
  for (const outage of ['reads', 'writes'] as const) {
    requested = 0
    out = outage
    await happen(store, 'hook', 1)
    await until(() => requested >= 3, { what: () => `3 questions; ${requested} were asked` })
    out = 'no'
    const before = receiver.taken.length
    await until(() => receiver.taken.length === before + 2, { what: 'what happened meanwhile' })
    await recorded(under)
    await until(() => lines.length >= (outage === 'reads' ? 2 : 4), { what: () => `lines: ${lines}` })
  }
  expect(lines).toEqual([
    'error: the queues of events could not be read; trying again',
    'info: the queues of events can be read again',
    'error: events could not be delivered; trying again',
    'info: events can be delivered again',
  ])
})
