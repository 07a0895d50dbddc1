// Reads the head from endpoint after endpoint until one is believed, and links it to the blocks before it.
import type { NoteContradiction } from '../../domain/contradiction.ts'
import type { Hash } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { ChainMetrics } from '../../ops/metrics.ts'
import { type BranchHolder, ChainUnavailable } from '../chain.ts'
import { valueIn } from '../nodes/ask-about.ts'
import type { Call } from '../nodes/call.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints, ReadResult } from '../nodes/endpoints.ts'
import { type Listing, readListedHead } from '../nodes/read-block.ts'
import type { Confirmation } from '../nodes/serving.ts'
import { type Advance, type Ancestry, openAncestry, type ReadHeaders, walkedGapMax } from './ancestry.ts'
import {
  countFall,
  countHolders,
  type Falls,
  type HeadReport,
  highestOf,
  isFarAhead,
  isOnAnotherBranch,
  isTooFarAhead,
  movesOn,
  noFalls,
} from './believe-head.ts'
import { type Beside, callBeside } from './beside-head.ts'
import { agree, followingBranch } from './follow-branch.ts'
import type { Pace } from './measure-blocktime.ts'
import { lastListed, type NewHashes, newHashesOf } from './new-hashes.ts'
import type { RememberedAnchor } from './remember-anchor.ts'

interface Report extends HeadReport<Endpoint> {
  readonly beside?: Beside
  /** Of a head that was adopted. Absent: the hashes in one of the blocks since the head before are unknown. */
  readonly newHashes?: NewHashes
  /** The last known blocks up to an adopted head. */
  readonly listed?: readonly Listing[]
}

/** A head as it was read. */
interface Read extends Report {
  /** Headers that should lie between the known head and this one. */
  readonly links?: readonly Head[]
  /** What the headers of this reading list. The walk to the known head adds to it. */
  readonly listings?: Map<Hash, ReadonlySet<Hash>>
}

/** What a reading of the head should find. */
interface Expected {
  /** How many blocks the chain should have made since the known head was read last. */
  readonly blocks: number
  /** Calls for facts at the head. */
  readonly beside: readonly Call[]
}

/** Facts of one reading about heads that were not adopted at once. */
interface Seen {
  readonly begunMs: number
  readonly behind: Report[]
  /** Heads without a link to a remembered block, from endpoints that have no block at the height of the anchor. */
  readonly unproven: Report[]
  /** A head was adopted that leaves the branch of this endpoint. */
  leftBranchOf?: Endpoint | undefined
}

/** Why a head without a link is not adopted. */
type Refuse = () => Promise<string | undefined> | undefined

export interface HeadReader {
  /** One call at a time. Rejects with ChainUnavailable. */
  read(expected: Expected): Promise<Report>
  /** The head that was believed last. */
  known(): Report | undefined
  /** Canonical as far as is known; undefined where it was never read. */
  hashAt(number: BlockNumber): Hash | undefined
  /** A line for each endpoint while as many hold one branch as another. */
  split(): readonly BranchHolder[]
  /** Grows whenever a known block may have stopped being canonical. */
  reorgs(): number
}

export interface ReadHeadOptions extends AdmitHead {
  readonly endpoints: Endpoints
  readonly pace: Pace
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: ChainMetrics
  /** How long an endpoint rests that can't keep up. */
  readonly laggardRestMs: () => number
  readonly splitChanged: (isSplit: boolean) => void
  readonly note: NoteContradiction
  /** Whether all endpoints hash a block to the same hash. */
  readonly comparesHashes: boolean
  /** Another head is known from now on. */
  readonly onKnown: (report: Report) => void
}

