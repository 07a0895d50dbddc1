// Measures the real block time: from the heads by the process's own clock and, at the start, from the timestamp of a
// block far back. The configured time counts until there is a measurement, and where the pace is uneven.
import type { BlockNumber, TimestampMs } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { ChainMetrics } from '../../ops/metrics.ts'
import type { Timed } from './block-before.ts'

export interface Pace {
  /** The block time as measured, else as configured. */
  ms(): number
  /** Undefined until it is measured, and where the pace is uneven. */
  measuredMs(): number | undefined
  /** Records a new head. */
  saw(head: Timed): void
  /** A block below `head` whose timestamp gives a first pace. Undefined where the chain is too young for one. */
  lookAt(head: Timed): BlockNumber | undefined
  /** Records the header of that block. */
  measured(head: Timed, far: Timed): void
}

interface PaceOptions {
  readonly configuredMs: number
  /** Whether the operator configured the time, and so can correct it. False for a default or a chain list's value. */
  readonly isGiven: boolean
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: ChainMetrics
}

/** A head, and when the process first saw it by `clock.elapsed()`. */
interface DatedHead {
  readonly number: BlockNumber
  readonly seenAt: number
}

const sightingsMax = 64
/** Sightings closer together would only shorten the window. */
const spacingMs = 500
const blocksMin = 32
/**
 * The window's quarters are compared: where blocks are made on demand, one quarter is many times as fast as another.
 */
const quarters = 4
const unevenMax = 3

const farBlocksMax = 1_000
const farSpanMsMin = 8_000
/**
 * How far the machine's clock may be from the chain's. With a steady pace, a head is no older than this and some block
 * times.
 */
const clockMarginMs = 15_000
const headAgeBlocktimesMax = 8
/** The longest block time that can be configured. */
const blocktimeMsMax = 3_600_000

function paceOf(sightings: readonly DatedHead[]): number | undefined {
  const first = sightings[0]
  const last = sightings.at(-1)
  if (!first || !last || sightings.length <= quarters || last.number - first.number < blocksMin) return undefined
  const at = (quarter: number) => sightings[Math.round((quarter * (sightings.length - 1)) / quarters)] ?? last
  const paces = Array.from({ length: quarters }, (_, quarter) => between(at(quarter), at(quarter + 1)))
  if (Math.max(...paces) > unevenMax * Math.min(...paces)) return undefined
  return bounded(between(first, last))
}

function between(one: DatedHead, other: DatedHead): number {
  return (other.seenAt - one.seenAt) / (other.number - one.number)
}

/**
 * Timestamps are whole seconds, so a short span has no pace. A head from long ago, or from the future, belongs to a
 * chain that makes blocks on demand, stands still, or had its clock moved: its timestamps have no pace either.
 */
export function paceSince(far: Timed, head: Timed, now: TimestampMs): number | undefined {
  const spanMs = head.timestampMs - far.timestampMs
  if (head.number <= far.number || spanMs < farSpanMsMin) return undefined
  const ms = spanMs / (head.number - far.number)
  const ageMs = now - head.timestampMs
  const isOfNow = ageMs >= -clockMarginMs && ageMs <= clockMarginMs + headAgeBlocktimesMax * ms
  return isOfNow ? bounded(ms) : undefined
}

function bounded(ms: number): number {
  return Math.min(blocktimeMsMax, Math.max(1, Math.round(ms)))
}

export function measureBlocktime({ configuredMs, isGiven, clock, logger, metrics }: PaceOptions): Pace {
  let sightings: DatedHead[] = []
  let measured: number | undefined
  let warnedOf: number | undefined

  function set(ms: number | undefined): void {
    measured = ms
    metrics.blocktime(ms ?? configuredMs)
  }

  function warn(ms: number): void {
    if (!isGiven || !isFar(ms, configuredMs) || (warnedOf !== undefined && !isFar(ms, warnedOf))) return
    warnedOf = ms
    logger.warn(
      { average_blocktime_ms: configuredMs, measured_ms: ms },
      'average_blocktime_ms is far from the measured block time, which counts instead: correct it, or remove it',
    )
  }

  return {
    ms: () => measured ?? configuredMs,
    measuredMs: () => measured,
    saw({ number }) {
      const last = sightings.at(-1)
      const seenAt = clock.elapsed()
      // A reorganization, or a development chain that was rewound or started again.
      if (last && number <= last.number) sightings = sightings.filter((sighting) => sighting.number < number)
      else if (last && seenAt - last.seenAt < spacingMs) return
      sightings = [...sightings, { number, seenAt }].slice(-sightingsMax)
      const first = sightings[0]
      // Until there are enough sightings, the pace since the block far back counts.
      if (!first || number - first.number < blocksMin || sightings.length <= quarters) return
      const ms = paceOf(sightings)
      set(ms)
      if (ms !== undefined) warn(ms)
    },
    lookAt({ number }) {
      // The timestamp of the first block may be anything.
      const far = Math.max(1, number - farBlocksMax)
      return number - far < blocksMin ? undefined : far
    },
    measured(head, far) {
      if (measured === undefined) set(paceSince(far, head, clock.now()))
    },
  }
}

function isFar(ms: number, other: number): boolean {
  return ms > 2 * other || other > 2 * ms
}
