// One step of one relayer: load, observe, decide, record, perform, record. Every step starts from the stored rows and
// the chain, so it may fail, repeat or die at any line.
import type { Chain } from '../chain/chain.ts'
import type { Condition } from '../domain/condition.ts'
import { decide } from '../domain/decide/decide.ts'
import { dueOf, withConfirmedRows } from '../domain/decide/facts/confirmed-not-final.ts'
import { inquire, tagToRead } from '../domain/decide/facts/inquire.ts'
import { inquireAboutHistory } from '../domain/decide/lost-history/check-history.ts'
import type { Plan } from '../domain/decide/plan/decision.ts'
import { violations } from '../domain/decide/plan/invariants.ts'
import type { Fact } from '../domain/decide/plan/lacks.ts'
import type { Signing } from '../domain/decide/plan/signing.ts'
import { inFlightOf, isQueueBlocked, nextExpiry, queuedOf, type Work } from '../domain/decide/plan/work.ts'
import { hasDueHold, isIdle, nextRelease } from '../domain/decide/rules/holds.ts'
import { witnessesToCall } from '../domain/decide/rules/second-witness.ts'
import { firstWindow, nextWindow, type Window, wantsPool } from '../domain/decide/terms/window.ts'
import { finalDepth } from '../domain/finality.ts'
import type { Inquiry, LostHistory, Observation } from '../domain/observation.ts'
import { isPaused } from '../domain/pause.ts'
import type { NetworkPolicy } from '../domain/relayer.ts'
import type { RelayerSnapshot } from '../domain/relayer-observer.ts'
import type { BlockNumber, Nonce, TimestampMs } from '../domain/units.ts'
import type { Ownership } from '../ownership/ownership.ts'
import type { RemoteKey } from '../signers/signer.ts'
import type { EarlierWork } from '../store/store.ts'
import { type Again, againAfter, type Decided, sleepMaxMs, sooner } from './again-after.ts'
import type { BroadcastsUnderWay } from './broadcasts-under-way.ts'
import { earlierOf, withAnswered, withAnswers } from './earlier-work.ts'
import { findSent } from './find-sent.ts'
import { logTakenBack } from './log-taken-back.ts'
import { perform } from './perform.ts'
import { type Presigning, presign } from './presign.ts'
import { byNonce, newId, type RecordedBroadcast, record } from './record.ts'
import { recordSigned } from './record-signed.ts'
import { signDecision } from './sign.ts'
import type { SignaturesUnderWay } from './signatures-under-way.ts'
import { type SigningGroup, splitPlan } from './signing-group.ts'
import type { StepContext } from './step-context.ts'

