// Standard output as the place of the log. Whatever becomes of it, the service goes on: a full disk, a reader that is gone, and a
// reader that stands still cost lines, and no request waits for them.
import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import type { Clock } from './clock.ts'
import { memberOf } from './member.ts'

/** So much waits for a slow reader; later lines are lost. */
const waitingBytesMax = 4 * 1024 * 1024
const againMs = 20

interface LogOutput {
  write(line: string): void
  /** Resolves once no line waits any more, or after the time. */
  drained(ms: number): Promise<void>
}

/** What becomes of the lines. */
interface LogWatch {
  lost(): void
  /** A line is written; `lostBefore` were lost since the one before it. */
  written(lostBefore: number): void
}

export function openLogOutput(fd: number, clock: Clock, watch: LogWatch): LogOutput {
  const place = withoutWaiting(fd)
  /** What the place did not take yet: the rest of a line, and the lines after it. */
  let rest: Buffer | undefined
  const waiting: Buffer[] = []
  let waitingBytes = 0
  let lost = 0
  /** The last line is there in part. */
  let isWithinLine = false

  function lose(): void {
    lost += 1
    watch.lost()
  }

  function put(bytes: Buffer): void {
    rest = bytes
    try {
      while (rest.length > 0) {
        rest = rest.subarray(writeSync(place, rest))
        isWithinLine = rest.length > 0
      }
    } catch (error) {
      if (memberOf(error, 'code') === 'EAGAIN') {
        void clock.sleep(againMs).then(putWaiting)
      } else {
        rest = undefined
        lose()
      }
      return
    }
    rest = undefined
    const before = lost
    lost = 0
    watch.written(before)
  }

  /** A line after a lost half begins anew. */
  function putLine(line: Buffer): void {
    put(isWithinLine ? Buffer.concat([Buffer.from('\n'), line]) : line)
  }

  /** Up to the first that the place does not take. */
  function putWaiting(): void {
    if (rest) put(rest)
    while (!rest) {
      const line = waiting.shift()
      if (!line) return
      waitingBytes -= line.length
      putLine(line)
    }
  }

  function take(line: Buffer): void {
    if (!rest) {
      putLine(line)
    } else if (waitingBytes + line.length > waitingBytesMax) {
      lose()
    } else {
      waiting.push(line)
      waitingBytes += line.length
    }
  }

  return {
    write: (line) => take(Buffer.from(line)),
    async drained(ms) {
      const until = clock.elapsed() + ms
      while (rest && clock.elapsed() < until) await clock.sleep(againMs)
    },
  }
}

/** A pipe that is full refuses what is written to it, instead of holding up the whole process. Only a pipe can be opened anew. */
function withoutWaiting(fd: number): number {
  try {
    if (!fstatSync(fd).isFIFO()) return fd
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return fd
  }
}
