// The smallest tip that pools name: it belongs to the endpoint that named it, and is forgotten after an hour.
import { expect, test } from 'vitest'
import { openTipFloor } from '../../../src/chain/fees/limit-tips.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'

const [one, other, third] = [0, 1, 2].map((index) => ({ index })) as unknown as readonly [Endpoint, Endpoint, Endpoint]
const hourMs = 3_600_000

test('a learned minimum is forgotten after an hour', () => {
  let elapsed = 0
  const floor = openTipFloor({ elapsed: () => elapsed })
  floor.learn(7n, one)
  elapsed = hourMs - 1
  expect(floor.current([one])).toBe(7n)
  elapsed = hourMs
  expect(floor.current([one])).toBe(0n)
})

test('a minimum counts only as far as a second endpoint named one', () => {
  const floor = openTipFloor({ elapsed: () => 0 })
  floor.learn(7n, one)
  expect(floor.current([one, other])).toBe(0n)
  expect(floor.current([one, other, third])).toBe(0n)
  floor.learn(3n, other)
  expect(floor.current([one, other])).toBe(3n)
  expect(floor.current([one, other, third])).toBe(3n)
  expect(floor.current([])).toBe(0n)
})
