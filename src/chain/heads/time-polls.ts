// When the head is polled: in step with the blocks, and what each poll may find.
import type { Clock } from '../../ops/clock.ts'
import type { Pace } from './measure-blocktime.ts'

interface Due {
  /** Whether it is time for another head. */
  readonly isDue: boolean
  /** How many blocks the chain should have made since the known head was read last. 1 where its pace is unknown, or blocks are late. */
  readonly blocks: number
}

export interface Polls {
  /** A reading of the head begins. */
  begin(): Due
  /** A reading of the head is over. `found`: undefined if no head was read. `isUrgent`: facts for a decision came with it. */
  end(found: 'new' | 'known' | undefined, isUrgent: boolean): void
  /** The time from now until the next poll begins. */
  pauseMs(): number
  intervalMs(): number
}

const pollMinMs = 50
const pollMaxMs = 4_000
/** A block may come a little earlier than after the mean time. */
const dueBlocks = 0.85
/** A block that is late is polled for after a quarter of the interval, for one interval. */
const quarters = 4
/**
 * Each further find in a row moves the next poll forward by one more 64th of the interval, by eight at most: a poll in vain shows when blocks
 * come. Otherwise polls that begin late would stay late. This takes twelve blocks at most.
 */
const forward = { part: 64, most: 8 }

export function timingPolls(pace: Pick<Pace, 'ms' | 'isKnown'>, clock: Pick<Clock, 'elapsed'>): Polls {
  let begunAt = Number.NEGATIVE_INFINITY
  /** When the reading began that found the newest head, and when the last one began that confirmed it. */
  let foundAt = Number.NEGATIVE_INFINITY
  let seenAt = Number.NEGATIVE_INFINITY
  let isDue = false
  let inVain = 0
  let finds = 0

  const intervalMs = () => Math.min(pollMaxMs, Math.max(pollMinMs, pace.ms()))

  function nextAt(): number {
    const interval = intervalMs()
    if (inVain > 0 && inVain <= quarters) return begunAt + Math.max(pollMinMs, interval / quarters)
    const dueAt = foundAt + pace.ms() - (interval * Math.min(Math.max(0, finds - 1), forward.most)) / forward.part
    const isAhead = dueAt >= begunAt + pollMinMs
    return Math.min(begunAt + interval, isAhead ? dueAt : Number.POSITIVE_INFINITY)
  }

  return {
    begin() {
      begunAt = clock.elapsed()
      isDue = begunAt - foundAt >= dueBlocks * pace.ms()
      return { isDue, blocks: pace.isKnown() && inVain === 0 ? (begunAt - seenAt) / pace.ms() : 1 }
    },
    end(found, isUrgent) {
      if (found) seenAt = begunAt
      if (found === 'new') {
        foundAt = begunAt
        inVain = 0
        finds = isUrgent ? finds + 1 : 0
      } else if (isDue) {
        inVain += 1
        finds = 0
      }
    },
    pauseMs: () => Math.max(0, nextAt() - clock.elapsed()),
    intervalMs,
  }
}
