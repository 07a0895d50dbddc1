// The head of one network: read once a block for everybody, polled only while somebody follows.
import type { NoteContradiction } from '../../domain/contradiction.ts'
import type { Hash } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import type { BlockNumber, TimestampMs } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { ChainMetrics } from '../../ops/metrics.ts'
import { type BranchHolder, ChainUnavailable } from '../chain.ts'
import type { Call } from '../nodes/call.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import type { Listing } from '../nodes/read-block.ts'
import type { HeadReport } from './believe-head.ts'
import type { Beside } from './beside-head.ts'
import type { Pace } from './measure-blocktime.ts'
import type { NewHashes } from './new-hashes.ts'
import { type HeadReader, openHeadReader, type ReadHeadOptions } from './read-head.ts'
import { type Polls, timingPolls } from './time-polls.ts'

/** A head, and the endpoint that reported it: it can answer questions as of it, and may have answered some. */
export interface TrackedHead extends HeadReport<Endpoint> {
  readonly beside?: Beside
  /** Absent: the hashes in one of the blocks since the head before are unknown. */
  readonly newHashes?: NewHashes
  /** The last blocks up to this one, lowest first, as far as they are known. */
  readonly listed?: readonly Listing[]
}

export interface HeadTracker {
  /** The known head if it is fresh and heads are polled now and then, else read anew. Rejects with ChainUnavailable. */
  current(): Promise<TrackedHead>
  follow(onHead: (head: Head) => void, signal: AbortSignal): void
  /** Canonical as far as is known; undefined where it was never read. */
  hashAt(number: BlockNumber): Hash | undefined
  /** The height of the newest head, whichever step requested it. */
  height(): BlockNumber | undefined
  /** Whether the newest head came with the hashes in its block, and in those since the head before. */
  listsHashes(): boolean
  /** How long ago the newest head was read, or read again. */
  ageMs(): number
  /** When the reading began that found the newest head, by the machine's clock. */
  begunAt(): TimestampMs
  /** How long this process has seen the newest head unchanged. */
  standsMs(): number
  /** A line for each endpoint while as many hold one branch as another: nothing is settled meanwhile. */
  split(): readonly BranchHolder[]
  /** Grows whenever a known block may have stopped being canonical. */
  reorgs(): number
  close(): void
}

interface TrackOptions {
  readonly endpoints: Endpoints
  readonly pace: Pace
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: ChainMetrics
  readonly anchor: ReadHeadOptions['anchor']
  readonly isDevelopment: boolean
  readonly note: NoteContradiction
  /** Whether all endpoints hash a block to the same hash. */
  readonly comparesHashes: boolean
  /** Called with each head that is adopted. */
  readonly onHead?: (tracked: TrackedHead) => void
  /** The calls that leave together with the reading of a head at about this height. `isDue`: it should be another one. */
  readonly beside: (height: BlockNumber, isDue: boolean) => readonly Call[]
}

