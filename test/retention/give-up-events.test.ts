// A receiver that is down for days: its events are given up, and events and transactions of everybody else go on being removed.
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { type Clock, nextTurn } from '../../src/ops/clock.ts'
import type { Logger } from '../../src/ops/logger.ts'
import { pruneEvents } from '../../src/retention/prune-events.ts'
import { pruneTransactions } from '../../src/retention/prune-transactions.ts'
import { until } from '../../tooling/client.ts'
import { now } from '../domain/some.ts'
import { storedRelayer } from '../store/contract.ts'
import { day, happen, notified } from '../store/contract-deliveries.ts'
import { quiet } from '../store/open-store.ts'
import { openTestedStore } from '../support/open-tested-store.ts'

/** Short pauses pass at once; a round's end waits for the test. */
function clockInRounds(start: number) {
  let time = start
  let next: (() => void) | undefined
  const clock: Clock = {
    now: () => time,
    elapsed: () => time - start,
    afterThis: setImmediate,
    async sleep(ms, signal) {
      time += ms
      if (ms < 60_000) return nextTurn()
      await new Promise<void>((resolve) => {
        next = resolve
        signal?.addEventListener('abort', () => resolve())
      })
    },
  }
  return {
    clock,
    roundIsOver: () => until(() => next !== undefined, { what: 'the end of a round' }),
    begin(afterMs: number) {
      time += afterMs
      const resume = next
      next = undefined
      resume?.()
    },
  }
}

const eventsOfDead = 2_400
const retention = {
  eventsKeptMs: 7 * day,
  eventsKeptMax: 1_000_000,
  deadLettersKeptMs: 30 * day,
  deadLettersKeptMax: 1_000,
}

test('what a dead receiver did not take within a day is given up in bounded rows, and everybody else goes on', async () => {
  await using under = await openTestedStore()
  const { store } = under
  const [dead, plain] = [await notified(store), await storedRelayer(store)]
  for (let each = 0; each < eventsOfDead / 200; each += 1) {
    await happen(store, dead, 200)
    await happen(store, plain, 5)
  }
  const start = now + 9 * day
  const young = await happen(store, dead, 1, start)
  const newest = await happen(store, plain, 1, start)
  const rows = async (table: string, where = 'TRUE') => {
    const [found] = await under.query<{ count: number }>(`SELECT count(*) AS count FROM ${table} WHERE ${where}`)
    return Number(found?.count)
  }
  const transactionsOf = (id: RelayerId) => rows('transactions', `relayer_id = '${id}'`)
  // Events of other database transactions of the server may delay the newest for a moment.
  await until(async () => (await store.reads.newestEvent()) === (await rows('outbox')), {
    what: 'all events to settle',
  })

  const lines: object[] = []
  const logger: Logger = { ...quiet, warn: (...line: unknown[]) => void lines.push(line) }
  const counts: object[] = []
  const metrics = { givenUp: (_: string, share: object) => void counts.push(share) }
  const { clock, roundIsOver, begin } = clockInRounds(start)
  await using _pruning = pruneEvents({ store, clock, logger, metrics, retention })
  await roundIsOver()
  // The service may have been down for the nine days, so the receiver has ten minutes more.
  expect([await rows('deliveries'), await store.reads.eventsPrunedThrough()]).toEqual([0, 0])

  async function removeTransactions(): Promise<void> {
    const rounds = clockInRounds(clock.now())
    const isOurs = () => true
    await using _ = pruneTransactions({ store, clock: rounds.clock, logger: quiet, keptMs: 8 * day, isOurs })
    await rounds.roundIsOver()
  }
  await removeTransactions()
  expect([await transactionsOf(dead.id), await transactionsOf(plain.id)]).toEqual([13, 13])

  begin(600_000)
  await roundIsOver()
  expect(await rows('deliveries')).toBe(retention.deadLettersKeptMax)
  expect(await rows('deliveries', "state = 'dead'")).toBe(retention.deadLettersKeptMax)
  // Dead letters, and the two events that are young.
  expect(await rows('outbox')).toBe(retention.deadLettersKeptMax + 2)
  await removeTransactions()
  expect(await transactionsOf(plain.id)).toBe(1)
  expect(await transactionsOf(dead.id)).toBe(retention.deadLettersKeptMax / 200 + 1)
  expect(await store.reads.transaction(plain.id, newest.id)).toBeDefined()
  expect(await store.reads.transaction(dead.id, young.id)).toBeDefined()

  const facts = { notification: dead.notificationId, given_up: eventsOfDead, dropped: 1_400 }
  expect(lines).toEqual([[facts, 'events of a receiver were given up: it did not take them within a day']])
  expect(counts.length).toBeGreaterThanOrEqual(eventsOfDead / 500)
  expect(Math.max(...counts.map((share) => (share as { givenUp: number }).givenUp))).toBe(500)
})
