// Finds out which endpoints hold which branch while they differ, and which branch is followed then.
import type { Contradiction, NoteContradiction } from '../../domain/contradiction.ts'
import type { Hash } from '../../domain/ids.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { BranchHolder, WrongChain } from '../chain.ts'
import { valueIn } from '../nodes/ask-about.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import { readHeader, readNamed } from '../nodes/read-block.ts'
import type { HeadReport } from './believe-head.ts'
import { type Branch, continueDispute, type Dispute, decideDispute, groupBranches } from './branches.ts'

type Report = HeadReport<Endpoint>

interface BranchFollower {
  /**
   * Called after each reading. `isDoubted`: an endpoint reported a head of another branch than the one that is followed.
   * Returns a head of the branch that is to be followed instead. Sends no call while nothing is doubted.
   */
  watch(isDoubted: boolean, hashAt: (number: BlockNumber) => Hash | undefined): Promise<Report | undefined>
  /** Whether most endpoints hold another branch than this head's. */
  isOutvoted(report: Report, tip: Report['head']): Promise<boolean>
  /** A line for each endpoint while as many hold one branch as another. */
  split(): readonly BranchHolder[]
}

interface FollowBranch {
  readonly endpoints: Pick<Endpoints, 'answering'>
  readonly clock: Pick<Clock, 'elapsed'>
  readonly logger: Pick<Logger, 'warn' | 'info'>
  readonly splitChanged: (isSplit: boolean) => void
  readonly note: NoteContradiction
  /** Whether all endpoints hash a block to the same hash. */
  readonly comparesHashes: boolean
}

/** How long an outvoted endpoint rests before its branch is compared again. */
const restMs = 30_000
/** The time after which an outvoted branch counts again if the others fall silent. */
const outvotedMs = 600_000

export function followingBranch({
  endpoints,
  clock,
  logger,
  splitChanged,
  note,
  comparesHashes,
}: FollowBranch): BranchFollower {
  let dispute: Dispute<Endpoint> | undefined
  let split: readonly BranchHolder[] = []
  const outvotedUntil = new Map<Endpoint, number>()

  function setSplit(branches: readonly Branch<Endpoint>[]): void {
    if (split.length > 0 !== branches.length > 0) {
      splitChanged(branches.length > 0)
      if (branches.length > 0) {
        logger.warn({ branches: linesOf(branches) }, 'as many endpoints hold one branch as another')
        note(contradictionOf(branches))
      } else logger.info({}, 'the endpoints are on one branch again')
    }
    split = holdersOf(branches)
  }

  function follow(branch: Branch<Endpoint>, others: readonly Branch<Endpoint>[]): void {
    for (const { by } of others.filter((other) => other !== branch).flat()) {
      by.lags(restMs, 'outvoted')
      outvotedUntil.set(by, clock.elapsed() + outvotedMs)
    }
    const { number, hash } = branch[0].head
    logger.warn(
      { number, hash, branches: linesOf(others) },
      'endpoints hold different branches: the one that most hold is followed',
    )
    note(contradictionOf(others))
  }

  return {
    async watch(isDoubted, hashAt) {
      const answering = endpoints.answering()
      const isOne = !comparesHashes || new Set(answering.map(({ provider }) => provider)).size < 2
      if (isOne || (!isDoubted && !dispute)) {
        dispute = undefined
        setSplit([])
        return undefined
      }
      const branches = await groupBranches(await headsOf(answering), hashBelow)
      if (branches.length < 2) {
        dispute = undefined
        setSplit([])
        return undefined
      }
      dispute = continueDispute(dispute, branches, clock.elapsed())
      const decided = decideDispute(dispute, branches, clock.elapsed())
      setSplit(decided === 'split' ? branches : [])
      if (decided === undefined || decided === 'split') return undefined
      follow(decided, branches)
      dispute = undefined
      const [leader] = decided
      return hashAt(leader.head.number) === leader.head.hash ? undefined : leader
    },
    async isOutvoted(report, tip) {
      const until = outvotedUntil.get(report.by)
      if (until === undefined) return false
      const shown = report.head.number > tip.number ? await hashBelow(report, { head: tip, by: report.by }) : undefined
      if (shown === tip.hash || report.head.hash === tip.hash || clock.elapsed() >= until) {
        outvotedUntil.delete(report.by)
        return false
      }
      report.by.lags(restMs, 'outvoted')
      return true
    },
    split: () => split,
  }
}

async function headsOf(endpoints: readonly Endpoint[]): Promise<readonly Report[]> {
  const replies = await Promise.all(endpoints.map((by) => readNamed(by, 'latest')))
  return replies.flatMap((reply, index) => {
    const by = endpoints[index]
    const head = valueIn(reply)
    return head && by ? [{ head, by }] : []
  })
}

async function hashBelow({ head, by }: Report, lower: Report): Promise<Hash | undefined> {
  if (head.number === lower.head.number) return head.hash
  return valueIn(await readHeader(by, lower.head.number))?.hash
}

/** The question is which block is at that height. Heads may differ in height: each names its own. */
function contradictionOf(branches: readonly Branch<Endpoint>[]): Contradiction {
  const answers = branches.flat().map(({ head, by }) => {
    return { endpoint: by.index, answer: JSON.stringify({ block: head.number, block_hash: head.hash }) }
  })
  return { condition: 'branches_differ', question: {}, answers }
}

/** The branches for the log. */
function linesOf(branches: readonly Branch<Endpoint>[]): readonly WrongChain[] {
  return holdersOf(branches).map(({ endpoint, text }) => ({ endpoint, text }))
}

function holdersOf(branches: readonly Branch<Endpoint>[]): readonly BranchHolder[] {
  return branches.flatMap((branch) =>
    branch.map(({ head, by }) => ({
      endpoint: by.index,
      text: `holds ${head.hash} as block ${head.number}, on another branch`,
      head: { number: head.number, hash: head.hash },
    })),
  )
}

/** Whether endpoints of two providers or more answered, all on one branch. */
export async function agree(reports: readonly Report[]): Promise<boolean> {
  if (new Set(reports.map(({ by }) => by.provider)).size < 2) return false
  const branches = await groupBranches(reports, hashBelow)
  return branches.length === 1
}
