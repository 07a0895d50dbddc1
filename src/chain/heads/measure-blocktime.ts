// Measures the real block time: from the heads by the process's own clock. The configured time counts until there is a measurement, and where the pace is uneven.
import type { BlockNumber } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { ChainMetrics } from '../../ops/metrics.ts'

export interface Pace {
  /** The block time as measured, else as configured. */
  ms(): number
  /** Whether it was measured, or an operator configured it. Otherwise it may be far from the truth. */
  isKnown(): boolean
  /** Undefined until it is measured, and where the pace is uneven. */
  measuredMs(): number | undefined
  /** Records a new head. */
  saw(head: { readonly number: BlockNumber }): void
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
/** The least that a measurement spans. */
const blocksMin = 32
/**
 * The window's quarters are compared: where blocks are made on demand, one quarter is many times as fast as another.
 */
const quarters = 4
const unevenMax = 3

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
    isKnown: () => isGiven || measured !== undefined,
    measuredMs: () => measured,
    saw({ number }) {
      const last = sightings.at(-1)
      const seenAt = clock.elapsed()
      // A reorganization, or a development chain that was rewound or started again.
      if (last && number <= last.number) sightings = sightings.filter((sighting) => sighting.number < number)
      else if (last && seenAt - last.seenAt < spacingMs) return
      sightings = [...sightings, { number, seenAt }].slice(-sightingsMax)
      const first = sightings[0]
      if (!first || number - first.number < blocksMin || sightings.length <= quarters) return
      const ms = paceOf(sightings)
      set(ms)
      if (ms !== undefined) warn(ms)
    },
  }
}

function isFar(ms: number, other: number): boolean {
  return ms > 2 * other || other > 2 * ms
}
