// Reads the head from endpoint after endpoint until one is believed, and links it to the blocks before it.
import type { Hash } from '../../domain/ids.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { ChainMetrics } from '../../ops/metrics.ts'
import { ChainUnavailable } from '../chain.ts'
import { valueIn } from '../nodes/ask-about.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints, ReadResult } from '../nodes/endpoints.ts'
import { readHeader, readNamed } from '../nodes/read-block.ts'
import { openAncestry } from './ancestry.ts'
import { countFall, type Falls, type HeadReport, laggardsAmong, movesOn, noFalls } from './believe-head.ts'
import type { Pace } from './measure-blocktime.ts'

type Report = HeadReport<Endpoint>

export interface HeadReader {
  /** One call at a time. Rejects with ChainUnavailable. */
  read(): Promise<Report>
  /** What was believed last. */
  known(): Report | undefined
  /** Canonical as far as is known; undefined where it was never read. */
  hashAt(number: BlockNumber): Hash | undefined
  /** Grows whenever a known block may have stopped being canonical. */
  reorgs(): number
}

export interface ReadHeadOptions {
  readonly endpoints: Endpoints
  readonly pace: Pace
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: ChainMetrics
  /** So long an endpoint rests that can't keep up. */
  readonly laggardRestMs: () => number
  /** Another head is known from now on. */
  readonly onKnown: () => void
}

export function openHeadReader(options: ReadHeadOptions): HeadReader {
  const { endpoints, pace, clock, logger, metrics, onKnown } = options
  const ancestry = openAncestry()
  const lookFar = farLook(pace)
  let known: Report | undefined
  let falls: Falls = noFalls
  let reorgs = 0

  async function read(): Promise<Report> {
    const behind: Report[] = []
    const found = await endpoints
      .firstAnswer((endpoint) => readFrom(endpoint, behind))
      .catch((error: unknown) => {
        if (!known || behind.length === 0) throw error
        return undefined
      })
    if (!found) return fall(behind)
    for (const laggard of laggardsAmong(behind, found.value.head.number)) laggard.lags(options.laggardRestMs())
    return found.value
  }

  async function readFrom(endpoint: Endpoint, behind: Report[]): Promise<ReadResult<Report>> {
    // No block before links to the first head, so the chain id is read with it.
    const [reply, unfit] = await Promise.all([readNamed(endpoint, 'latest'), known ? undefined : endpoint.confirm()])
    if (!('value' in reply)) return reply
    if (unfit !== undefined) return { failed: unfit }
    const report = { head: reply.value, by: endpoint }
    if (movesOn(known, report, ancestry.hashAt)) {
      if (known?.head.hash !== report.head.hash) return adopt(report)
      falls = noFalls
      known = { head: known.head, by: endpoint }
      return { value: known }
    }
    // Another chain's head looks like one that is behind, or of another branch.
    const wrong = ancestry.holds(report.head) ? undefined : await endpoint.confirm()
    if (wrong !== undefined) return { failed: wrong }
    behind.push(report)
    return { failed: 'its head is behind' }
  }

  async function fall(behind: readonly Report[]): Promise<Report> {
    if (!known) throw new ChainUnavailable('no endpoint reports a head')
    const fallen = countFall(falls, known, behind, { elapsedMs: clock.elapsed(), blocktimeMs: pace.ms() })
    falls = fallen.falls
    if (!fallen.believed) return known
    const adopted = await adopt(fallen.believed)
    if ('value' in adopted) return adopted.value
    throw new ChainUnavailable(`endpoint ${fallen.believed.by.index}: ${adopted.failed}`)
  }

  /** Fails for a head that links to no remembered block, from an endpoint that does not serve this chain now. */
  async function adopt(report: Report): Promise<ReadResult<Report>> {
    const { head, by } = report
    let wrong: string | undefined
    const { isTip, linked, lost } = await ancestry.advance(
      head,
      async (numbers) => (await Promise.all(numbers.map((number) => readHeader(by, number)))).map(valueIn),
      async () => {
        // The first head came with the chain id.
        wrong = known && (await by.confirm())
        return wrong === undefined
      },
    )
    if (!isTip) return { failed: wrong ?? 'its head does not link to the blocks before it' }
    pace.saw(head)
    void lookFar(report)
    if (!linked || lost > 0) reorgs += 1
    if (lost > 0) {
      metrics.reorganized(lost)
      logger.info({ head: head.number, blocks: lost }, 'a reorganization replaced blocks that were known')
    }
    metrics.head(head.number, head.timestampMs)
    falls = noFalls
    known = report
    onKnown()
    return { value: report }
  }

  return { read, known: () => known, hashAt: ancestry.hashAt, reorgs: () => reorgs }
}

/** Reads one header, once: the pace of the chain is known before many blocks were seen. */
function farLook(pace: Pace): (report: Report) => Promise<void> {
  let isDue = true
  return async ({ head, by }) => {
    const number = isDue ? pace.lookAt(head) : undefined
    isDue = false
    if (number === undefined) return
    const reply = await readHeader(by, number)
    if ('value' in reply) pace.measured(head, reply.value)
    // Another head is soon there to try again.
    else isDue = reply.why !== 'none'
  }
}
