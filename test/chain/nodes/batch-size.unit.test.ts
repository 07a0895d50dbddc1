// How large batches to one endpoint are: down at once where they are refused, and up again an hour later.
import { expect, test } from 'vitest'
import { type BatchSize, learnBatchSize } from '../../../src/chain/nodes/batch-size.ts'
import type { Clock } from '../../../src/ops/clock.ts'

const hour = 3_600_000

function learning() {
  const time = { ms: 0 }
  const sizes: number[] = []
  const clock = { elapsed: () => time.ms } as Clock
  const size = learnBatchSize(clock, (calls) => sizes.push(calls))
  return { size, sizes, pass: (ms: number) => (time.ms += ms) }
}

/** Makes requests of `calls`, to a gateway that takes `callsMax` in each. Returns the sizes of all of them, refused or not. */
function ask(size: BatchSize, calls: number, callsMax: number): readonly number[] {
  const requests: number[] = []
  for (let left = calls; left > 0; ) {
    const taken = size.take(left)
    requests.push(taken)
    if (taken > callsMax) {
      size.refused(taken)
      continue
    }
    if (taken > 1) size.answered()
    left -= taken
  }
  return requests
}

test('a hundred share a request until one is refused', () => {
  const { size, sizes } = learning()
  expect(ask(size, 250, 1000)).toEqual([100, 100, 50])
  expect(sizes).toEqual([])
})

test('a limit of ten is found by one refusal, and costs one request an hour', () => {
  const { size, sizes, pass } = learning()
  expect(ask(size, 40, 10)).toEqual([40, 10, 10, 10, 10])
  pass(hour - 1)
  expect(ask(size, 40, 10)).toEqual([10, 10, 10, 10])
  pass(1)
  expect(ask(size, 40, 10)).toEqual([40, 10, 10, 10, 10])
  expect(ask(size, 40, 10)).toEqual([10, 10, 10, 10])
  expect(sizes).toEqual([10, 10])
})

test('a gateway without batches is found by two refusals, or by one of a few calls', () => {
  const { size, sizes } = learning()
  expect(ask(size, 12, 1)).toEqual([12, 10, ...Array(12).fill(1)])
  expect(sizes).toEqual([10, 1])
  const few = learning()
  expect(ask(few.size, 2, 1)).toEqual([2, 1, 1])
  expect(few.sizes).toEqual([1])
})

test('an hour after a passing refusal a hundred share a request again', () => {
  const { size, sizes, pass } = learning()
  ask(size, 100, 1)
  pass(hour)
  expect(ask(size, 250, 1000)).toEqual([100, 100, 50])
  expect(sizes).toEqual([10, 1])
})

test('batches that left before a refusal change nothing', () => {
  const { size, sizes } = learning()
  for (const calls of [100, 100, 50]) expect(size.take(calls)).toBe(calls)
  for (const calls of [100, 100, 50]) size.refused(calls)
  expect(size.take(100)).toBe(10)
  size.answered()
  expect(size.take(100)).toBe(10)
  expect(sizes).toEqual([10])
})

test('a limit that falls is found from the size that worked', () => {
  const { size } = learning()
  ask(size, 100, 10)
  expect(ask(size, 10, 3)).toEqual([10, ...Array(10).fill(1)])
})
