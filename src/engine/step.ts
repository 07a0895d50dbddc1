// One step of one relayer: load, observe, decide, record, perform, record. Every step starts from what is stored and
// what the chain says, so it may fail, repeat or die at any line.
import type { Chain } from '../chain/chain.ts'
import type { Condition } from '../domain/condition.ts'
import { decide } from '../domain/decide/decide.ts'
import type { Plan } from '../domain/decide/decision.ts'
import { inquire, type Wants } from '../domain/decide/inquire.ts'
import { violations } from '../domain/decide/invariants.ts'
import { patienceEndsAt } from '../domain/decide/reason-to-bid.ts'
import { nextRefusedRetry } from '../domain/decide/refused-gap-filler.ts'
import { repeatAfter } from '../domain/decide/repeat-after.ts'
import { inFlightOf, isHeldUp, isInDoubt, nextExpiry, queuedOf, type Work } from '../domain/decide/work.ts'
import { inquireAboutHistory } from '../domain/lost-history/check-history.ts'
import type { Inquiry, LostHistory, Observation } from '../domain/observation.ts'
import type { NetworkPolicy } from '../domain/relayer.ts'
import type { TimestampMs } from '../domain/units.ts'
import type { Sight } from '../ops/metrics.ts'
import type { Ownership } from '../ownership/ownership.ts'
import type { BroadcastsUnderWay } from './broadcasts-under-way.ts'
import { findSent } from './find-sent.ts'
import { perform } from './perform.ts'
import { record } from './record.ts'
import type { StepContext } from './step-context.ts'

export interface Rest {
  /** Something is open: the next block may change it. */
  readonly follow?: Chain
  /** A broadcast failed, or more can be done at once: look again after this, block or no block. */
  readonly againAfterMs?: number
  /** Nothing was done, so a wake-up that comes now can wait for others. */
  readonly idle: boolean
  readonly unknowns: Unknowns
  /** What holds the relayer up. */
  readonly conditions?: readonly Condition[]
}

/** What an owner has yet to find out. */
export interface Unknowns {
  /** Whether a foreign transactions wait in the node's pool. */
  readonly pool: boolean
  /** What the balance is by now: what this process remembers of it may be from before another one used the account. */
  readonly balance: boolean
  /** What was before this owner. `all`: it has not looked at the database yet. `none`: it knows. */
  readonly lostHistory: LostHistory | 'all' | 'none'
}

export const unknownAtFirst: Unknowns = { pool: true, balance: true, lostHistory: 'all' }

export async function step(
  context: StepContext,
  ownership: Ownership,
  unknowns: Unknowns,
  broadcasts: BroadcastsUnderWay,
): Promise<Rest> {
  const stored = await context.store.reads.work(ownership.relayer)
  if (!stored) return { idle: true, unknowns, conditions: [] }
  const chain = context.chainOf(stored.relayer)
  chain.announce(stored.relayer.address)
  if (stored.open.length === 0 && stored.queued.length === 0 && stored.suspected.length === 0) {
    context.metrics.idle(stored.relayer)
    // What comes from now on can't have been sent before.
    const conditions: readonly Condition[] = stored.relayer.paused ? ['paused'] : []
    return { idle: true, unknowns: { ...unknowns, lostHistory: 'none' }, conditions }
  }
  const lostHistory = unknowns.lostHistory === 'all' ? { through: stored.lastSequence } : unknowns.lostHistory
  // As of now: one that ends while this step looks around is still on its way for it, and the next step knows better.
  const work = {
    ...stored,
    underWay: new Set(broadcasts.underWay),
    ...(lostHistory !== 'none' && { lostHistory }),
  }
  report(context, work)

  const { relayer } = work
  const policy = context.policyOf(relayer)
  const now = context.clock.now()
  const { plan, observation } = await look(context, chain, work, policy, unknowns)
  if (!isHeldUp(work)) context.metrics.looked(relayer, sightOf(work, observation, plan))

  const recorded = await record(context, ownership, work, plan, observation.head.number, now)
  // Held up it looks at races only: what else holds the relayer up stays as it was told.
  const reported = isHeldUp(work) ? {} : { conditions: plan.conditions }
  const pool = unknowns.pool && queuedOf(work).length === 0
  const balance = unknowns.balance && observation.balance === undefined
  const rest = { unknowns: { pool, balance, lostHistory: plan.lostHistory ?? 'none' }, ...reported } as const
  if (ownership.lost.aborted) return { idle: true, ...rest }
  const hashes = recorded.broadcasts.map(({ attempt }) => attempt.hash)
  const performed = perform(context, chain, ownership, recorded)
  const failed = hashes.length === 0 ? await performed : await broadcasts.attend(hashes, performed)
  return {
    follow: chain,
    ...againAfter(work, plan, failed === true, observation, policy, context.clock.now()),
    idle: recorded.changed === 0 && recorded.broadcasts.length === 0,
    ...rest,
  }
}

