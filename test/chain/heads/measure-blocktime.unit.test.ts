// The block time as it is measured: on steady chains, and where no figure would be true, none.
import { describe, expect, test } from 'vitest'
import { measureBlocktime, type Pace } from '../../../src/chain/heads/measure-blocktime.ts'
import type { Logger } from '../../../src/ops/logger.ts'
import { noChainMetrics } from '../../../src/ops/metrics.ts'
import { type ManualClock, manualClock } from '../../support/manual-clock.ts'

interface Bench {
  readonly clock: ManualClock
  readonly pace: Pace
  readonly warnings: readonly object[]
  /** The gauge, as it was set last. */
  readonly shown: () => number | undefined
  /** So many blocks, each after so long, all of them seen. */
  make(blocks: number, ms: number): void
}

function bench({ configuredMs = 12_000, isGiven = true } = {}): Bench {
  const clock = manualClock()
  const warnings: object[] = []
  let shown: number | undefined
  const logger = { warn: (facts: object) => warnings.push(facts) } as unknown as Logger
  const metrics = {
    ...noChainMetrics,
    blocktime: (ms: number) => {
      shown = ms
    },
  }
  const pace = measureBlocktime({ configuredMs, isGiven, clock, logger, metrics })
  let number = 0
  return {
    clock,
    pace,
    warnings,
    shown: () => shown,
    make(blocks, ms) {
      for (let block = 0; block < blocks; block += 1) {
        clock.advance(ms)
        number += 1
        pace.saw({ number })
      }
    },
  }
}

describe('by the heads that were seen', () => {
  test.each([100, 250, 1_000, 2_000, 12_000, 15_000])('a block each %d ms is measured as that', (ms) => {
    const { pace, make, shown } = bench()
    make(Math.max(40, 20_000 / ms), ms)
    expect(pace.measuredMs()).toBe(ms)
    expect(pace.ms()).toBe(ms)
    expect(shown()).toBe(ms)
  })

  test('until enough was seen, the configured one counts', () => {
    const { pace, make } = bench()
    make(20, 1_000)
    expect(pace.measuredMs()).toBeUndefined()
    expect(pace.ms()).toBe(12_000)
  })

  test('heads that are read seldom give the same block time', () => {
    const { pace, clock } = bench()
    for (const [index, seconds] of [0, 4, 8, 3_600, 3_604, 3_608, 7_200, 7_204].entries()) {
      clock.advance(seconds * 1_000 - clock.elapsed())
      pace.saw({ number: 1_000 + seconds * 4 + (index % 2) })
    }
    expect(pace.measuredMs()).toBe(250)
  })

  test('the clock of a development chain that jumps by a day changes nothing', () => {
    const { pace, clock, make } = bench()
    make(20, 2_000)
    clock.set(86_400_000)
    make(20, 2_000)
    expect(pace.measuredMs()).toBe(2_000)
  })

  test('a chain that changes its pace is measured by the new one', () => {
    const { pace, make } = bench()
    make(64, 12_000)
    make(64, 6_000)
    expect(pace.measuredMs()).toBe(6_000)
  })

  test('blocks on demand have no steady pace: the configured one counts again', () => {
    const { pace, make, shown, warnings } = bench({ configuredMs: 1_000 })
    make(64, 1_000)
    expect(pace.measuredMs()).toBe(1_000)
    for (const ms of [500, 90_000, 700, 600, 1_200_000]) make(8, ms)
    expect(pace.measuredMs()).toBeUndefined()
    expect([pace.ms(), shown()]).toEqual([1_000, 1_000])
    expect(warnings).toEqual([])
  })

  test('a thousand blocks mined at once are no pace', () => {
    const { pace, make, clock } = bench()
    make(20, 1_000)
    clock.advance(1_000)
    pace.saw({ number: 1_020 })
    make(3, 1_000)
    expect(pace.measuredMs()).toBeUndefined()
  })
})
