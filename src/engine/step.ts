// One step of one relayer: load, observe, decide, record, perform, record. Every step starts from the stored rows and
// the chain, so it may fail, repeat or die at any line.
import type { Chain } from '../chain/chain.ts'
import type { Condition } from '../domain/condition.ts'
import { decide } from '../domain/decide/decide.ts'
import { asOfRows, queueCovered } from '../domain/decide/decide-at-once.ts'
import { dueOf, withConfirmedRows } from '../domain/decide/facts/confirmed-not-final.ts'
import { coveredBy, inquire, tagToRead } from '../domain/decide/facts/inquire.ts'
import { inquireAboutHistory } from '../domain/decide/lost-history/check-history.ts'
import type { Plan } from '../domain/decide/plan/decision.ts'
import { violations } from '../domain/decide/plan/invariants.ts'
import type { Fact } from '../domain/decide/plan/lacks.ts'
import type { Signing } from '../domain/decide/plan/signing.ts'
import {
  type Chances,
  inFlightOf,
  isQueueBlocked,
  nextExpiry,
  type PoolCount,
  queuedOf,
  type SeenUnexplained,
  type Work,
} from '../domain/decide/plan/work.ts'
import { poolCountsAfter } from '../domain/decide/rules/foreign-nonces.ts'
import { hasDueHold, isIdle, nextRelease } from '../domain/decide/rules/holds.ts'
import { witnessesToCall } from '../domain/decide/rules/second-witness.ts'
import { freeFunds } from '../domain/decide/terms/funds.ts'
import { firstWindow, nextWindow, type Window, wantsPool } from '../domain/decide/terms/window.ts'
import { chancesBeside, countChances } from '../domain/decide/waits/no-progress.ts'
import { defined } from '../domain/defined.ts'
import { finalDepth } from '../domain/finality.ts'
import type { Inquiry, LostHistory, Observation } from '../domain/observation.ts'
import type { Moment } from '../domain/patience.ts'
import { isPaused } from '../domain/pause.ts'
import type { NetworkPolicy } from '../domain/relayer.ts'
import type { RelayerSnapshot } from '../domain/relayer-observer.ts'
import type { BlockNumber, Nonce, TimestampMs } from '../domain/units.ts'
import type { Ownership } from '../ownership/ownership.ts'
import type { RemoteKey } from '../signers/signer.ts'
import type { EarlierWork } from '../store/store.ts'
import { type Again, againAfter, type Decided, sleepMaxMs, sooner } from './again-after.ts'
import { broadcastSigned, carryOut } from './carry-out.ts'
import { actDuring, type LastLook, type Meanwhile, withKnownBalance } from './decide-at-once.ts'
import { earlierOf, withAnswered, withAnswers } from './earlier-work.ts'
import { findSent } from './find-sent.ts'
import { presign } from './presign.ts'
import type { StepContext } from './step-context.ts'
import type { UnderWay } from './under-way.ts'

export interface StepResult {
  /** A transaction is open: the next block may change it. */
  readonly follow?: Chain
  /** A broadcast is in doubt, or more can be done at once: the next step begins after this time, or earlier with a block. */
  readonly againAfterMs?: number
  /** The step changed nothing, so a wake-up that comes now can wait for others. */
  readonly idle: boolean
  readonly carried: OwnerMemory
  /** The conditions that hold the relayer up. */
  readonly conditions?: readonly Condition[]
}

/** An owner carries this from one step to the next. Losing it costs reads, no more. */
export interface OwnerMemory {
  /** Whether a foreign transaction may wait in the node's pool. */
  readonly pool: boolean
  /** Whether the balance must be read anew: this process may remember one from before another used the account. */
  readonly balance: boolean
  /** The history before this owner. `all`: the owner has not read the database yet. `none`: the check is complete. */
  readonly lostHistory: LostHistory | 'all' | 'none'
  /** The window: how many may be in flight, as this owner has seen the chain take them. Absent: `firstWindow`. */
  readonly window?: Window
  /** The counts of a pool above foreign nonces, by `clock.elapsed()`. */
  readonly poolCounts?: readonly PoolCount[]
  /** Since when the history check has seen unexplained nonces, by the same clock. */
  readonly unexplainedSince?: SeenUnexplained
  /** The highest head, and when this owner first saw one as high. */
  readonly headSeen?: HeadSeen
  readonly chances?: Chances
  readonly lastLook?: LastLook
  /** Rows of the last step: the next one reads only those that have changed since. */
  readonly earlier?: EarlierWork
}

/** What an owner carries on from a look. */
interface Seen {
  readonly lastLook: LastLook
  readonly window: Window
  readonly headSeen: HeadSeen
  readonly chances?: Chances
}

