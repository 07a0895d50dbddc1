// The limits hold together, and a change that breaks a relation is noticed.
import { expect, test } from 'vitest'
import { assertLimits, limits } from '../../src/config/limits.ts'

test('the limits that we ship hold together', () => {
  expect(() => assertLimits(limits)).not.toThrow()
})

test.each([
  [{ queueMaxOnSqlite: 10 }, /maxInFlightMax <= queueMaxOnSqlite/],
  [{ queueMax: 40_000 }, /queueMaxOnSqlite <= queueMax/],
  [{ cancelBumpAfterBlocks: 9 }, /cancelBumpAfterBlocks <= bumpAfterBlocks/],
  [{ rpcTimeoutMs: 0 }, /positive whole number/],
  [{ rpcTimeoutMs: 1.5 }, /positive whole number/],
])('%j is refused', (change, message) => {
  expect(() => assertLimits({ ...limits, ...change })).toThrow(message)
})
