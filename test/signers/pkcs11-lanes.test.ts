// How many signatures a token serves at once, as the service finds out.
import { expect, test } from 'vitest'
import { lanesMax, measured, oneLane, type TokenLanes } from '../../src/signers/pkcs11-lanes.ts'

/** `tookMs`: of one signature beside so many others. */
function after(
  signatures: number,
  tookMs: (lanes: number) => number,
  from: TokenLanes = oneLane,
  nowMs = 0,
): TokenLanes {
  return Array.from({ length: signatures }).reduce<TokenLanes>(
    (lanes) => measured(lanes, lanes.count, tookMs(lanes.count), nowMs),
    from,
  )
}

test('a token that signs side by side gets more lanes, up to a limit', () => {
  expect(after(6, () => 700).count).toBe(3)
  expect(after(1_000, () => 700).count).toBe(lanesMax)
})

test('a token that signs one after the other keeps one lane, and is tried again a minute later', () => {
  const settled = after(6, (lanes) => 700 * lanes)
  expect(settled.count).toBe(1)
  expect(after(100, (lanes) => 700 * lanes, settled, 59_999).count).toBe(1)
  expect(after(2, (lanes) => 700 * lanes, settled, 60_000).count).toBe(2)
})

test('a token of three lanes gets three', () => {
  expect(after(100, (lanes) => 700 * Math.max(1, lanes / 3)).count).toBe(3)
})

test('one signature that took no time, or that took long, changes nothing', () => {
  for (const odd of [3, 1_500]) {
    const first = measured(measured(oneLane, 1, odd, 0), 1, 700, 0)
    expect(after(40, () => 700, first).count).toBeGreaterThan(4)
    const second = after(2, () => 700)
    expect(after(40, () => 700, measured(second, second.count, odd, 0)).count).toBeGreaterThan(4)
  }
})

test('a token that becomes so slow that tries run out of time gets half of the lanes at once', () => {
  const busy = after(1_000, () => 700)
  const counts = [1, 2, 3, 4].map((times) => after(times, () => 2_100, busy).count)
  expect(counts).toEqual([4, 2, 1, 1])
  // One that takes so long by itself has one lane.
  expect(after(40, () => 1_900).count).toBe(1)
})

test('a token that is not busy shows nothing', () => {
  const busy = after(2, () => 700)
  expect(measured(busy, 1, 1_500, 0)).toEqual(busy)
})
