// Answers one inquiry as of one head, in as few rounds as possible.
import { type Market, withLeastTip } from '../domain/fees.ts'
import { type GasFigures, lowBaseGas } from '../domain/gas-figures.ts'
import type { Head, HistoryInquiry, Inquiry, Observation, WitnessInquiry } from '../domain/observation.ts'
import { isOver, type Patience } from '../domain/patience.ts'
import type { BlockNumber } from '../domain/units.ts'
import { claimOf } from '../domain/witness.ts'
import type { Clock } from '../ops/clock.ts'
import { byNonce } from './accounts/account-memory.ts'
import type { Accounts } from './accounts/read-account.ts'
import type { ReadMissing } from './accounts/read-receivers.ts'
import type { Estimates } from './fees/believe-estimates.ts'
import type { OwnBlocks } from './fees/compare-readings.ts'
import type { GasFiguresKeeper } from './fees/keep-gas-figures.ts'
import type { ReadMarket } from './fees/read-market.ts'
import type { NoOpFacts, ReadNoOp } from './fees/read-no-op.ts'
import { confirmLimit, type LimitGas } from './heads/limit-gas.ts'
import type { Pace } from './heads/measure-blocktime.ts'
import type { ReadCanonical } from './heads/read-canonical.ts'
import type { ReadTag } from './heads/read-tag.ts'
import { type HeadTracker, type TrackedHead, watchChain } from './heads/track-head.ts'
import type { Witnesses } from './inclusions/call-witnesses.ts'
import type { CheckHistory } from './inclusions/check-history.ts'
import { type FindInclusions, findInclusions } from './inclusions/find-inclusions.ts'
import type { ReceiptsBeside } from './inclusions/read-beside.ts'
import { isComplete } from './inclusions/receipt.ts'
import type { Endpoints } from './nodes/endpoints.ts'
import type { Refusals } from './sending/remember-refusals.ts'

interface Observe {
  readonly endpoints: Endpoints
  readonly providers: number
  readonly heads: HeadTracker
  readonly pace: Pace
  readonly clock: Pick<Clock, 'now'>
  readonly limitGas: LimitGas
  readonly accounts: Accounts
  readonly estimates: Estimates
  readonly readCanonical: ReadCanonical
  readonly readTag: ReadTag
  readonly readMarket: ReadMarket
  readonly ownBlocks: OwnBlocks
  readonly readNoOp: ReadNoOp
  readonly gasFigures: Pick<GasFiguresKeeper, 'follow'>
  readonly readMissing: ReadMissing
  readonly searched: FindInclusions['searched']
  readonly located: FindInclusions['located']
  readonly unexplained: FindInclusions['unexplained']
  readonly findSpender: FindInclusions['findSpender']
  readonly checkHistory: CheckHistory
  readonly witnesses: Witnesses
  readonly receiptsBeside: ReceiptsBeside
  readonly refusals: Pick<Refusals, 'findRefusedByAll' | 'findUnshown' | 'refusedGas'>
}

/** How long miners may simply not have the next transaction yet. */
const usualWait: Patience = { blocks: 4, ms: 8_000 }

function isWaiting({ live }: Inquiry, { number }: Head, clock: Observe['clock']): boolean {
  const [first] = byNonce(live)
  return first?.unspentAt !== undefined && isOver(usualWait, first.unspentAt, { block: number, ms: clock.now() })
}

/** A tie of branches: as many endpoints hold one as another, so no block of either proves anything. */
const nothingSettled: Pick<Observation, 'inclusions' | 'lostNoOps' | 'canonical'> = {
  inclusions: new Map(),
  lostNoOps: new Map(),
  canonical: new Map(),
}

const nothing: NoOpFacts = {}

/** The facts of a no-op: where no estimate says more, the chain's base is its gas. */
function noOpOf({ noOpGas, ...facts }: NoOpFacts, { base }: GasFigures): NoOpFacts {
  const gas = noOpGas ?? (base === lowBaseGas ? base : undefined)
  return { ...facts, ...(gas !== undefined && { noOpGas: gas }) }
}