/** The work that an owner began in earlier steps, and does not wait for. */
export interface UnderWay {
  /** Begins the next step: an answer has come that a step did not wait for. */
  wake(): void
  readonly broadcasts: BroadcastsUnderWay
  readonly signatures: SignaturesUnderWay
  readonly presigning: Presigning
}

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
  /** The account's count at the last observation. */
  readonly counted?: Nonce
  /** The head since which the pool's count lies too far above the account's nonce. */
  readonly poolBeyondSince?: BlockNumber
  /** The highest head, and when this owner first saw one as high. */
  readonly headSeen?: HeadSeen
  /** Rows of the last step: the next one reads only those that have changed since. */
  readonly earlier?: EarlierWork
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
  await broadcastSigned(context, ownership, carried, underWay)
  const { earlier, ...kept } = carried
  const { window: before = firstWindow } = kept
  // Before the rows are read: no-ops that are stored during this step look missing in them.
  const mayPresign = underWay.presigning.isFree()
  // The window may grow within this step.
  const answered = earlier && withAnswered(earlier, underWay.broadcasts.takeAnswered())
  const stored = await context.store.reads.work(ownership.relayer, 2 * before.size, answered)
  if (!stored) return { idle: true, carried: kept, conditions: [] }
  const chain = context.chainOf(stored.relayer)
  chain.announce(stored.relayer.address)
  const begun = context.clock.now()
  if (isIdle(stored, begun)) return restIdle(context, stored, kept, begun)
  const { remote } = context.signerOf(stored.relayer)
  const { presigned } = stored
  const inProgress = withMemory(context, stored, carried, underWay, remote)
  report(context, inProgress)

  const { relayer } = inProgress
  const policy = context.policyOf(relayer)
  const now = context.clock.now()
  const { window, headSeen, ...decided } = await observeAndDecide(context, chain, inProgress, policy, carried, underWay)
  const { work, plan, observation } = decided
  if (!isQueueBlocked(work)) context.observer.observed(relayer, snapshotOf(work, observation, plan))

  const {
    nonce: counted,
    head: { number },
  } = observation
  const { unsigned, groups } = remote
    ? splitPlan(plan, { work, observation, policy }, remote.groupMax)
    : { unsigned: plan, groups: [] }
  const recorded = await record(context, ownership, work, unsigned, observation, now)
  logTakenBack(unsigned.decisions, context.logger)
  // While held up, a step looks at races only, so the other conditions stay as they were reported.
  const reported = isQueueBlocked(work) ? {} : { conditions: plan.conditions }
  const poolBeyondSince = plan.isPoolBeyond ? (carried.poolBeyondSince ?? number) : undefined
  const pool = poolBeyondSince !== undefined || (carried.pool && queuedOf(work).length === 0)
  const balance = carried.balance && observation.balance === undefined
  const beyond = poolBeyondSince === undefined ? {} : { poolBeyondSince }
  const known = {
    pool,
    balance,
    lostHistory: plan.lostHistory ?? 'none',
    window,
    counted,
    headSeen,
    ...beyond,
  } as const
  if (ownership.lost.aborted) return { idle: true, carried: known, ...reported }
  for (const group of groups) requestSignatures(context, underWay, group)
  if (remote && presigned && mayPresign) {
    const situation = { work, observation, policy, now }
    presign(context, ownership, underWay.presigning, remote, situation, plan.presignFirst ?? [])
  }
  broadcast(context, chain, ownership, underWay, recorded.broadcasts)
  const after = againAfter(decided, policy, context.clock.now())
  return {
    follow: chain,
    ...sooner(
      sooner(after, remote && underWay.signatures.retryInMs(remote)),
      presigned && underWay.signatures.lateInMs(),
    ),
    idle: recorded.written.length === 0 && recorded.broadcasts.length === 0 && groups.length === 0,
    carried: { ...known, earlier: earlierOf(work, recorded.written) },
    ...reported,
  }
}

/** The rows, and what this process knows beside them. */
function withMemory(
  context: StepContext,
  stored: Work,
  carried: OwnerMemory,
  underWay: UnderWay,
  remote: RemoteKey | undefined,
): Work {
  const lostHistory = historyOf(stored, carried)
  const { presigned } = stored
  return {
    ...stored,
    window: (carried.window ?? firstWindow).size,
    ...(presigned && { presigned: presigned.filter(({ sealed }) => context.vault.opens(sealed)) }),
    // A broadcast that ends during this step still counts as under way, as this step reads nothing for the queue. The next one sees its end.
    underWay: underWay.broadcasts.hashes(),
    ...(remote && { signing: signingOf(context, underWay, remote, presigned !== undefined) }),
    ...(lostHistory !== 'none' && { lostHistory }),
    ...(carried.counted !== undefined && { counted: carried.counted }),
    ...(carried.balance && { isBalanceInDoubt: true as const }),
    ...(carried.poolBeyondSince !== undefined && { poolBeyondSince: carried.poolBeyondSince }),
  }
}

