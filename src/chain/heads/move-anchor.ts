// Moves the anchor of a network up the chain, hourly: to the newest block that is final to us. Two endpoints have to show
// it where there are two.
import { type Anchor, anchorDepth, anchorKeptMs, taggedAnchorDepth } from '../../domain/anchor.ts'
import type { Finality } from '../../domain/finality.ts'
import type { Head } from '../../domain/observation.ts'
import { blocksOf } from '../../domain/patience.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import { valueIn } from '../nodes/ask-about.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import { readHeader, readNamed } from '../nodes/read-block.ts'
import type { HeadReport } from './believe-head.ts'
import { blockBefore } from './block-before.ts'
import type { Pace } from './measure-blocktime.ts'
import type { RememberedAnchor } from './remember-anchor.ts'

interface MoveAnchor {
  readonly endpoints: Pick<Endpoints, 'usable'>
  /** How many providers the network has. */
  readonly providers: number
  readonly remembered: RememberedAnchor
  readonly pace: Pick<Pace, 'ms' | 'measuredMs'>
  /** Absent: blocks are final by depth. */
  readonly finality: Finality | undefined
  readonly clock: Clock
  readonly logger: Pick<Logger, 'debug' | 'info'>
}

/** A process that restarts again and again moves no anchor. */
const firstAfterMs = 3_000
/** A young chain has no block that is deep enough, and an endpoint may not answer. */
const retriedAfterMs = 600_000

/** Called with each head that is adopted. Sends no call unless the anchor is due. */
export function movingAnchor(options: MoveAnchor): (report: HeadReport<Endpoint>) => void {
  const { remembered, clock, logger } = options
  let dueAt = clock.elapsed() + firstAfterMs

  async function move(report: HeadReport<Endpoint>): Promise<void> {
    const before = await remembered.known()
    const ageMs = before ? clock.now() - before.recordedAt : anchorKeptMs
    if (ageMs < anchorKeptMs) {
      dueAt = clock.elapsed() + Math.min(anchorKeptMs, anchorKeptMs - ageMs)
      return
    }
    const next = await findAnchor(options, report, before)
    if (!next) return
    await remembered.move({ ...next, recordedAt: clock.now() })
    dueAt = clock.elapsed() + anchorKeptMs
    const facts = { number: next.number, hash: next.hash }
    if (!before) logger.info(facts, 'the network has an anchor: an endpoint with another block there is not used')
    else logger.debug(facts, 'the anchor of the network moved')
  }

  return (report) => {
    if (clock.elapsed() < dueAt || report.head.number < minDepth(options)) return
    dueAt = clock.elapsed() + retriedAfterMs
    void move(report).catch((err: unknown) => logger.debug({ err }, 'the anchor could not be read or stored'))
  }
}

function minDepth({ finality, pace }: Pick<MoveAnchor, 'finality' | 'pace'>): number {
  if (typeof finality === 'string') return blocksOf(taggedAnchorDepth, pace.measuredMs())
  return Math.max(anchorDepth.depth, finality ?? 0)
}

async function findAnchor(
  options: MoveAnchor,
  report: HeadReport<Endpoint>,
  before: Anchor | undefined,
): Promise<Omit<Anchor, 'recordedAt'> | undefined> {
  const { by } = report
  // The endpoint that shows the new anchor has to show the old one.
  const confirmed = await by.confirm()
  if ('unfit' in confirmed || !confirmed.showsAnchor) return undefined
  const second = options.providers > 1 ? secondTo(options, by) : by
  if (!second) return undefined
  const number = await depthOf(options, report, second)
  if (number === undefined || number <= (before?.number ?? -1)) return undefined
  const [shown, again] = await Promise.all([
    readHeader(by, number),
    second === by ? undefined : readHeader(second, number),
  ])
  const block = valueIn(shown)
  if (!block || (again && valueIn(again)?.hash !== block.hash)) return undefined
  return { number, hash: block.hash, minedAt: block.timestampMs }
}

function secondTo({ endpoints }: MoveAnchor, by: Endpoint): Endpoint | undefined {
  return endpoints.usable().find(({ provider }) => provider !== by.provider)
}

async function depthOf(
  { finality, pace }: MoveAnchor,
  { head, by }: HeadReport<Endpoint>,
  second: Endpoint,
): Promise<BlockNumber | undefined> {
  const deep = head.number - minDepth({ finality, pace })
  // Safe blocks may be taken back, and an endpoint that follows must not be excluded.
  if (typeof finality === 'string') return belowFinalized(deep, by === second ? [by] : [by, second])
  const old = await blockBefore(head, head.timestampMs - anchorDepth.spanMs, pace.ms(), async (number) =>
    valueIn(await readHeader(by, number)),
  )
  return old === undefined || old < 0 ? undefined : Math.min(old, deep)
}

/** The tag of one endpoint may be false. */
async function belowFinalized(deep: BlockNumber, endpoints: readonly Endpoint[]): Promise<BlockNumber | undefined> {
  const tagged = (await Promise.all(endpoints.map((endpoint) => readNamed(endpoint, 'finalized')))).map(valueIn)
  const numbers = tagged.filter((each): each is Head => each !== undefined).map(({ number }) => number)
  return numbers.length < endpoints.length ? undefined : Math.min(deep, ...numbers)
}
