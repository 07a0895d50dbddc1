// The head of one network: read once a block for everybody, polled only while somebody follows.
import type { Hash } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { ChainMetrics } from '../../ops/metrics.ts'
import { ChainUnavailable } from '../chain.ts'
import { describeAnswer } from '../nodes/call.ts'
import { toHead, toHex } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import { openAncestry } from './ancestry.ts'
import type { Pace } from './measure-blocktime.ts'

export interface TrackedHead {
  readonly head: Head
  /** Who told it: it can answer questions as of it. */
  readonly by: Endpoint
}

export interface HeadTracker {
  /** The polled head if it is fresh, else read anew. Rejects with ChainUnavailable. */
  current(): Promise<TrackedHead>
  follow(onHead: (head: Head) => void, signal: AbortSignal): void
  /** Canonical as far as is known; undefined where it was never read. */
  hashAt(number: BlockNumber): Hash | undefined
  /** Of the newest head that is known, whichever step requested it. */
  height(): BlockNumber | undefined
  /** Grows whenever a known block may have stopped being canonical. */
  reorgs(): number
  close(): void
}

export interface TrackOptions {
  readonly endpoints: Endpoints
  readonly pace: Pace
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: ChainMetrics
}

const pollMinMs = 50
const pollMaxMs = 4_000
/** A head that falls is a lagging node, until whoever told the known one has told so often and for so many block times. */
const fallsBelieved = 3
const fallBlocktimes = 2
/** While who told the known one does not answer, the others may all lag behind it; or it was wrong, and is gone. */
const silentBlocktimes = 128

interface Falls {
  readonly count: number
  readonly since: number
  readonly isByTeller: boolean
}

const noFalls: Falls = { count: 0, since: 0, isByTeller: false }