interface HeadSeen {
  readonly number: BlockNumber
  readonly since: TimestampMs
}

export const freshOwner: OwnerMemory = { pool: true, balance: true, lostHistory: 'all' }

export async function step(
  context: StepContext,
  ownership: Ownership,
  carried: OwnerMemory,
  underWay: UnderWay,
): Promise<StepResult> {
  // The rows show what was urgent before.
  underWay.urgent.silence()
  const { earlier, lastLook, ...kept } = carried
  const { window: before = firstWindow } = kept
  // The window may grow within this step.
  const readRows = (known?: EarlierWork) => context.store.reads.work(ownership.relayer, 2 * before.size, known)
  const readWork = async (known?: EarlierWork, window = before) => {
    const read = await readRows(known)
    return read && withMemory(context, read, { ...carried, window }, underWay)
  }
  await broadcastSigned(context, ownership, underWay, { seen: lastLook?.observation, readWork: () => readWork() })
  // Before the rows are read: no-ops that are stored during this step look missing in them.
  const mayPresign = underWay.presigning.isFree()
  const stored = await readRows(earlier && withAnswered(earlier, underWay.broadcasts.takeAnswered()))
  if (!stored) return { idle: true, carried: kept, conditions: [] }
  const chain = context.chainOf(stored.relayer)
  chain.announce(stored.relayer.address)
  const begun = context.clock.now()
  if (isIdle(stored, begun)) return restIdle(context, stored, kept, begun)
  const inProgress = withMemory(context, stored, carried, underWay)
  report(context, inProgress)

  const { relayer } = inProgress
  const { remote } = context.signerOf(relayer)
  const policy = context.policyOf(relayer)
  const readAnew = (window: Window) => readWork(earlierOf(stored, []), window)
  const meanwhile = { context, chain, ownership, underWay, lastLook, readAnew }
  const seen = await observeAndDecide(meanwhile, inProgress, policy, carried)
  if (!seen) return { follow: chain, againAfterMs: 0, idle: false, carried }
  const { lastLook: look, window, headSeen, chances, ...decided } = seen
  const { work, plan, observation, decidedAt: now } = decided
  if (!isQueueBlocked(work)) context.observer.observed(relayer, snapshotOf(work, observation, policy, plan))

  const { number } = observation.head
  const recorded = await carryOut(context, chain, ownership, underWay, { ...decided, now })
  // While held up, a step looks at races only, so the other conditions stay as they were reported.
  const reported = isQueueBlocked(work) ? {} : { conditions: plan.conditions }
  const at = { block: number, ms: context.clock.elapsed() }
  const poolCounts = poolCountsAfter(carried.poolCounts ?? [], { work, observation, policy, now }, at)
  const unexplainedSince = unexplainedAfter(carried.unexplainedSince, plan, observation.nonce, at)
  const pool = poolCounts.length > 0 || (carried.pool && queuedOf(work).length === 0)
  const balance = carried.balance && observation.balance === undefined
  const since = { ...(poolCounts.length > 0 && { poolCounts }), ...(unexplainedSince && { unexplainedSince }) }
  const ofLook = {
    window,
    headSeen,
    lastLook: look,
    ...since,
    ...(chances && { chances: chancesBeside(plan.conditions, chances, now) }),
  }
  const known = { pool, balance, lostHistory: plan.lostHistory ?? 'none', ...ofLook } as const
  if (ownership.lost.aborted) return { idle: true, carried: known, ...reported }
  const { presigned } = stored
  if (remote && presigned && mayPresign) {
    const situation = { work, observation, policy, now }
    presign(context, ownership, underWay.presigning, remote, situation, plan.presignFirst ?? [])
  }
  const after = againAfter(decided, policy, context.clock.now())
  return {
    follow: chain,
    ...sooner(
      sooner(after, remote && underWay.signatures.retryInMs(remote)),
      presigned && underWay.signatures.lateInMs(),
    ),
    idle: recorded.isIdle,
    carried: { ...known, earlier: earlierOf(work, recorded.written) },
    ...reported,
  }
}