function restIdle({ observer }: StepContext, stored: Work, carried: OwnerMemory, now: TimestampMs): StepResult {
  observer.idle(stored.relayer)
  return {
    idle: true,
    carried: { ...carried, lostHistory: laterHistory(stored, carried) },
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

/** Begins to broadcast. No step waits for the answers. */
function broadcast(
  context: StepContext,
  chain: Chain,
  ownership: Ownership,
  { broadcasts: underWay }: UnderWay,
  broadcasts: readonly RecordedBroadcast[],
): void {
  if (broadcasts.length === 0) return
  const hashes = broadcasts.map(({ attempt }) => attempt.hash)
  underWay.follow(hashes, perform(context, chain, ownership, broadcasts))
}

/** Records the attempts that a remote signer signed since the last step, and broadcasts them together: two requests have no order. */
async function broadcastSigned(
  context: StepContext,
  ownership: Ownership,
  { counted = 0 }: OwnerMemory,
  underWay: UnderWay,
): Promise<void> {
  const groups = underWay.signatures.take()
  const [first] = groups
  if (!first) return
  const broadcasts: RecordedBroadcast[] = []
  for (const signed of groups) {
    broadcasts.push(...(await recordSigned(context, ownership, signed, counted)).broadcasts)
    if (ownership.lost.aborted) return
  }
  broadcasts.sort(byNonce)
  broadcast(context, context.chainOf(first.group.relayer), ownership, underWay, broadcasts)
}

function requestSignatures(context: StepContext, { signatures }: UnderWay, group: SigningGroup): void {
  const { relayer, head } = group
  const signing = { signer: context.signerOf(relayer), relayer, head, now: context.clock.now() }
  signatures.request(group, ({ decision }) => signDecision(signing, decision, () => newId(context)))
}

function snapshotOf(work: Work, { nonce, balance }: Observation, { conditions }: Plan): RelayerSnapshot {
  const inFlight = inFlightOf(work)
  const [first] = inFlight
  const waiting = [...inFlight, ...work.queued.slice(0, 1)].map(({ createdAt }) => createdAt)
  return {
    accountNonce: nonce,
    ...(first && { lowestNonce: first.lifecycle.nonce }),
    inFlight: inFlight.length,
    ...(waiting.length > 0 && { oldestAt: Math.min(...waiting) }),
    ...(balance !== undefined && { balance }),
    ...(work.presigned && { presigned: work.presigned.length }),
    conditions,
  }
}

async function observeAndDecide(
  context: StepContext,
  chain: Chain,
  stored: Work,
  policy: NetworkPolicy,
  carried: OwnerMemory,
  { broadcasts, wake }: UnderWay,
): Promise<Decided & { readonly window: Window; readonly headSeen: HeadSeen }> {
  let work = stored
  let areConfirmedRowsRead = false
  const waits = queuedOf(work).length > 0
  const hasOther = work.suspected.length > 0 || hasDueHold(work, context.clock.now())
  const doubts = waits || (hasOther && !isQueueBlocked(work))
  const lostHistory = doubts ? inquireAboutHistory(work, finalDepth(policy)) : undefined
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
    const observation = withUnknowns(await chain.observe(inquiry, wake), inquiry)
    work = withAnswers(work, broadcasts.takeAnswered())
    const due = areConfirmedRowsRead ? undefined : dueOf(work, observation, policy, context.clock.now())
    if (due) {
      // The observation lacks the blocks of these rows.
      const { confirmedRowsMax } = context.limits
      const rows = await context.store.reads.confirmedNotFinal(work.relayer.id, due, confirmedRowsMax)
      work = withConfirmedRows(work, rows, rows.length < confirmedRowsMax)
      areConfirmedRowsRead = true
      continue
    }
    const window = nextWindow(carried.window ?? firstWindow, stored, observation)
    const headSeen = newestHeadSeen(carried, observation, context.clock.now())
    work = { ...work, window: window.size, counted: observation.nonce, headSince: headSeen.since }
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
    if (lacked.length === 0) return { work, plan, observation, decidedAt, window, headSeen }
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