export function openHeadReader(options: ReadHeadOptions): HeadReader {
  const { endpoints, pace, clock, onKnown } = options
  const ancestry = openAncestry(pace.measuredMs)
  const branches = followingBranch(options)
  const holders = countHolders<Endpoint>()
  let known: Report | undefined
  let falls: Falls = noFalls
  let reorgs = 0

  async function read(expected: Expected): Promise<Report> {
    const seen: Seen = { begunMs: clock.elapsed(), behind: [], unproven: [] }
    const { behind, unproven } = seen
    const found = await endpoints
      .firstAnswer((endpoint) => readFrom(endpoint, expected, seen))
      .catch((error: unknown) => {
        if (behind.length + unproven.length === 0) throw error
        return undefined
      })
    if (!found && behind.length === 0) return adoptedOrThrown(await adopt(highestOf(unproven), () => undefined))
    const believed = found?.value ?? (await fall(seen))
    for (const laggard of holders.laggardsAmong(behind)) laggard.lags(options.laggardRestMs())
    const followed = await branches.watch(isDoubted(seen, believed, ancestry.hashAt), ancestry.hashAt)
    return followed ? adoptedOrThrown(await adopt(followed, () => whyNot(options, followed, known))) : believed
  }

  async function readFrom(endpoint: Endpoint, expected: Expected, seen: Seen): Promise<ReadResult<Report>> {
    const answered = await callForHead(endpoint, known, expected)
    if ('failed' in answered) return answered
    const { report, first } = answered
    if (known && (await branches.isOutvoted(report, known.head)))
      return { failed: 'most endpoints hold another branch' }
    if (movesOn(known, report, ancestry.hashAt)) {
      if (known?.head.hash !== report.head.hash)
        return adopt(report, () => whyNot(options, report, known, { confirmed: first, ...seen }), seen)
      falls = noFalls
      known = withNewHashes({ ...report, head: known.head }, known)
      holders.holds(known)
      return { value: known }
    }
    // Another chain's head looks like one that is behind, or of another branch.
    const confirmed = ancestry.holds(report.head) ? undefined : await endpoint.confirm()
    if (confirmed && 'unfit' in confirmed) return { failed: confirmed.unfit }
    seen.behind.push(report)
    return { failed: 'its head is behind' }
  }

  async function fall({ behind, begunMs }: Seen): Promise<Report> {
    if (!known) throw new ChainUnavailable('no endpoint reports a head')
    const isAgreed = isFarAhead(known, behind) && (await agree(behind))
    const at = { begunMs, endedMs: clock.elapsed(), blocktimeMs: pace.ms(), isAgreed }
    const { falls: counted, believed } = countFall(falls, known, behind, at)
    falls = counted
    return believed ? adoptedOrThrown(await adopt(believed, () => whyNot(options, believed, known))) : known
  }

  /** Fails for a head that links to no remembered block, where `refuse` returns a reason. */
  async function adopt(report: Read, refuse: Refuse, seen?: Seen): Promise<ReadResult<Report>> {
    const { head } = report
    const { failed, linked, lost } = await advance(ancestry, report, refuse)
    if (failed !== undefined) return { failed }
    pace.saw(head)
    if (!linked || lost > 0) {
      reorgs += 1
      holders.clear()
      if (seen) seen.leftBranchOf = known?.by
    }
    record(options, head, lost)
    falls = noFalls
    holders.holds(report)
    const { listings = new Map() } = report
    const newHashes = known && newHashesOf(known.head.number, head.number, listings, ancestry.hashAt)
    const listed = lastListed(lost > 0 ? [] : known?.listed, newHashes, ancestry.hashAt)
    known = withNewHashes(report, { newHashes, listed })
    onKnown(known)
    return { value: known }
  }

  return { read, known: () => known, hashAt: ancestry.hashAt, reorgs: () => reorgs, split: branches.split }
}

/** A known head without what was needed to link it. */
function withNewHashes(
  { head, by, beside }: Read,
  { newHashes, listed = [] }: { readonly [Part in 'newHashes' | 'listed']?: Report[Part] | undefined },
): Report {
  return { head, by, listed, ...(beside && { beside }), ...(newHashes && { newHashes }) }
}

async function advance(
  ancestry: Ancestry,
  { head, by, links, listings = new Map() }: Read,
  refuse: Refuse,
): Promise<Pick<Advance, 'linked' | 'lost'> & { readonly failed?: string }> {
  let refusal: string | undefined
  const isOfChain = async () => {
    refusal = await refuse()
    return refusal === undefined
  }
  const advanced = await ancestry.advance(head, headersOf(by, listings), isOfChain, links)
  return advanced.isTip
    ? advanced
    : { ...advanced, failed: refusal ?? 'its head does not link to the blocks before it' }
}

