// When a spent nonce is looked for again that nothing explains yet.
import { expect, test } from 'vitest'
import { rememberUnexplained } from '../../../src/chain/inclusions/unexplained.ts'
import type { Inclusion } from '../../../src/domain/transaction.ts'

const address = `0x${'ab'.repeat(20)}` as const
const shown: Inclusion = {
  by: 'attempt',
  kind: 'execute',
  hash: `0x${'01'.repeat(32)}`,
  block: { number: 99, hash: `0x${'02'.repeat(32)}` },
}

let elapsedMs = 0
const remembering = (reorgs = () => 0) => rememberUnexplained(reorgs, () => elapsedMs)

/** The blocks after 100 at which it is looked for in vain. */
function looksUntil(age: number, unexplained = remembering(), blockMs = 12_000): readonly number[] {
  const ages: number[] = []
  for (let head = 100; head <= 100 + age; head += 1) {
    elapsedMs += blockMs
    if (!unexplained.isDue(address, 7, head)) continue
    ages.push(head - 100)
    unexplained.lookedFor(address, 7, head, undefined)
  }
  return ages
}

test('at once, with the next block, and then ever more rarely', () => {
  expect(looksUntil(48)).toEqual([0, 1, 2, 4, 8, 16, 24, 32, 40, 48])
})

test('of short blocks by time: no more than twice in ten seconds in the end', () => {
  const ages = looksUntil(500, remembering(), 200)
  expect(ages.slice(0, 5)).toEqual([0, 1, 2, 4, 8])
  expect(ages.filter((each) => each > 250).length).toBeLessThanOrEqual(10)
})

test('a block that was missed is made up for', () => {
  const unexplained = remembering()
  unexplained.lookedFor(address, 7, 100, undefined)
  unexplained.lookedFor(address, 7, 104, undefined)
  elapsedMs += 60_000
  expect([105, 107, 108, 130].map((head) => unexplained.isDue(address, 7, head))).toEqual([false, false, true, true])
})

test('anew after a reorganization, under a lower head, or once it was explained', () => {
  let reorgs = 0
  const unexplained = remembering(() => reorgs)
  looksUntil(20, unexplained)
  unexplained.lookedFor(address, 7, 124, shown)
  expect([unexplained.isDue(address, 7, 125), unexplained.shown(address, 7)]).toEqual([false, shown])
  expect(unexplained.isDue(address, 7, 90)).toBe(true)
  reorgs += 1
  expect([unexplained.isDue(address, 7, 125), unexplained.shown(address, 7)]).toEqual([true, undefined])
  unexplained.lookedFor(address, 7, 125, undefined)
  unexplained.lookedFor(address, 7, 126, undefined)
  expect(unexplained.isDue(address, 7, 126)).toBe(false)
  unexplained.forget(address, 7)
  expect(unexplained.isDue(address, 7, 126)).toBe(true)
})

test('each nonce and account for itself', () => {
  const unexplained = remembering()
  looksUntil(20, unexplained)
  expect(unexplained.isDue(address, 8, 121)).toBe(true)
  expect(unexplained.isDue(`0x${'cd'.repeat(20)}`, 7, 121)).toBe(true)
})

test('a receipt is awaited for both its blocks and its time, from the first search on', () => {
  const unexplained = remembering()
  const awaited = { blocks: 32, ms: 60_000 }
  const hasWaited = (head: number) => unexplained.hasWaited(awaited, address, 7, 99, head)
  expect(hasWaited(500)).toBe(false)
  unexplained.lookedFor(address, 7, 100, shown)
  elapsedMs += 59_999
  expect(hasWaited(500)).toBe(false)
  elapsedMs += 1
  unexplained.lookedFor(address, 7, 130, shown)
  expect([hasWaited(130), hasWaited(131)]).toEqual([false, true])
})
