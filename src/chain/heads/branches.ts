// Branches that endpoints hold at the same time: pure. For some seconds they are a reorganization on its way. If they last,
// the one that most endpoints hold is followed.
import type { Hash } from '../../domain/ids.ts'
import type { HeadReport } from './believe-head.ts'

/** An endpoint, as far as branches need one. */
export interface Holder {
  readonly index: number
  readonly provider: string
}

/** The reports of one branch, the highest head first. */
export type Branch<By> = readonly [HeadReport<By>, ...HeadReport<By>[]]

/** The hash that the endpoint of `higher` shows at the height of `lower`. */
type HashBelow<By> = (higher: HeadReport<By>, lower: HeadReport<By>) => Promise<Hash | undefined>

/**
 * An endpoint so far behind that it may be on several branches is on none. Heads over the same parent are no branches: the newest block
 * of some chains changes its hash with each flashblock.
 */
export async function groupBranches<By>(
  reports: readonly HeadReport<By>[],
  hashBelow: HashBelow<By>,
): Promise<readonly Branch<By>[]> {
  const branches: [HeadReport<By>, ...HeadReport<By>[]][] = []
  for (const report of reports.toSorted((one, other) => other.head.number - one.head.number)) {
    const shown = await Promise.all(branches.map(([leader]) => isBelow(leader, report, hashBelow)))
    const joined = branches.filter((_, index) => shown[index])
    if (joined.length === 0) branches.push([report])
    else if (joined.length === 1) joined[0]?.push(report)
  }
  return branches
}

async function isBelow<By>(
  leader: HeadReport<By>,
  { head, by }: HeadReport<By>,
  hashBelow: HashBelow<By>,
): Promise<boolean> {
  if ((await hashBelow(leader, { head, by })) === head.hash) return true
  if (leader.head.number === head.number) return leader.head.parentHash === head.parentHash
  const parent = { ...head, number: head.number - 1 }
  return (await hashBelow(leader, { head: parent, by })) === head.parentHash
}

export interface Dispute<By> {
  /** When the dispute began, by `clock.elapsed()`. */
  readonly since: number
  readonly readings: number
  /** The highest head of each endpoint at first. */
  readonly heights: ReadonlyMap<By, number>
}

const disputeReadings = 3
const disputeMs = 10_000

export function continueDispute<By>(
  dispute: Dispute<By> | undefined,
  branches: readonly Branch<By>[],
  elapsedMs: number,
): Dispute<By> {
  if (dispute) return { ...dispute, readings: dispute.readings + 1 }
  const heights = new Map(branches.flat().map(({ head, by }) => [by, head.number]))
  return { since: elapsedMs, readings: 1, heights }
}

/** `undefined`: the dispute is young, or no branch grows. `split`: as many endpoints hold one as another, and both grow. */
export function decideDispute<By extends Holder>(
  { since, readings, heights }: Dispute<By>,
  branches: readonly Branch<By>[],
  elapsedMs: number,
): Branch<By> | 'split' | undefined {
  if (readings < disputeReadings || elapsedMs - since < disputeMs) return undefined
  const holders = (branch: Branch<By>) => new Set(branch.map(({ by }) => by.provider)).size
  const most = Math.max(...branches.map(holders))
  const largest = branches.filter((branch) => holders(branch) === most)
  if (largest.length === 1) return largest[0]
  const growing = largest.filter((branch) =>
    branch.some(({ head, by }) => head.number > (heights.get(by) ?? head.number)),
  )
  return growing.length > 1 ? 'split' : growing[0]
}
