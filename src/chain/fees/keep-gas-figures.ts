// Keeps the prices of gas that forks change: read at start, once an hour, and whenever the head shows that a fork may have passed, or
// that a reorganization has undone one.
import { describeFigures, type GasFigure, type GasFigures, gasFigures } from '../../domain/gas-figures.ts'
import type { Address } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import type { NetworkProfile } from '../../domain/profile.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import { waitBriefly } from '../../ops/within.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { readGasFigures } from './read-gas-figures.ts'

export interface GasFiguresKeeper {
  /**
   * The figures that the profile names, before those that the chain shows. Sends no call. Where no step has followed the head
   * lately, a fork may have passed, and only the profile's figures count.
   */
  known(): GasFigures
  /** Reads them anew if that is due. A step waits for it, but not for long. */
  follow(head: Head, payer: Address): Promise<GasFigures>
}

interface KeepGasFigures {
  readonly endpoints: readonly Endpoint[]
  readonly providers: number
  readonly profile: Pick<NetworkProfile, 'floorGas' | 'gasRules'>
  readonly clock: Clock
  readonly logger: Pick<Logger, 'info'>
}

const keptMs = 3_600_000
/**
 * The first wait after a change: an endpoint may be behind, or a gateway's nodes differ. It doubles with each reading, up to an
 * hour.
 */
const soonMs = 15_000
/** Heads of both sides of a fork in turn, by endpoints that differ, cause no more readings than one in this time. */
const restMs = 2_000
/** A step waits no longer for a reading: until it ends, nothing is refused by a figure. */
const waitedMs = 1_000
const idleMs = 120_000
export function keepGasFigures({ endpoints, providers, profile, clock, logger }: KeepGasFigures): GasFiguresKeeper {
  const named = profile.gasRules ?? {}
  const figures = profile.floorGas ? gasFigures.filter((figure) => named[figure] === undefined) : []
  let seen: GasFigures = {}
  /** The side of each fork on which the last head was. */
  let mark: string | undefined
  let followedAt = Number.NEGATIVE_INFINITY
  let lastAt = Number.NEGATIVE_INFINITY
  let nextAt = Number.NEGATIVE_INFINITY
  let delayMs = keptMs
  let reading: Promise<void> | undefined

  function markOf({ isAmsterdam, hasSlot }: Head): string {
    return `${isAmsterdam === true} ${hasSlot === true}`
  }

  /** Figures of the other side of a fork would refuse valid limits, so there are none until they are read anew. */
  function cross(): void {
    seen = {}
    delayMs = soonMs
    nextAt = Math.max(clock.elapsed(), lastAt + restMs)
  }

  async function read(head: Head, payer: Address): Promise<void> {
    const isFirst = lastAt === Number.NEGATIVE_INFINITY
    const before = mark
    lastAt = clock.elapsed()
    nextAt = Number.POSITIVE_INFINITY
    const { agreed, disputed } = await readGasFigures(endpoints, providers, { figures, payer, head: head.hash })
    // A fork passed meanwhile, and has set the time of the next reading.
    if (mark !== before) return
    const isLost = disputed.some((figure) => seen[figure] !== undefined)
    const isLacking = isFirst && figures.some((figure) => agreed[figure] === undefined)
    if (isLost || isLacking) delayMs = soonMs
    // An endpoint that did not answer contradicts nothing.
    const now = { ...without(seen, disputed), ...agreed }
    if (describeFigures(now) !== describeFigures(seen)) logger.info({ gas_rules: now }, 'gas rules read from the chain')
    seen = now
    nextAt = clock.elapsed() + delayMs
    delayMs = Math.min(keptMs, 2 * delayMs)
  }

  return {
    known: () => ({ ...(clock.elapsed() - followedAt <= idleMs && seen), ...named }),
    async follow(head, payer) {
      followedAt = clock.elapsed()
      if (figures.length > 0) {
        if (mark !== undefined && markOf(head) !== mark) cross()
        mark = markOf(head)
        if (clock.elapsed() >= nextAt) reading = read(head, payer)
        const underWay = reading
        if (underWay) await waitBriefly(clock, waitedMs, () => underWay)
      }
      return { ...seen, ...named }
    },
  }
}

function without(figures: GasFigures, left: readonly GasFigure[]): GasFigures {
  return Object.fromEntries(Object.entries(figures).filter(([figure]) => !left.some((each) => each === figure)))
}
