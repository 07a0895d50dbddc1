// Which transactions the filter of a bulk cancellation matches. The store's contract compares it with the queries.
import { expect, test } from 'vitest'
import { matches } from '../../src/domain/bulk-filter.ts'
import { now, queued } from './some.ts'

test('of several tags, one that the transaction has is enough, and another is none of them', () => {
  const isMatch = (tags: readonly string[]) => matches({ tags: ['red', 'blue'] }, queued(1), now, tags)
  expect([['red'], ['green', 'blue'], ['green'], []].map(isMatch)).toEqual([true, true, false, false])
})