export function trackHead(options: TrackOptions): HeadTracker {
  const { pace, clock, logger, metrics } = options
  const polls = timingPolls(pace, clock)
  const followers = openFollowers(logger, metrics)
  const reader = openHeadReader({
    ...options,
    laggardRestMs: () => 4 * polls.intervalMs(),
    splitChanged: metrics.branchesDiffer,
    onKnown(tracked) {
      adoptedAt = clock.elapsed()
      foundAt = begunAt()
      notifyFollowers(tracked)
      options.onHead?.(tracked)
    },
  })
  const { read, ageMs, begunAt } = oneAtATime(readingInStep(reader, polls, options.beside), clock)
  let adoptedAt = Number.POSITIVE_INFINITY
  let foundAt = Number.NEGATIVE_INFINITY
  /** Undefined: nobody has followed yet. */
  let polling: boolean | undefined
  let idle = new AbortController()

  function notifyFollowers(known = reader.known()): void {
    if (known) followers.notify(known.head)
  }

  async function poll(): Promise<void> {
    let down = false
    while (followers.count() > 0) {
      idle = new AbortController()
      try {
        await read()
        notifyFollowers()
        if (down) logger.info({}, 'the network answers again')
        down = false
      } catch (error) {
        if (!(error instanceof ChainUnavailable))
          logger[down ? 'debug' : 'error']({ err: error }, 'reading the head failed')
        else if (!down) logger.warn({ reason: error.message }, 'no endpoint of the network tells its head')
        down = true
      }
      if (followers.count() > 0) await clock.sleep(polls.pauseMs(), idle.signal)
    }
    polling = false
  }

  return {
    async current() {
      const known = reader.known()
      const fresh = polling !== undefined && ageMs() <= polls.intervalMs() * 1.5
      return known && fresh ? known : read()
    },
    follow(onHead, signal) {
      if (signal.aborted) return
      const leave = followers.add(onHead)
      signal.addEventListener(
        'abort',
        () => {
          leave()
          if (followers.count() === 0) idle.abort()
        },
        { once: true },
      )
      if (polling) return
      polling = true
      void poll()
    },
    hashAt: reader.hashAt,
    height: () => reader.known()?.head.number,
    listsHashes: () => reader.known()?.newHashes !== undefined,
    ageMs,
    begunAt: () => foundAt,
    standsMs: () => Math.max(0, clock.elapsed() - adoptedAt),
    split: reader.split,
    reorgs: reader.reorgs,
    close() {
      followers.clear()
      idle.abort()
    },
  }
}

/** One reading at a time: the late answer of another would look like a head that fell. */
function oneAtATime(readHead: () => Promise<TrackedHead>, clock: Clock) {
  let readAt = Number.NEGATIVE_INFINITY
  let begunAt = Number.NEGATIVE_INFINITY
  let reading: Promise<TrackedHead> | undefined
  return {
    read(): Promise<TrackedHead> {
      if (!reading) begunAt = clock.now()
      reading ??= readHead()
        .then((tracked) => {
          readAt = clock.elapsed()
          return tracked
        })
        .finally(() => {
          reading = undefined
        })
      return reading
    },
    ageMs: () => clock.elapsed() - readAt,
    begunAt: () => begunAt,
  }
}

/** Reads the head. If another one is due, what the next decisions need to know about it comes with it. */
function readingInStep(reader: HeadReader, polls: Polls, callsAt: TrackOptions['beside']): () => Promise<TrackedHead> {
  return async () => {
    const before = reader.known()?.head
    const { isDue, blocks } = polls.begin()
    const above = isDue ? Math.max(1, Math.floor(blocks)) : 0
    const beside = before ? callsAt(before.number + above, isDue) : []
    let found: TrackedHead | undefined
    try {
      found = await reader.read({ blocks, beside })
      return found
    } finally {
      polls.end(found && (found.head.hash === before?.hash ? 'known' : 'new'), beside.length > 0)
    }
  }
}

/** Returns whether every hash that was read since lies on the chain of this head: no reorganization was seen. */
export function watchChain(heads: Pick<HeadTracker, 'hashAt' | 'reorgs'>, { head }: TrackedHead): () => boolean {
  const before = heads.reorgs()
  return () => heads.reorgs() === before && heads.hashAt(head.number) === head.hash
}

/** Each follower is called once for each head, whatever another one throws. */
function openFollowers(logger: Logger, metrics: ChainMetrics) {
  const notifiedOf = new Map<(head: Head) => void, Hash | undefined>()
  return {
    count: () => notifiedOf.size,
    /** Returns how to leave. */
    add(onHead: (head: Head) => void): () => void {
      // A follower of its own each time: the same function may follow twice.
      const follower = (head: Head) => onHead(head)
      notifiedOf.set(follower, undefined)
      metrics.followed(notifiedOf.size)
      return () => {
        notifiedOf.delete(follower)
        metrics.followed(notifiedOf.size)
      }
    },
    clear: () => notifiedOf.clear(),
    notify(head: Head): void {
      for (const [onHead, hash] of notifiedOf) {
        if (hash === head.hash) continue
        notifiedOf.set(onHead, head.hash)
        try {
          onHead(head)
        } catch (error) {
          logger.error({ err: error }, 'a follower of the head failed')
        }
      }
    },
  }
}
