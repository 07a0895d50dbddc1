// Which transactions the filter of a bulk cancellation matches. The store's contract compares it with the queries.
import { expect, test } from 'vitest'
import { type BulkFilter, matches } from '../../src/domain/bulk-filter.ts'
import { now, queued } from './some.ts'

test('of several tags, one that the transaction has is enough, and another is none of them', () => {
  const isMatch = (tags: readonly string[]) => matches({ tags: ['red', 'blue'] }, queued(1), now, tags)
  expect([['red'], ['green', 'blue'], ['green'], []].map(isMatch)).toEqual([true, true, false, false])
})

test('with the last creation of an earlier preview ages are those of then: nothing grows into one, or out of one', () => {
  const previewed = now - 10_000
  const isMatch = (filter: BulkFilter, createdAt: number) => matches(filter, queued(1, { createdAt }), now, [])
  const older = { createdTo: previewed, olderThanMs: 5_000 }
  expect([previewed - 5_000, previewed - 4_999].map((at) => isMatch(older, at))).toEqual([true, false])
  const newer = { createdTo: previewed, newerThanMs: 5_000 }
  expect([previewed - 4_999, previewed - 5_000].map((at) => isMatch(newer, at))).toEqual([true, false])
})

test('a last creation after the instant changes no age', () => {
  const isMatch = (filter: BulkFilter, createdAt: number) => matches(filter, queued(1, { createdAt }), now, [])
  const later = now + 10_000
  expect([5_000, 4_999].map((age) => isMatch({ createdTo: later, olderThanMs: 5_000 }, now - age))).toEqual([
    true,
    false,
  ])
  expect([4_999, 5_000].map((age) => isMatch({ createdTo: later, newerThanMs: 5_000 }, now - age))).toEqual([
    true,
    false,
  ])
})
