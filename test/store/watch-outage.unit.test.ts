// An outage of the database is logged once at its start and once at its end, whatever succeeds or fails around them.
import { expect, test } from 'vitest'
import { RescindError } from '../../src/domain/errors.ts'
import { processConditions } from '../../src/domain/process-condition.ts'
import type { Logger } from '../../src/ops/logger.ts'
import { watchProcess } from '../../src/ops/process-states.ts'
import type { Store } from '../../src/store/store.ts'
import { watchOutage } from '../../src/store/watch-outage.ts'
import { manualClock } from '../support/manual-clock.ts'

const failure = () => new RescindError('DATABASE_UNAVAILABLE', 'the disk is full')
const settled = () => new Promise((resolve) => setImmediate(resolve))

function watching() {
  const lines: string[] = []
  const log = (_: unknown, text: string) => void lines.push(text.slice(0, 18))
  const partly: Partial<Logger> = { error: log as never, info: log as never, debug: () => {} }
  let isFull = false
  const store: Partial<Store> = {
    commit: async (unit) => unit(undefined as never),
    check: async () => {
      if (isFull) throw failure()
    },
    reads: {
      revision: async () => {
        throw failure()
      },
    } as Partial<Store['reads']> as Store['reads'],
  }
  const clock = manualClock()
  const states = watchProcess(clock, processConditions)
  const watched = watchOutage(store as Store, { logger: partly as Logger, states, clock })
  return {
    lines,
    clock,
    check: () => watched.check(),
    reason: () => states.held()[0]?.reason,
    isOut: () => states.held().some(({ condition }) => condition === 'database_out'),
    fill: (is: boolean) => {
      isFull = is
    },
    reading: () => watched.commit(async () => undefined),
    readingDamage: () => watched.reads.revision(),
    writing: () =>
      watched.commit(async () => {
        if (isFull) throw failure()
      }),
    /** It began now, and fails once `fail` is called. */
    late() {
      const { promise, reject } = Promise.withResolvers<void>()
      const committed = watched.commit(() => promise)
      return { committed, fail: () => reject(failure()) }
    },
  }
}
const [began, over] = ['the database does ', 'the database works']

test('a unit that wrote nothing does not end it', async () => {
  const { lines, fill, reading, writing, isOut } = watching()
  fill(true)
  await expect(writing()).rejects.toThrow()
  await reading()
  await settled()
  await expect(writing()).rejects.toThrow()
  expect(lines).toEqual([began])
  expect(isOut()).toBe(true)
  fill(false)
  await writing()
  await settled()
  expect(lines).toEqual([began, over])
  expect(isOut()).toBe(false)
})

test('a failure of what began before its end does not begin another', async () => {
  const { lines, fill, writing, late } = watching()
  fill(true)
  await expect(writing()).rejects.toThrow()
  const { committed, fail } = late()
  fill(false)
  await writing()
  await settled()
  fail()
  await expect(committed).rejects.toThrow()
  expect(lines).toEqual([began, over])
})

test('an outage of a part ends once nothing has failed for a minute, though other writes succeed', async () => {
  const { lines, fill, writing, reading, check, isOut, reason, clock } = watching()
  const failOnce = async () => {
    fill(true)
    await expect(writing()).rejects.toThrow()
    fill(false)
  }
  await failOnce()
  expect(reason()).toBe('the disk is full')
  await reading()
  await settled()
  for (let times = 0; times < 3; times += 1) {
    clock.advance(30_000)
    await failOnce()
    await reading()
    await check()
    expect(isOut()).toBe(true)
  }
  clock.advance(60_000)
  await check()
  expect(isOut()).toBe(false)
  expect(lines).toEqual([began, over, began, over])
})

test('what only a read meets is an outage of a part, too', async () => {
  const { lines, readingDamage, writing, check, isOut, clock } = watching()
  for (let times = 0; times < 2; times += 1) {
    await expect(readingDamage()).rejects.toThrow()
    expect(isOut()).toBe(true)
    await writing()
    await settled()
  }
  expect(isOut()).toBe(true)
  clock.advance(60_000)
  await check()
  expect(isOut()).toBe(false)
  expect(lines).toEqual([began, over, began, over])
})
