// Which head a tracker believes, from what endpoints report: pure. A head that falls is a lagging node until that has lasted.
import type { Hash } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import { type Depth, isOver, type Moment, type Patience } from '../../domain/patience.ts'
import type { BlockNumber, TimestampMs } from '../../domain/units.ts'

/** A head, and the endpoint that reported it: it can answer questions as of it. */
export interface HeadReport<By> {
  readonly head: Head
  readonly by: By
}

/** Readings in a row in which no endpoint confirmed the known head. */
export interface Falls {
  readonly count: number
  /** When the first of them was read, by `clock.elapsed()`. */
  readonly since: number
  /** Whether the endpoint that reported this head is among those that report a lower one. */
  readonly isByReporter: boolean
}

export const noFalls: Falls = { count: 0, since: 0, isByReporter: false }

/** A fall is believed only once so many readings in a row have shown it. */
const fallsBelieved = 3
/**
 * The patience with a fall, in block times, as no block is counted while the head falls: with one that the reporter of the known head
 * confirms, which may be a URL over several backends; with one on which two endpoints agree; and with one while that reporter does not
 * answer: the others may all lag behind it, or it was wrong, and is gone.
 */
const confirmedFall: Patience = { blocks: 2, ms: 4_000 }
const agreedFall: Patience = { blocks: 0, ms: 4_000 }
const silentFall: Patience = { blocks: 128, ms: 60_000 }

/** Whether this report is of the known head or of one after it, and so is to be believed at once. */
export function movesOn<By>(
  known: HeadReport<By> | undefined,
  { head, by }: HeadReport<By>,
  hashAt: (number: BlockNumber) => Hash | undefined,
): boolean {
  if (!known || head.number > known.head.number || head.hash === known.head.hash) return true
  // The node that reported the known head now reports another branch: its own view changed. From another node it may be lag.
  return known.by === by && hashAt(head.number) !== head.hash && hashAt(head.number) !== undefined
}

/** The least block time: no chain makes blocks faster for long. */
const fastestBlocktimeMs = 50
/** How far the clocks of chain and machine may differ. */
const clockMarginMs = 3_600_000

/** Whether a head without a link is higher, or later, than the chain can be since the block `from`. */
export function isTooFarAhead(
  head: Pick<Head, 'number' | 'timestampMs'>,
  from: Pick<Head, 'number' | 'timestampMs'>,
  now: TimestampMs,
): boolean {
  const passedMs = Math.max(0, now - from.timestampMs) + clockMarginMs
  const isHigh = head.number - from.number > passedMs / fastestBlocktimeMs
  return isHigh || head.timestampMs > Math.max(now, from.timestampMs) + clockMarginMs
}

interface Fallen<By> {
  readonly falls: Falls
  /** The head to believe from now on, once the falls have lasted: a development chain may have been rewound, or started anew. */
  readonly believed?: HeadReport<By>
}

/** Counts a reading in which every endpoint that answered reported a head `behind` the known one. */
export function countFall<By>(
  falls: Falls,
  known: HeadReport<By>,
  behind: readonly HeadReport<By>[],
  at: {
    /** When the reading was requested. A late answer may show the head as of then. */
    readonly begunMs: number
    readonly endedMs: number
    readonly blocktimeMs: number
    /** Two endpoints hold one branch, far below this head. */
    readonly isAgreed: boolean
  },
): Fallen<By> {
  const isByReporter = behind.some(({ by }) => by === known.by)
  const isMore = falls.count > 0 && falls.isByReporter === isByReporter
  const counted = isMore ? { ...falls, count: falls.count + 1 } : { count: 1, since: at.endedMs, isByReporter }
  const patience = isByReporter ? confirmedFall : at.isAgreed ? agreedFall : silentFall
  const lastedMs = at.begunMs - counted.since
  const hasLasted = isOver(patience, { block: 0, ms: 0 }, { block: lastedMs / at.blocktimeMs, ms: lastedMs })
  if (counted.count < fallsBelieved || !hasLasted) return { falls: counted }
  return { falls: counted, believed: highestOf(behind) }
}

export function highestOf<By>(reports: readonly HeadReport<By>[]): HeadReport<By> {
  return reports.reduce((best, report) => (report.head.number > best.head.number ? report : best))
}

/** A head that is on its way to the others is no higher than this above theirs. On a fast chain the patience with a fall covers more. */
const farAhead: Depth = { depth: 8 }

export function isFarAhead<By>({ head }: HeadReport<By>, behind: readonly HeadReport<By>[]): boolean {
  return behind.every((each) => head.number - each.head.number > farAhead.depth)
}

/** Whether a lower head may be of another branch than the believed one. Far below, no remembered block shows that. */
export function isOnAnotherBranch<By>(
  { head }: HeadReport<By>,
  believed: Head,
  hashAt: (number: BlockNumber) => Hash | undefined,
): boolean {
  const hash = hashAt(head.number)
  return hash === undefined ? believed.number - head.number > farAhead.depth : hash !== head.hash
}

interface Holders<By> {
  /** Counts a report that was believed. */
  holds(report: HeadReport<By>): void
  /** The endpoints whose heads those of two providers have left behind, by the blocks' own times. One block is how news travels. */
  laggardsAmong(behind: readonly HeadReport<By>[]): readonly By[]
  /** Another branch is followed. */
  clear(): void
}

const laggardPatience: Patience = { blocks: 2, ms: 2_000 }

/** One endpoint alone leaves no other behind: its head may be false. */
export function countHolders<By extends { readonly provider: string }>(): Holders<By> {
  const held = new Map<string, Moment>()
  const momentOf = ({ number, timestampMs }: Head): Moment => ({ block: number, ms: timestampMs })
  return {
    holds: ({ head, by }) => void held.set(by.provider, momentOf(head)),
    laggardsAmong: (behind) =>
      behind
        .filter(
          ({ head }) => [...held.values()].filter((at) => isOver(laggardPatience, momentOf(head), at)).length >= 2,
        )
        .map(({ by }) => by),
    clear: () => held.clear(),
  }
}