export function trackHead({ endpoints, pace, clock, logger, metrics }: TrackOptions): HeadTracker {
  const pollMs = () => Math.min(pollMaxMs, Math.max(pollMinMs, pace.ms()))
  const ancestry = openAncestry()
  const followers = new Map<(head: Head) => void, Hash | undefined>()
  let known: TrackedHead | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<TrackedHead> | undefined
  let falls: Falls = noFalls
  let reorgs = 0
  let polling = false
  let looksFar = true
  let idle = new AbortController()

  function read(): Promise<TrackedHead> {
    reading ??= readAnew()
      .then((tracked) => {
        readAt = clock.elapsed()
        return tracked
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }

  /** Asks endpoint after endpoint until one tells a head that is not behind what is known. */
  async function readAnew(): Promise<TrackedHead> {
    const behind: TrackedHead[] = []
    const found = await endpoints
      .firstAnswer(async (endpoint) => {
        const answer = await endpoint.call({ method: 'eth_getBlockByNumber', params: ['latest', false] })
        const head = answer.kind === 'value' ? toHead(answer.value) : undefined
        if (!head) return { failed: describeAnswer(answer) }
        const tracked = { head, by: endpoint }
        if (movesOn(tracked)) return { value: head }
        behind.push(tracked)
        return { failed: 'its head is behind' }
      })
      .catch((error: unknown) => {
        if (!known || behind.length === 0) throw error
        return undefined
      })
    if (found && known?.head.hash === found.value.hash) {
      falls = noFalls
      restLaggards(behind, found.value.number)
      known = { head: known.head, by: found.by }
      return known
    }
    if (found) {
      restLaggards(behind, found.value.number)
      return adopt({ head: found.value, by: found.by })
    }
    return fallen(behind)
  }

  function movesOn({ head, by }: TrackedHead): boolean {
    if (!known || head.number > known.head.number || head.hash === known.head.hash) return true
    // The node that told the known head now tells another branch: its own view changed. From another node it may be lag.
    return known.by === by && ancestry.hashAt(head.number) !== head.hash && ancestry.hashAt(head.number) !== undefined
  }

  /** Nobody who answers confirms the known head. A development chain may have been rewound, or started anew. */
  async function fallen(behind: readonly TrackedHead[]): Promise<TrackedHead> {
    if (!known) throw new ChainUnavailable('no endpoint tells a head')
    const { by } = known
    const isByTeller = behind.some((tracked) => tracked.by === by)
    const isMore = falls.count > 0 && falls.isByTeller === isByTeller
    falls = isMore ? { ...falls, count: falls.count + 1 } : { count: 1, since: clock.elapsed(), isByTeller }
    const blocktimes = isByTeller ? fallBlocktimes : silentBlocktimes
    const lasted = clock.elapsed() - falls.since >= blocktimes * pace.ms()
    const highest = behind.reduce((best, tracked) => (tracked.head.number > best.head.number ? tracked : best))
    if (falls.count >= fallsBelieved && lasted) return adopt(highest)
    return known
  }

  async function adopt(tracked: TrackedHead): Promise<TrackedHead> {
    pace.saw(tracked.head)
    void lookFar(tracked)
    const { linked, lost } = await ancestry.advance(tracked.head, async (numbers) => {
      const calls = numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [toHex(number), false] }))
      const answers = await Promise.all(calls.map(tracked.by.call))
      return answers.map((answer) => (answer.kind === 'value' ? toHead(answer.value) : undefined))
    })
    if (!linked || lost > 0) reorgs += 1
    if (lost > 0) {
      metrics.reorganised(lost)
      logger.info({ head: tracked.head.number, blocks: lost }, 'a reorganisation replaced blocks that were known')
    }
    metrics.head(tracked.head.number, tracked.head.timestampMs)
    falls = noFalls
    known = tracked
    notifyFollowers()
    return tracked
  }

  /** One header, once: the pace of the chain is known before many blocks were seen. */
  async function lookFar({ head, by }: TrackedHead): Promise<void> {
    const number = looksFar ? pace.lookAt(head) : undefined
    looksFar = false
    if (number === undefined) return
    const answer = await by.call({ method: 'eth_getBlockByNumber', params: [toHex(number), false] })
    const far = answer.kind === 'value' ? toHead(answer.value) : undefined
    if (far) pace.measured(head, far)
    // Another head is soon there to try again.
    else looksFar = answer.kind === 'unknown' || answer.kind === 'unsent'
  }

  function restLaggards(behind: readonly TrackedHead[], height: BlockNumber): void {
    // One block behind is how news travels; two are a node that can't keep up.
    for (const { head, by } of behind) if (height - head.number >= 2) by.lags(4 * pollMs())
  }

  function notifyFollowers(): void {
    for (const [onHead, notified] of followers) {
      if (!known || notified === known.head.hash) continue
      followers.set(onHead, known.head.hash)
      try {
        onHead(known.head)
      } catch (error) {
        logger.error({ err: error }, 'a follower of the head failed')
      }
    }
  }

  async function poll(): Promise<void> {
    let down = false
    while (followers.size > 0) {
      idle = new AbortController()
      try {
        await read()
        notifyFollowers()
        if (down) logger.info({}, 'the network answers again')
        down = false
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) logger.error({ err: error }, 'reading the head failed')
        else if (!down) logger.warn({ reason: error.message }, 'no endpoint of the network tells its head')
        down = true
      }
      if (followers.size > 0) await clock.sleep(pollMs(), idle.signal)
    }
    polling = false
  }

  return {
    async current() {
      const fresh = polling && clock.elapsed() - readAt <= pollMs() * 1.5
      return known && fresh ? known : read()
    },
    follow(onHead, signal) {
      if (signal.aborted) return
      // A follower of its own each time: the same function may follow twice.
      const follower = (head: Head) => onHead(head)
      followers.set(follower, undefined)
      metrics.followed(followers.size)
      signal.addEventListener(
        'abort',
        () => {
          followers.delete(follower)
          metrics.followed(followers.size)
          if (followers.size === 0) idle.abort()
        },
        { once: true },
      )
      if (polling) return
      polling = true
      void poll()
    },
    hashAt: (number) => ancestry.hashAt(number),
    height: () => known?.head.number,
    reorgs: () => reorgs,
    close() {
      followers.clear()
      idle.abort()
    },
  }
}
