// A no-op that nodes call invalid: it goes out again, so that a node that comes to its senses ends the race.
import { describe, expect, test } from 'vitest'
import { type Attempt, afterBroadcast, beforeBroadcast } from '../../../src/domain/attempt.ts'
import { invalidPauseMaxMs } from '../../../src/domain/decide/race/repeat-after.ts'
import { attemptsMax } from '../../../src/domain/decide/terms/rivals.ts'
import type { Market } from '../../../src/domain/fees.ts'
import type { NonEmpty } from '../../../src/domain/ids.ts'
import { decideInWords as decide } from '../in-words.ts'
import {
  broadcastStates,
  calledInvalid,
  canceled,
  ether,
  headAt,
  height,
  inFlight,
  now,
  someAttempt,
  someMarket,
  someNoOp,
  someObservation,
  somePolicy,
  someRepeatAfter,
  someSituation,
  someWork,
} from '../some.ts'

const invalid = { kind: 'rejected', code: 'invalid', message: 'intrinsic gas too low' } as const
const blockMs = 12_000
const blocksOfAnHour = 300

/** Which no-ops leave at each block of an hour in which every node calls each of them invalid. */
function hourOfRefusals(market: Market): { broadcasts: readonly number[]; attempts: NonEmpty<Attempt> } {
  let attempts: NonEmpty<Attempt> = [someAttempt(0)]
  const broadcasts: number[] = []
  for (let block = 1; block <= blocksOfAnHour; block += 1) {
    const at = now + block * blockMs
    const observation = someObservation({ market, head: headAt(height + block), balance: ether })
    const { decisions } = decide({
      work: someWork({ open: [inFlight(0, attempts, canceled)] }),
      observation,
      policy: somePolicy,
      now: at,
    })
    for (const decision of decisions) {
      if (decision.do === 'signNoOp') {
        const noOp = someNoOp(0, { fees: decision.fees, recordedAt: at, recordedAtBlock: height + block })
        attempts = [...attempts, afterBroadcast({ ...noOp, broadcast: broadcastStates.sending }, invalid, at)]
        broadcasts.push(block)
      }
      if (decision.do === 'rebroadcast') {
        const { hash } = decision.attempt
        attempts = attempts.map((each) =>
          each.hash === hash ? afterBroadcast(beforeBroadcast(each), invalid, at) : each,
        ) as unknown as NonEmpty<Attempt>
        broadcasts.push(block)
      }
    }
  }
  return { broadcasts, attempts }
}

describe('a no-op that every node calls invalid, for an hour', () => {
  test.each([
    ['where blocks are empty', { areUsed: false, haveRoom: true }],
    ['where more no-ops are signed until there are enough', { areUsed: true, haveRoom: false }],
  ])('is broadcast now and then to the end of it, %s', (_, blocks) => {
    const { broadcasts, attempts } = hourOfRefusals({ ...someMarket, blocks })
    const last = broadcasts.at(-1) ?? 0
    expect((blocksOfAnHour - last) * blockMs).toBeLessThanOrEqual(invalidPauseMaxMs)
    expect(attempts.length - 1).toBeLessThanOrEqual(attemptsMax)
  })

  test('after pauses that double and have a bound, and says why it waits', () => {
    const second = someRepeatAfter.doubtfulMs
    const decisionsAfter = (triedMs: number, pausedMs: number) => {
      const broadcast = calledInvalid(now + triedMs, now)
      const attempts = [someAttempt(0), someNoOp(0, { broadcast })] as const
      const open = [inFlight(0, attempts, canceled)]
      return decide(someSituation({ open }, {}, {}, now + triedMs + pausedMs)).decisions
    }
    for (const [triedMs, pauseMs] of [
      [1, second],
      [2 * second, 2 * second],
      [100 * invalidPauseMaxMs, invalidPauseMaxMs],
    ] as const) {
      const reported = {
        do: 'explain',
        condition: 'node_refuses',
        reason: expect.stringContaining('intrinsic gas too low'),
      }
      expect(decisionsAfter(triedMs, pauseMs - 1)).toMatchObject([reported])
      expect(decisionsAfter(triedMs, pauseMs)).toMatchObject([
        reported,
        { do: 'rebroadcast', attempt: { kind: 'cancel' } },
      ])
    }
  })
})
