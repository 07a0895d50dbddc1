// Reads the head from endpoint after endpoint until one is believed, and links it to the blocks before it.
import type { Hash } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { ChainMetrics } from '../../ops/metrics.ts'
import { ChainUnavailable } from '../chain.ts'
import { valueIn } from '../nodes/ask-about.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints, ReadResult } from '../nodes/endpoints.ts'
import { readHeader, readNamed } from '../nodes/read-block.ts'
import type { Confirmation } from '../nodes/serving.ts'
import { type AdmitHead, admitHead } from './admit-head.ts'
import { openAncestry, type ReadHeaders } from './ancestry.ts'
import { countFall, type Falls, type HeadReport, highestOf, laggardsAmong, movesOn, noFalls } from './believe-head.ts'
import type { Pace } from './measure-blocktime.ts'

type Report = HeadReport<Endpoint>

/** What one reading saw of heads that were not adopted at once. */
interface Seen {
  readonly behind: Report[]
  /** They link to no remembered block, and their endpoints show no block at the anchor. */
  readonly unproven: Report[]
}

/** Why a head without a link is not adopted. */
type Refuse = () => Promise<string | undefined> | undefined

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

export interface ReadHeadOptions extends AdmitHead {
  readonly endpoints: Endpoints
  readonly pace: Pace
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: ChainMetrics
  /** So long an endpoint rests that can't keep up. */
  readonly laggardRestMs: () => number
  /** Another head is known from now on. */
  readonly onKnown: (report: Report) => void
}

export function openHeadReader(options: ReadHeadOptions): HeadReader {
  const { endpoints, pace, clock, onKnown } = options
  const ancestry = openAncestry()
  const lookFar = farLook(pace)
  let known: Report | undefined
  let falls: Falls = noFalls
  let reorgs = 0

  async function read(): Promise<Report> {
    const seen: Seen = { behind: [], unproven: [] }
    const { behind, unproven } = seen
    const found = await endpoints
      .firstAnswer((endpoint) => readFrom(endpoint, seen))
      .catch((error: unknown) => {
        if (behind.length + unproven.length === 0) throw error
        return undefined
      })
    if (!found)
      return behind.length > 0 ? fall(behind) : adoptedOrThrown(await adopt(highestOf(unproven), () => undefined))
    for (const laggard of laggardsAmong(behind, found.value.head.number)) laggard.lags(options.laggardRestMs())
    return found.value
  }

  async function readFrom(endpoint: Endpoint, { behind, unproven }: Seen): Promise<ReadResult<Report>> {
    // No block before links to the first head, so chain id and anchor are read with it.
    const [reply, first] = await Promise.all([readNamed(endpoint, 'latest'), known ? undefined : endpoint.confirm()])
    if (!('value' in reply)) return reply
    const report = { head: reply.value, by: endpoint }
    if (movesOn(known, report, ancestry.hashAt)) {
      if (known?.head.hash !== report.head.hash) return adopt(report, () => whyNot(report, unproven, first))
      falls = noFalls
      known = { head: known.head, by: endpoint }
      return { value: known }
    }
    // Another chain's head looks like one that is behind, or of another branch.
    const confirmed = ancestry.holds(report.head) ? undefined : await endpoint.confirm()
    if (confirmed && 'unfit' in confirmed) return { failed: confirmed.unfit }
    behind.push(report)
    return { failed: 'its head is behind' }
  }

  async function fall(behind: readonly Report[]): Promise<Report> {
    if (!known) throw new ChainUnavailable('no endpoint reports a head')
    const fallen = countFall(falls, known, behind, { elapsedMs: clock.elapsed(), blocktimeMs: pace.ms() })
    falls = fallen.falls
    const { believed } = fallen
    return believed ? adoptedOrThrown(await adopt(believed, () => whyNot(believed))) : known
  }

  async function whyNot(report: Report, unproven?: Report[], confirmed?: Confirmation): Promise<string | undefined> {
    const confirmation = confirmed ?? (await report.by.confirm())
    const admission = await admitHead(options, report.head, confirmation, known?.head)
    if (typeof admission === 'object') return admission.refused
    if (admission === 'admitted' || !unproven) return undefined
    unproven.push(report)
    return 'it does not show the anchor of its network'
  }

  /** Fails for a head that links to no remembered block, where `refuse` returns a reason. */
  async function adopt(report: Report, refuse: Refuse): Promise<ReadResult<Report>> {
    const { head, by } = report
    let refusal: string | undefined
    const { isTip, linked, lost } = await ancestry.advance(head, headersOf(by), async () => {
      refusal = await refuse()
      return refusal === undefined
    })
    if (!isTip) return { failed: refusal ?? 'its head does not link to the blocks before it' }
    pace.saw(head)
    void lookFar(report)
    if (!linked || lost > 0) reorgs += 1
    record(options, head, lost)
    falls = noFalls
    known = report
    onKnown(report)
    return { value: report }
  }

  return { read, known: () => known, hashAt: ancestry.hashAt, reorgs: () => reorgs }
}

function adoptedOrThrown(adopted: ReadResult<Report>): Report {
  if ('value' in adopted) return adopted.value
  throw new ChainUnavailable(adopted.failed)
}

function record({ metrics, logger }: ReadHeadOptions, head: Head, lost: number): void {
  if (lost > 0) {
    metrics.reorganized(lost)
    logger.info({ head: head.number, blocks: lost }, 'a reorganization replaced blocks that were known')
  }
  metrics.head(head.number, head.timestampMs)
}

function headersOf(by: Endpoint): ReadHeaders {
  return async (numbers) => (await Promise.all(numbers.map((number) => readHeader(by, number)))).map(valueIn)
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
