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
function ask(size: BatchSize, calls: number, callsMax: number, kind: 'reads' | 'sends' = 'reads'): readonly number[] {
  const requests: number[] = []
  for (let left = calls; left > 0; ) {
    const taken = size.take(left, kind)
    requests.push(taken)
    if (taken > callsMax) {
      size.refused(taken)
      continue
    }
    if (taken > 1) size.answered(taken)
    left -= taken
  }
  return requests
}

test('256 reads share a request until one is refused, and then a hundred', () => {
  const { size, sizes } = learning()
  expect(ask(size, 300, 1000)).toEqual([256, 44])
  expect(sizes).toEqual([])
  const limited = learning()
  expect(ask(limited.size, 300, 100)).toEqual([256, 100, 100, 100])
  expect(limited.sizes).toEqual([100])
})

test('more than a hundred sends share a request only where as many reads were answered in one', () => {
  const { size } = learning()
  expect(ask(size, 256, 1000, 'sends')).toEqual([100, 100, 56])
  ask(size, 180, 1000)
  expect(ask(size, 256, 1000, 'sends')).toEqual([180, 76])
  ask(size, 256, 1000)
  expect(ask(size, 300, 1000, 'sends')).toEqual([256, 44])
  size.refused(256)
  expect(ask(size, 256, 100, 'sends')).toEqual([100, 100, 56])
})

test('where a gateway leaves calls of a large batch out, they go again a hundred at a time, and those of a small one singly', () => {
  const { size, sizes } = learning()
  expect(size.partlyAnswered(256)).toBe(true)
  expect(size.take(156, 'reads')).toBe(100)
  expect(size.partlyAnswered(100)).toBe(false)
  expect(size.partlyAnswered(56)).toBe(true)
  expect(size.take(20, 'reads')).toBe(1)
  expect(sizes).toEqual([100, 1])
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

test('an hour after a passing refusal as many reads as before share a request', () => {
  const { size, sizes, pass } = learning()
  ask(size, 100, 1)
  pass(hour)
  expect(ask(size, 250, 1000)).toEqual([250])
  expect(sizes).toEqual([10, 1])
})

test('batches that left before a refusal change nothing', () => {
  const { size, sizes } = learning()
  for (const calls of [100, 100, 50]) expect(size.take(calls, 'reads')).toBe(calls)
  for (const calls of [100, 100, 50]) size.refused(calls)
  expect(size.take(100, 'reads')).toBe(10)
  size.answered(100)
  expect(size.take(100, 'reads')).toBe(10)
  expect(size.take(100, 'sends')).toBe(10)
  expect(sizes).toEqual([10])
})

test('a limit that falls is found from the size that worked', () => {
  const { size } = learning()
  ask(size, 100, 10)
  expect(ask(size, 10, 3)).toEqual([10, ...Array(10).fill(1)])
})