/** The rows, and what this process knows beside them. */
function withMemory(context: StepContext, stored: Work, carried: OwnerMemory, underWay: UnderWay): Work {
  const { remote } = context.signerOf(stored.relayer)
  const lostHistory = historyOf(stored, carried)
  const { presigned } = stored
  const { poolCounts, unexplainedSince } = carried
  return {
    ...stored,
    window: (carried.window ?? firstWindow).size,
    ...(presigned && { presigned: presigned.filter(({ sealed }) => context.vault.opens(sealed)) }),
    // A broadcast that ends during this step still counts as under way, as this step reads nothing for the queue. The next one sees its end.
    underWay: underWay.broadcasts.hashes(),
    ...(remote && { signing: signingOf(context, underWay, remote, presigned !== undefined) }),
    ...(lostHistory !== 'none' && { lostHistory }),
    ...(carried.lastLook && { counted: carried.lastLook.observation.nonce }),
    ...(carried.balance && { isBalanceInDoubt: true as const }),
    ...(poolCounts && { poolCounts: poolCounts.map((each) => dated(each, context)) }),
    ...(unexplainedSince && { unexplainedSince: dated(unexplainedSince, context) }),
  }
}

/** A moment of this process as the machine's clock names it now. That clock may have been set meanwhile. */
function dated<M extends Moment>(moment: M, { clock }: StepContext): M {
  return { ...moment, ms: clock.now() - (clock.elapsed() - moment.ms) }
}

/** Nonces that are seen once the earlier ones are spent get their patience anew. */
function unexplainedAfter(
  before: SeenUnexplained | undefined,
  { lostHistory }: Plan,
  nonce: Nonce,
  at: Moment,
): SeenUnexplained | undefined {
  const { seen } = lostHistory ?? {}
  return seen && (before && nonce < before.below ? before : { ...at, below: seen.below })
}

function restIdle({ observer }: StepContext, stored: Work, carried: OwnerMemory, now: TimestampMs): StepResult {
  observer.idle(stored.relayer)
  return {
    idle: true,
    carried: {
      ...carried,
      lostHistory: laterHistory(stored, carried),
      // The foreign transactions that an unfinished check saw in pools may still wait there.
      ...(carried.lostHistory !== 'none' && { pool: true }),
      // With the relayer's policies at hand, the next step reads the queue at the same time, and waits for one answer less.
      earlier: { relayer: stored.relayer, transactions: new Map() },
    },
    conditions: isPaused(stored.relayer) ? ['paused'] : [],
    ...onceDue(stored, now),
  }
}

function historyOf({ lastSequence }: Work, { lostHistory }: OwnerMemory): LostHistory | 'none' {
  return lostHistory === 'all' ? { through: lastSequence } : lostHistory
}

/** No lost history can have sent a transaction that is stored later. It may have sent one that is on hold in this copy. */
function laterHistory(stored: Work, carried: OwnerMemory): OwnerMemory['lostHistory'] {
  return stored.held.length > 0 ? historyOf(stored, carried) : 'none'
}

/** The time until the next transaction on hold is due. */
function onceDue(stored: Work, now: TimestampMs): Again {
  const dueAt = Math.min(nextExpiry(stored, now) ?? Infinity, nextRelease(stored, now) ?? Infinity)
  return Number.isFinite(dueAt) ? { againAfterMs: Math.min(sleepMaxMs, Math.max(1, dueAt - now)) } : {}
}

/** The newest head, and when this owner first saw one as high. */
function newestHeadSeen({ headSeen }: OwnerMemory, { head: { number } }: Observation, now: TimestampMs): HeadSeen {
  return headSeen && headSeen.number >= number ? headSeen : { number, since: now }
}

function signingOf(
  { vault }: StepContext,
  { signatures, presigning }: UnderWay,
  remote: RemoteKey,
  wantsPresigned: boolean,
): Signing {
  const presigns = wantsPresigned && vault.canSeal && presigning.works()
  return { ...signatures.state(remote), ...(presigns && { presigns }) }
}

function snapshotOf(
  work: Work,
  observation: Observation,
  policy: NetworkPolicy,
  { conditions }: Plan,
): RelayerSnapshot {
  const { nonce, balance } = observation
  const free = freeFunds(work, observation, policy)
  const inFlight = inFlightOf(work)
  const [first] = inFlight
  const waiting = [...inFlight, ...work.queued.slice(0, 1)].map(({ createdAt }) => createdAt)
  return {
    accountNonce: nonce,
    ...(first && { lowestNonce: first.lifecycle.nonce }),
    inFlight: inFlight.length,
    ...(waiting.length > 0 && { oldestAt: Math.min(...waiting) }),
    ...defined({ balance, free }),
    ...(work.presigned && { presigned: work.presigned.length }),
    conditions,
  }
}

