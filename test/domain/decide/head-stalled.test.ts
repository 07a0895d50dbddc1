// The law of a head that stands still: by the measured block time, or by a transaction of ours where blocks come on demand.
import { expect, test } from 'vitest'
import { isHeadStalled } from '../../../src/domain/decide/waits/head-stalled.ts'
import { broadcastStates, eip1559, gwei, inFlight, now, someAttempt, someObservation } from '../some.ts'

const at = (headStandsMs: number, blocktimeMs?: number) =>
  someObservation({ headStandsMs, ...(blocktimeMs !== undefined && { blocktimeMs }) })
const sentFor = (ms: number, changes: Parameters<typeof someAttempt>[1] = {}, nonce = 0) => ({
  open: [inFlight(nonce, [someAttempt(nonce, { recordedAt: now - ms, ...changes })])],
})

test.each([
  [2_000, 100_000, false],
  [2_000, 100_001, true],
  [12_000, 300_000, false],
  [12_000, 300_001, true],
])('with blocks of %i ms it takes 60 s and 20 of them: %i ms are %s', (blocktimeMs, standsMs, isStalled) => {
  expect(isHeadStalled({ open: [] }, at(standsMs, blocktimeMs), now)).toBe(isStalled)
})

test('where blocks come on demand, a head stands as long as nobody sends', () => {
  expect(isHeadStalled({ open: [] }, at(10 ** 9), now)).toBe(false)
  expect(isHeadStalled(sentFor(60_001), at(10 ** 9), now)).toBe(true)
  expect(isHeadStalled(sentFor(60_000), at(10 ** 9), now)).toBe(false)
  expect(isHeadStalled(sentFor(10 ** 6), at(60_000), now)).toBe(false)
  // No block takes it, or no node has it.
  expect(isHeadStalled(sentFor(60_001, { fees: eip1559(gwei, gwei) }), at(10 ** 9), now)).toBe(false)
  expect(isHeadStalled(sentFor(60_001, { broadcast: broadcastStates.held }), at(10 ** 9), now)).toBe(false)
  expect(isHeadStalled(sentFor(60_001, {}, 1), at(10 ** 9), now)).toBe(false)
})
