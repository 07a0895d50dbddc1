// Reads the head from endpoint after endpoint until one is believed, and links it to the blocks before it.
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
      .firstAnswer(async (endpoint) => {
        const answer = await endpoint.call({ method: 'eth_getBlockByNumber', params: ['latest', false] })
        const head = answer.kind === 'value' ? toHead(answer.value) : undefined
        if (!head) return { failed: describeAnswer(answer) }
        const report = { head, by: endpoint }
        if (movesOn(known, report, ancestry.hashAt)) return { value: head }
        behind.push(report)
        return { failed: 'its head is behind' }
      })
      .catch((error: unknown) => {
        if (!known || behind.length === 0) throw error
        return undefined
      })
    if (!found) return fall(behind)
    for (const laggard of laggardsAmong(behind, found.value.number)) laggard.lags(options.laggardRestMs())
    if (known?.head.hash !== found.value.hash) return adopt({ head: found.value, by: found.by })
    falls = noFalls
    known = { head: known.head, by: found.by }
    return known
  }

  async function fall(behind: readonly Report[]): Promise<Report> {
    if (!known) throw new ChainUnavailable('no endpoint reports a head')
    const fallen = countFall(falls, known, behind, { elapsedMs: clock.elapsed(), blocktimeMs: pace.ms() })
    falls = fallen.falls
    return fallen.believed ? adopt(fallen.believed) : known
  }

  async function adopt(report: Report): Promise<Report> {
    const { head, by } = report
    pace.saw(head)
    void lookFar(report)
    const { linked, lost } = await ancestry.advance(head, async (numbers) => {
      const calls = numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [toHex(number), false] }))
      const answers = await Promise.all(calls.map(by.call))
      return answers.map((answer) => (answer.kind === 'value' ? toHead(answer.value) : undefined))
    })
    if (!linked || lost > 0) reorgs += 1
    if (lost > 0) {
      metrics.reorganized(lost)
      logger.info({ head: head.number, blocks: lost }, 'a reorganization replaced blocks that were known')
    }
    metrics.head(head.number, head.timestampMs)
    falls = noFalls
    known = report
    onKnown()
    return report
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
    const answer = await by.call({ method: 'eth_getBlockByNumber', params: [toHex(number), false] })
    const far: Head | undefined = answer.kind === 'value' ? toHead(answer.value) : undefined
    if (far) pace.measured(head, far)
    // Another head is soon there to try again.
    else isDue = answer.kind === 'unknown' || answer.kind === 'unsent'
  }
}