/** Undefined if something was decided at once during the look: the rows are older than that. */
async function observeAndDecide(
  { readAnew, ...meanwhile }: Omit<Meanwhile, 'readWork'> & { readAnew(window: Window): Promise<Work | undefined> },
  stored: Work,
  policy: NetworkPolicy,
  carried: OwnerMemory,
): Promise<(Decided & Seen) | undefined> {
  const { context, chain, underWay } = meanwhile
  let { lastLook } = meanwhile
  let work = stored
  let { window = firstWindow } = carried
  let withDue: ((read: Work) => Work) | undefined
  // The queue goes on by this look, once its bytes or signatures have come: not while a history is searched.
  const waits = (work.lostHistory ? queuedOf(work) : work.queued).length > 0
  const hasOther = work.suspected.length > 0 || hasDueHold(work, context.clock.now())
  const doubts = waits || (hasOther && !isQueueBlocked(work))
  const lostHistory = doubts ? inquireAboutHistory(work, finalDepth(policy).depth) : undefined
  const unseen = lostHistory !== undefined && lostHistory.seen?.isWhole !== true
  const tag = tagToRead(work, lostHistory, policy)
  const requested = new Set<Fact>(unseen || (waits && carried.pool) || wantsPool(work) ? ['pendingNonce'] : [])
  while (true) {
    const usual = inquire(work, requested, policy.profile, chain.gasFigures())
    const witness = witnessesToCall(work, policy)
    const inquiry: Inquiry = {
      ...usual,
      ...(lostHistory && { lostHistory }),
      ...(tag && { tag }),
      ...(witness && { witness }),
    }
    const begunAt = context.clock.elapsed()
    const observing = chain.observe(inquiry, underWay.wake)
    const readWork = () => readAnew(window)
    const done = await actDuring(observing, work, { ...meanwhile, lastLook, readWork })
    if (done === 'more') return undefined
    const looked = withUnknowns(await observing, inquiry)
    const covered = coveredBy(work)
    lastLook = { observation: withKnownBalance(looked, lastLook), readAt: begunAt - (looked.headAgeMs ?? 0), covered }
    let observation = looked
    if (done === 'bound') {
      const read = await readWork()
      if (!read) return undefined
      const { gapRecord } = work
      work = { ...queueCovered(withDue?.(read) ?? read, covered), ...(gapRecord && { gapRecord }) }
      observation = asOfRows(looked, covered, work)
    }
    const tookMs = context.clock.elapsed() - lastLook.readAt
    const now = context.clock.now()
    window = nextWindow(carried.window ?? firstWindow, stored, { observation: looked, now, tookMs }, work.open)
    // While a further turn looks, the queue goes on by this window.
    work = { ...withAnswers(work, underWay.broadcasts.takeAnswered()), window: window.size }
    const due = withDue ? undefined : dueOf(work, observation, policy, context.clock.now())
    if (due) {
      // The observation lacks the blocks of these rows.
      const { confirmedRowsMax } = context.limits
      const rows = await context.store.reads.confirmedNotFinal(work.relayer.id, due, confirmedRowsMax)
      withDue = (read) => withConfirmedRows(read, rows, rows.length < confirmedRowsMax)
      work = withDue(work)
      continue
    }
    const headSeen = newestHeadSeen(carried, observation, now)
    const chances = countChances(carried.chances, work, observation, policy, now)
    const counted = chances && { chances }
    work = { ...work, counted: observation.nonce, headSince: headSeen.since, ...counted }
    const found = await findSent(context.store.reads, work, observation.lostHistory?.spenders)
    const decidedAt = context.clock.now()
    const plan = decide({ work: { ...work, ...found }, observation, policy, now: decidedAt })
    const lacked = [...plan.lacks].filter((fact) => !requested.has(fact))
    if (lacked.includes('gapRecord')) {
      requested.add('gapRecord')
      const gapRecord = await context.store.reads.gapRecord(work.relayer.id, observation.nonce, decidedAt)
      work = { ...work, gapRecord }
      continue
    }
    const seen = { lastLook, window, headSeen, ...counted }
    if (lacked.length === 0) return { work, plan, observation, decidedAt, ...seen }
    for (const fact of lacked) requested.add(fact)
  }
}

/** Marks requested values that did not come, so that they differ from values that were not requested. */
function withUnknowns(observation: Observation, inquiry: Inquiry): Observation {
  const estimates = new Map(observation.estimates)
  for (const { transactionId } of inquiry.estimates) {
    if (!estimates.has(transactionId)) estimates.set(transactionId, { kind: 'unknown' })
  }
  const isPoolUnseen = inquiry.pendingNonce && observation.pendingNonce === undefined
  return { ...observation, estimates, ...(isPoolUnseen && { isPoolUnseen }) }
}

function report(context: StepContext, work: Work): void {
  const broken = violations(work)
  if (broken.length > 0) context.logger.error({ relayer_id: work.relayer.id, broken }, 'an invariant does not hold')
}