function withGas(market: Market, noOp: NoOpFacts, { refusals }: Observe, { refusedGas }: Inquiry): Market {
  return { ...market, ...noOp, ...refusals.refusedGas(refusedGas) }
}

/** Rejects with ChainUnavailable when no endpoint returns head and nonce. `changed`: as of the port. */
export async function observe(parts: Observe, inquiry: Inquiry, changed?: () => void): Promise<Observation> {
  const { heads, pace, accounts, readCanonical, readTag, readMarket, readNoOp } = parts
  const at = await heads.current()
  const headAgeMs = heads.ageMs()
  const headStandsMs = heads.standsMs()
  const isSameChain = watchChain(heads, at)
  // What is estimated meanwhile keeps to it.
  parts.limitGas.at(at.head)
  const [read, estimated, prices, { leastTip, ...noOp }, canonical, named, refusedByAll, unshown, gasFigures] =
    await Promise.all([
      accounts.read(inquiry, at),
      parts.estimates.read(inquiry.estimates, at),
      inquiry.market ? readMarket(at, isWaiting(inquiry, at.head, parts.clock)) : undefined,
      inquiry.market ? readNoOp(at, inquiry.address, inquiry.isNoOpTooTight === true) : nothing,
      readCanonical(inquiry.inclusionBlocks, at),
      inquiry.tag && readTag(inquiry.tag, at),
      inquiry.refused && parts.refusals.findRefusedByAll(inquiry.refused),
      inquiry.unknownWords && parts.refusals.findUnshown(inquiry.unknownWords),
      parts.gasFigures.follow(at.head, inquiry.address),
    ])
  const { receivers } = inquiry
  const isCharged = (gasFigures.newAccount ?? 0) > 0
  const missingReceivers = receivers && isCharged ? await parts.readMissing(receivers, at) : undefined
  // The tag and the inclusions' blocks must lie on one branch.
  const tagged = isSameChain() ? named : undefined
  const { account, by } = read
  const { inclusions, lostNoOps, unread, dark } = await findSpent(parts, inquiry, account, { ...at, by }, changed)
  const nonce = await accounts.nonceShown(inquiry.address, at, read, {
    first: byNonce(dark)[0]?.nonce,
    isRefuted: dark.some(({ attempts }) => attempts.some(({ hash }) => parts.witnesses.hasRefuted(hash))),
  })
  parts.ownBlocks.learn(at.head.number, inquiry.inclusionBlocks, inclusions.values())
  const gas = await readGas(parts, inquiry, { ...at, by }, estimated, inclusions)
  const market = prices?.()
  const balance = accounts.balanceAfter(inquiry, at, inclusions, read)
  const reads = inquiry.balance === undefined ? undefined : accounts.lagged
  const lagged = reads && (await reads.read(inquiry.address, at, { ...account, ...balance }))
  const lostHistory =
    inquiry.lostHistory &&
    (await parts.checkHistory(
      inquiry.address,
      inquiry.tag ? belowTag(inquiry.lostHistory, at.head, tagged) : inquiry.lostHistory,
      account.pendingNonce,
      { ...at, by },
    ))
  const testimonies =
    inquiry.witness && (await callWitnesses(parts, inquiry, at, { canonical, tagged, inclusions, changed }))
  const blocktimeMs = pace.measuredMs()
  const isSplit = heads.split().length > 0
  return {
    head: at.head,
    headAgeMs,
    headStandsMs,
    ...(blocktimeMs !== undefined && { blocktimeMs }),
    rule: parts.endpoints.rule(),
    ...account,
    ...gas,
    nonce,
    ...balance,
    ...(lagged && { lagged }),
    gasFigures,
    ...(missingReceivers && { missingReceivers }),
    ...(market && { market: withGas(withLeastTip(market, leastTip), noOpOf(noOp, gasFigures), parts, inquiry) }),
    inclusions,
    ...(unread.size > 0 && { unread }),
    lostNoOps,
    canonical,
    ...(tagged !== undefined && { tagged }),
    ...(lostHistory && !isSplit && { lostHistory }),
    ...(testimonies && { testimonies }),
    ...(refusedByAll && { refusedByAll }),
    ...(unshown && { unshown }),
    ...(isSplit && nothingSettled),
  }
}

