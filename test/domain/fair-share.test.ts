// Above a limit the records of the key with the most go.
import { expect, test } from 'vitest'
import { overShare } from '../../src/domain/fair-share.ts'
import { dice } from '../../tooling/dice.ts'

/** What is left of each when the excess went. */
function left(counts: readonly number[], max: number): readonly number[] {
  const held = counts.map((count, key) => ({ key, count }))
  for (let over = overShare(held, max); over; over = overShare(held, max)) {
    const { key, count } = over
    expect(count).toBeGreaterThan(0)
    held[key] = { key, count: (held[key]?.count ?? 0) - count }
  }
  return held.map(({ count }) => count)
}

test('those with less than an equal share keep all', () => {
  expect(overShare([], 10)).toBe(undefined)
  expect(left([3, 7], 10)).toEqual([3, 7])
  expect(left([20, 150, 600], 200)).toEqual([20, 90, 90])
  expect(left([1, 1, 600], 200)).toEqual([1, 1, 198])
  expect(left([5, 5, 5], 2)).toEqual([1, 1, 0])
})

test('whatever the counts are, the limit holds, and only the largest lose', () => {
  const random = dice(54, 'shares')
  for (let round = 0; round < 300; round += 1) {
    const counts = Array.from({ length: 1 + random.below(8) }, () => random.below(200))
    const max = random.below(400)
    const rest = left(counts, max)
    expect(rest.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(max)
    const lost = rest.filter((each, index) => each < (counts[index] ?? 0))
    const highest = Math.max(...rest)
    for (const each of lost) expect(each).toBeGreaterThanOrEqual(highest - 1)
  }
})
