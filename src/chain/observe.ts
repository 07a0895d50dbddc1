// Answers one inquiry as of one head, in as few rounds as possible.

import { withLeastTip } from '../domain/least-tip.ts'
import type { Head, HistoryInquiry, Inquiry, Observation } from '../domain/observation.ts'
import type { BlockNumber } from '../domain/units.ts'
import { byNonce } from './accounts/account-memory.ts'
import type { Accounts } from './accounts/read-account.ts'
import type { ReadShownNonce } from './accounts/read-shown-nonce.ts'
import type { OwnBlocks } from './fees/own-blocks.ts'
import type { ReadMarket } from './fees/read-market.ts'
import type { NoOpFacts, ReadNoOp } from './fees/read-no-op.ts'
import type { Pace } from './heads/measure-blocktime.ts'
import type { ReadCanonical } from './heads/read-canonical.ts'
import type { ReadTag } from './heads/read-tag.ts'
import { type HeadTracker, watchChain } from './heads/track-head.ts'
import type { CheckHistory } from './inclusions/check-history.ts'
import { type FindInclusions, findInclusions } from './inclusions/find-inclusions.ts'
import { isWhole } from './inclusions/receipt.ts'
import type { Endpoints } from './nodes/endpoints.ts'

export interface Observe {
  readonly endpoints: Endpoints
  readonly heads: HeadTracker
  readonly pace: Pace
  readonly accounts: Accounts
  readonly readCanonical: ReadCanonical
  readonly readTag: ReadTag
  readonly readMarket: ReadMarket
  readonly ownBlocks: OwnBlocks
  readonly readNoOp: ReadNoOp
  readonly readShownNonce: ReadShownNonce
  readonly searched: FindInclusions['searched']
  readonly unexplained: FindInclusions['unexplained']
  readonly findSpender: FindInclusions['findSpender']
  readonly checkHistory: CheckHistory
}

/** For so many blocks, miners may simply not have the next transaction yet. */
const usualBlocks = 3

function isWaiting({ live }: Inquiry, { number }: Head): boolean {
  const [first] = byNonce(live)
  return first?.unspentAt !== undefined && number - first.unspentAt > usualBlocks
}

const nothing: NoOpFacts = {}

/** Rejects with ChainUnavailable when no endpoint returns head and nonce. */
export async function observe(parts: Observe, inquiry: Inquiry): Promise<Observation> {
  const { heads, pace, accounts, readCanonical, readTag, readMarket, readNoOp, readShownNonce } = parts
  const at = await heads.current()
  const isSameChain = watchChain(heads, at)
  const [read, prices, { leastTip, ...noOp }, canonical, named, shownNonce] = await Promise.all([
    accounts.read(inquiry, at),
    inquiry.market ? readMarket(at, isWaiting(inquiry, at.head)) : undefined,
    inquiry.market ? readNoOp(at, inquiry.address, inquiry.isNoOpTooTight === true) : nothing,
    readCanonical(inquiry.inclusionBlocks, at),
    inquiry.tag && readTag(inquiry.tag, at),
    inquiry.shownNonce && readShownNonce(inquiry.address),
  ])
  // The tag and the inclusions' blocks must lie on one branch.
  const tagged = isSameChain() ? named : undefined
  const { account, by } = read
  const spent = inquiry.live.filter(({ nonce }) => nonce < account.nonce && !isWhole(account.inclusions.get(nonce)))
  for (const { nonce } of inquiry.live) if (nonce >= account.nonce) parts.unexplained.forget(inquiry.address, nonce)
  const { inclusions, lostNoOps } = await findInclusions(parts, inquiry.address, spent, account.inclusions, {
    ...at,
    by,
  })
  parts.ownBlocks.learn(at.head.number, inquiry.inclusionBlocks, inclusions.values())
  const market = prices?.()
  const balance = accounts.settle(inquiry, at, inclusions, read)
  const lostHistory =
    inquiry.lostHistory &&
    (await parts.checkHistory(
      inquiry.address,
      inquiry.tag ? belowTag(inquiry.lostHistory, at.head, tagged) : inquiry.lostHistory,
      account.pendingNonce,
      { ...at, by },
    ))
  const blocktimeMs = pace.measuredMs()
  return {
    head: at.head,
    ...(blocktimeMs !== undefined && { blocktimeMs }),
    rule: parts.endpoints.rule(),
    ...account,
    ...balance,
    ...(market && { market: { ...withLeastTip(market, leastTip), ...noOp } }),
    inclusions,
    lostNoOps,
    canonical,
    ...(tagged !== undefined && { tagged }),
    ...(shownNonce !== undefined && { shownNonce }),
    ...(lostHistory && { lostHistory }),
  }
}

/** Only spenders up to the tag count, and none where no node has it. */
function belowTag(inquiry: HistoryInquiry, head: Head, tagged: BlockNumber | undefined): HistoryInquiry {
  const depth = tagged === undefined ? Number.POSITIVE_INFINITY : head.number - tagged + 1
  return { ...inquiry, confirmations: Math.max(inquiry.confirmations, depth) }
}