/** Why a head is not adopted. Without `unproven`, an endpoint that does not show the anchor will do. */
async function whyNot(
  options: AdmitHead,
  report: Report,
  known: Report | undefined,
  { unproven, confirmed }: { readonly unproven?: Report[]; readonly confirmed?: Confirmation | undefined } = {},
): Promise<string | undefined> {
  const confirmation = confirmed ?? (await report.by.confirm())
  const admission = await admitHead(options, report.head, confirmation, known?.head)
  if (typeof admission === 'object') return admission.refused
  if (admission === 'admitted' || !unproven) return undefined
  unproven.push(report)
  return 'it does not show the anchor of its network'
}

function isDoubted({ behind, leftBranchOf }: Seen, { head, by }: Report, hashAt: HeadReader['hashAt']): boolean {
  if (leftBranchOf !== undefined && leftBranchOf !== by) return true
  return behind.some((each) => isOnAnotherBranch(each, head, hashAt))
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

/** Blocks that link a head to the known one mostly: with more to come, chain id and anchor are read together with it. */
const confirmedWithin = 256

/**
 * In one request: the head, the facts beside it, and the headers that should lie between it and the known one. Half a block too many is
 * cheaper than another round trip. No block before links to the first head, or to one far above, so chain id and anchor come with it.
 */
async function callForHead(by: Endpoint, known: Report | undefined, { blocks, beside: calls }: Expected) {
  const from = known ? known.head.number + 1 : 0
  const between = Math.ceil(blocks - 0.25) - 1
  const links = known && between > 0 && between < walkedGapMax ? between : 0
  const listings = new Map<Hash, ReadonlySet<Hash>>()
  const [reply, headers, first, beside] = await Promise.all([
    readListedHead(by, 'latest'),
    headersOf(by, listings)(Array.from({ length: links }, (_, index) => from + index)),
    known && blocks <= confirmedWithin ? undefined : by.confirm(),
    callBeside(by, calls),
  ])
  if (!('value' in reply)) return reply
  const { head } = reply.value
  if (reply.value.hashes) listings.set(head.hash, reply.value.hashes)
  const report: Read = { head, by, beside, links: headers.filter((each) => each !== undefined), listings }
  return { report, first }
}

/** Puts what the headers list into `listings`. */
function headersOf(by: Endpoint, listings: Map<Hash, ReadonlySet<Hash>>): ReadHeaders {
  return async (numbers) => {
    const replies = await Promise.all(numbers.map((number) => readListedHead(by, number)))
    return replies.map(valueIn).map((listed) => {
      if (listed?.hashes) listings.set(listed.head.hash, listed.hashes)
      return listed?.head
    })
  }
}

interface AdmitHead {
  readonly anchor: Pick<RememberedAnchor, 'known'>
  /** Tools make time and blocks at will there, so no clock limits a head. */
  readonly isDevelopment: boolean
  readonly clock: Pick<Clock, 'now'>
}

/** `notShown`: nothing speaks against it, but the endpoint does not show the anchor. It may be pruned. */
type Admission = 'admitted' | 'notShown' | { readonly refused: string }

/**
 * Whether a head that links to no earlier block may be adopted: its endpoint has to serve the network's chain, by the chain id and the
 * anchor, and the chain can have made so many blocks by now. `before`: the head before it, if there is one.
 */
async function admitHead(
  { anchor, isDevelopment, clock }: AdmitHead,
  head: Head,
  confirmation: Confirmation,
  before: Head | undefined,
): Promise<Admission> {
  if ('unfit' in confirmation) return { refused: confirmation.unfit }
  const anchored = before ? undefined : await anchor.known().catch(() => undefined)
  const from = before ?? (anchored && { number: anchored.number, timestampMs: anchored.minedAt })
  if (from && !isDevelopment && isTooFarAhead(head, from, clock.now())) {
    const text = `its head ${head.number} is too far ahead for the time since block ${from.number}, by this machine's clock`
    return { refused: text }
  }
  return confirmation.showsAnchor ? 'admitted' : 'notShown'
}