/** The spenders of spent nonces. `dark`: nothing shows theirs, and two counts are compared where witnesses are called. */
async function findSpent(
  parts: Observe,
  { address, live, sends = false, witness }: Inquiry,
  account: Pick<Observation, 'nonce' | 'inclusions'>,
  at: TrackedHead,
  changed: (() => void) | undefined,
) {
  const known = new Map([...account.inclusions].filter(([, each]) => !parts.witnesses.isRefuted(claimOf(each))))
  const spent = live.filter(({ nonce }) => nonce < account.nonce && !isComplete(known.get(nonce)))
  for (const { nonce } of live) if (nonce >= account.nonce) parts.unexplained.forget(address, nonce)
  const beside = await parts.receiptsBeside(address, spent, at, { sends, changed })
  const open = spent.filter(({ nonce }) => !beside.inclusions.has(nonce) && !beside.underWay.has(nonce))
  const { inclusions, lostNoOps } = await findInclusions(parts, address, open, known, at)
  const dark = witness ? open.filter(({ nonce }) => !inclusions.has(nonce) && !lostNoOps.has(nonce)) : []
  return { inclusions: new Map([...inclusions, ...beside.inclusions]), lostNoOps, unread: beside.underWay, dark }
}

/** The gas of payloads, and the most that one may have. */
async function readGas(
  { estimates, limitGas, endpoints, providers }: Observe,
  inquiry: Inquiry,
  at: TrackedHead,
  estimated: Observation['estimates'],
  inclusions: Observation['inclusions'],
): Promise<Pick<Observation, 'estimates' | 'gasLimitMax'>> {
  const minedIn = [...inquiry.inclusionBlocks, ...[...inclusions.values()].map(({ block }) => block.number)]
  const newest = minedIn.length > 0 ? Math.max(...minedIn) : undefined
  const settled = await estimates.settle(inquiry.estimates, estimated, at, newest)
  const ofEstimates = [...settled.values()].map((each) => (each.kind === 'gas' ? each.gas : 0))
  const mostGas = Math.max(inquiry.mostGas ?? 0, ...ofEstimates)
  const gasLimitMax = await confirmLimit(limitGas, endpoints, providers, at, mostGas)
  return { estimates: settled, ...(gasLimitMax !== undefined && { gasLimitMax }) }
}

function callWitnesses(
  { witnesses }: Observe,
  { witness = noWitness }: Inquiry,
  at: TrackedHead,
  {
    canonical,
    tagged,
    inclusions,
    changed,
  }: Pick<Observation, 'canonical' | 'inclusions'> & {
    tagged: BlockNumber | undefined
    changed: (() => void) | undefined
  },
): Promise<Observation['testimonies']> {
  const { number } = at.head
  const { tag } = witness
  const finalThrough = Math.min(number - witness.finalDepth + 1, tag ? (tagged ?? -1) : number)
  const mined = witness.claims.filter(({ block }) => canonical.get(block.number) === block.hash)
  const due = [...mined, ...[...inclusions.values()].map(claimOf)].filter(
    ({ block }) => number - block.number + 1 >= witness.confirmations,
  )
  return witnesses.call(due, at, { tag, finalThrough, changed })
}

const noWitness: WitnessInquiry = { claims: [], confirmations: 0, finalDepth: 0 }

/** The inquiry in which only spenders up to the tag count, and none where no node has it. */
function belowTag(inquiry: HistoryInquiry, head: Head, tagged: BlockNumber | undefined): HistoryInquiry {
  const depth = tagged === undefined ? Number.POSITIVE_INFINITY : head.number - tagged + 1
  return { ...inquiry, confirmations: Math.max(inquiry.confirmations, depth) }
}