function sightOf(work: Work, { nonce, balance }: Observation, { conditions }: Plan): Sight {
  const inFlight = inFlightOf(work)
  const [first] = inFlight
  const waiting = [...inFlight, ...work.queued.slice(0, 1)].map(({ createdAt }) => createdAt)
  return {
    accountNonce: nonce,
    ...(first && { lowestNonce: first.lifecycle.nonce }),
    inFlight: inFlight.length,
    ...(waiting.length > 0 && { oldestAt: Math.min(...waiting) }),
    ...(balance !== undefined && { balance }),
    conditions,
  }
}

/** Blocks ring for everything else. */
function againAfter(
  work: Work,
  plan: Plan,
  failed: boolean,
  observation: Observation,
  policy: NetworkPolicy,
  now: TimestampMs,
): Pick<Rest, 'againAfterMs'> {
  if (plan.again) return { againAfterMs: 0 }
  const repeats = repeatAfter(observation, policy)
  const retry = failed || isInDoubt(work) ? repeats.doubtfulMs : Number.POSITIVE_INFINITY
  const expiry = (nextExpiry(work, now) ?? Number.POSITIVE_INFINITY) - now
  const { number } = observation.head
  const patience = (patienceEndsAt(inFlightOf(work), number, policy, now) ?? Number.POSITIVE_INFINITY) - now
  const refusedRetry = (nextRefusedRetry(work, repeats, now) ?? Number.POSITIVE_INFINITY) - now
  const soonest = Math.min(retry, Math.max(1, expiry), patience, refusedRetry)
  return Number.isFinite(soonest) ? { againAfterMs: Math.min(soonest, sleepMaxMs) } : {}
}

/** A timer's longest reach is 2^31-1 ms; a day is far enough for a look. */
const sleepMaxMs = 86_400_000

async function look(
  context: StepContext,
  chain: Chain,
  work: Work,
  policy: NetworkPolicy,
  unknowns: Unknowns,
): Promise<{ plan: Plan; observation: Observation }> {
  const waits = queuedOf(work).length > 0
  const doubts = waits || (work.suspected.length > 0 && !isHeldUp(work))
  const lostHistory = doubts ? inquireAboutHistory(work, policy.requiredConfirmations) : undefined
  const unseen = lostHistory !== undefined && lostHistory.seen?.isWhole !== true
  let wants: Wants = {
    pendingNonce: unseen || (waits && unknowns.pool),
    freshBalance: unknowns.balance,
    paysMore: false,
  }
  while (true) {
    const inquiry: Inquiry = { ...inquire(work, wants), ...(lostHistory && { lostHistory }) }
    const observation = withUnknowns(await chain.observe(inquiry), inquiry)
    const found = await findSent(context.store.reads, work, observation.lostHistory?.spenders)
    const plan = decide({ work: { ...work, ...found }, observation, policy, now: context.clock.now() })
    const pendingNonce = wants.pendingNonce || plan.needsPendingNonce
    const freshBalance = wants.freshBalance || plan.needsBalance
    const paysMore = wants.paysMore || plan.needsBalance
    const isAnswered = freshBalance === wants.freshBalance && paysMore === wants.paysMore
    if (pendingNonce === wants.pendingNonce && isAnswered) return { plan, observation }
    wants = { pendingNonce, freshBalance, paysMore }
  }
}

/** What was asked for and did not come is told apart from what nobody asked for. */
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
