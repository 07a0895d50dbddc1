// Makes a step's decisions durable, fenced by the owner's epoch, before any of their bytes leave the process.
import { isDeepStrictEqual } from 'node:util'
import type { Attempt } from '../domain/attempt.ts'
import { apply, fillGap } from '../domain/decide/apply.ts'
import type { Change, Decision, Plan } from '../domain/decide/plan/decision.ts'
import { isSigning, traits } from '../domain/decide/plan/traits.ts'
import type { Work } from '../domain/decide/plan/work.ts'
import { StaleWrite } from '../domain/errors.ts'
import type { TransactionId } from '../domain/ids.ts'
import type { Observation } from '../domain/observation.ts'
import { isPaused } from '../domain/pause.ts'
import type { Relayer } from '../domain/relayer.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { TimestampMs } from '../domain/units.ts'
import { freshId } from '../ops/random.ts'
import { fence, type Ownership } from '../ownership/ownership.ts'
import type { Session } from '../store/store.ts'
import { openNoOp } from './seal-no-op.ts'
import { signDecision } from './sign.ts'
import type { StepContext } from './step-context.ts'

export interface RecordedBroadcast {
  readonly transaction: Transaction
  readonly attempt: Attempt
}

export interface Recorded {
  /** By nonce. */
  readonly broadcasts: readonly RecordedBroadcast[]
  /** Transactions written, as their rows are now. */
  readonly written: readonly Transaction[]
}

export interface RecordedDecision {
  readonly decision: Decision
  readonly attempt?: Attempt
}

/**
 * Throws StaleWrite if a client changed the relayer or one of the transactions meanwhile, and OwnershipLost. Then
 * nothing is recorded.
 */
export async function record(
  context: StepContext,
  ownership: Ownership,
  work: Work,
  plan: Plan,
  { head: { number: head } }: Pick<Observation, 'head'>,
  now: TimestampMs,
): Promise<Recorded> {
  const { decisions, floor } = plan
  // The explained floor is recorded even without decisions: a later restore check relies on it.
  const isExplained = floor.explainedBelow <= work.floor.explainedBelow
  if (decisions.length === 0 && isExplained && !plan.completesHistoryCheck) return { broadcasts: [], written: [] }
  const signing = { signer: context.signerOf(work.relayer), relayer: work.relayer, head, now }
  const signed = await Promise.all(
    decisions.map(async (decision): Promise<RecordedDecision> => {
      if (decision.do === 'usePresigned') {
        const attempt = openNoOp(context, work.relayer.id, decision, { head, now })
        return { decision, ...(attempt && { attempt }) }
      }
      if (!isSigning(decision)) return { decision }
      const attempt = await signDecision(signing, decision, () => newId(context))
      return { decision, attempt }
    }),
  )
  return context.store.commit(async (session) => {
    await fence(session, ownership)
    if (decisions.some((each) => traits[each.do].followsRules)) await refuseOtherRules(session, work.relayer)
    const usable: RecordedDecision[] = []
    for (const each of signed) {
      const { decision, attempt } = each
      if (attempt || decision.do !== 'usePresigned') usable.push(each)
      else await session.removePresigned(work.relayer.id, decision.noOp)
    }
    const recorded = await write(session, work, usable, plan, now)
    const isFinalLonger = floor.spentBelow > work.floor.spentBelow
    if (work.presigned && isFinalLonger) await session.prunePresigned(work.relayer.id)
    return recorded
  }, ownership.relayer)
}

/** The id of a gap filler. */
export function newId({ random, clock }: StepContext): TransactionId {
  return freshId<TransactionId>(random, clock.now())
}

/** Writes the decisions and their attempts. `work`: at least the transactions that `signed` is about. */
export async function write(
  session: Session,
  work: Pick<Work, 'relayer' | 'open' | 'queued' | 'held' | 'expiring'>,
  signed: readonly RecordedDecision[],
  { floor, completesHistoryCheck }: Pick<Plan, 'floor' | 'completesHistoryCheck'>,
  now: TimestampMs,
): Promise<Recorded> {
  const before = decidedAbout(work, signed)
  const after = new Map<TransactionId, Transaction>()
  const toBroadcast: [TransactionId, Attempt][] = []
  for (const { decision, attempt } of signed) {
    if (decision.do === 'fillGap') continue
    const { id } = decision.transaction
    after.set(id, apply(decision, after.get(id) ?? before.get(id) ?? decision.transaction, attempt, now))
    if (decision.do === 'giveUp') await countGiveUp(session, decision.transaction, now)
    const bytes = attempt ?? (decision.do === 'rebroadcast' ? decision.attempt : undefined)
    if (bytes) toBroadcast.push([id, bytes])
  }
  const written = new Map<TransactionId, Transaction>()
  // A transaction that gives a nonce up is written before the one that takes it.
  for (const [id, next] of [...after].sort(releasingFirst)) {
    const known = before.get(id)
    if (known && next !== known) written.set(id, await session.saveTransaction(known, next, now))
  }
  const broadcasts: RecordedBroadcast[] = []
  for (const [id, attempt] of toBroadcast) {
    const known = before.get(id)
    if (known && !written.has(id)) await refuseIfChanged(session, known)
    const transaction = written.get(id) ?? known
    if (transaction) broadcasts.push({ transaction, attempt })
  }
  // Gap fillers come last: one of these may just have given the nonce up.
  for (const { decision, attempt } of signed) {
    if (decision.do !== 'fillGap' || !attempt) continue
    const gapFiller = await fill(session, work, decision.nonce, attempt, now)
    if (decision.unassigned) await session.recordGapFill(work.relayer.id, decision.nonce, now)
    written.set(gapFiller.id, gapFiller)
    broadcasts.push({ transaction: gapFiller, attempt })
  }
  await session.raiseFloor(work.relayer.id, floor)
  if (completesHistoryCheck) await session.completeHistoryCheck(work.relayer.id)
  broadcasts.sort(byNonce)
  return { broadcasts, written: [...written.values()] }
}

/** Lowest nonce first: a node that accepts only the sender's next nonce then accepts them all. */
export function byNonce(one: RecordedBroadcast, other: RecordedBroadcast): number {
  return one.attempt.nonce - other.attempt.nonce
}

/** Counts a given-up payload against the limit of its sender. */
async function countGiveUp(session: Session, transaction: Transaction, now: TimestampMs): Promise<void> {
  const { id: transactionId, relayerId, createdBy: keyId } = transaction
  if (keyId !== undefined) await session.recordGiveUp(relayerId, { keyId, transactionId }, now)
}

async function fill(
  session: Session,
  work: Pick<Work, 'relayer'>,
  nonce: number,
  attempt: Attempt,
  now: TimestampMs,
): Promise<Transaction> {
  const next = await session.reserveSequence(work.relayer.id)
  if (!next) throw new StaleWrite(`relayer ${work.relayer.id} is gone`)
  const gapFiller = fillGap(next.relayer, { id: attempt.transactionId, sequence: next.sequence, nonce, now }, attempt)
  await session.insertTransaction(gapFiller)
  return gapFiller
}

/** The transactions as the step read them. Those of a lost history may be anywhere in the queue. */
function decidedAbout(
  { open, queued, held, expiring }: Pick<Work, 'open' | 'queued' | 'held' | 'expiring'>,
  signed: readonly RecordedDecision[],
): ReadonlyMap<TransactionId, Transaction> {
  const decisions = signed.map(({ decision }) => decision)
  const ids = new Set(decisions.flatMap((each) => (each.do === 'fillGap' ? [] : [each.transaction.id])))
  const found = decisions.flatMap((each) => (isFromLostHistory(each) ? [each.transaction] : []))
  return new Map(
    [open, queued, held, expiring, found]
      .flatMap((each) => each.filter(({ id }) => ids.has(id)))
      .map((transaction) => [transaction.id, transaction]),
  )
}

/** Refuses a broadcast that changes no row if a DELETE was answered since: its bytes must not go out again. */
async function refuseIfChanged(session: Session, known: Transaction): Promise<void> {
  const current = await session.current(known)
  if (current?.version !== known.version) throw new StaleWrite(`transaction ${known.id} changed since it was read`)
}

function isFromLostHistory(decision: Decision) {
  return decision.do === 'recover' || decision.do === 'restoreCancellation' || decision.do === 'suspect'
}

/**
 * A step lasts as long as a node takes to answer. After an answered pause or policy change it signs nothing by the old
 * rules.
 */
async function refuseOtherRules(session: Session, relayer: Relayer): Promise<void> {
  if (await hasSameRules(session, relayer)) return
  throw new StaleWrite(`relayer ${relayer.id} changed since it was read`)
}

export async function hasSameRules(session: Session, relayer: Relayer): Promise<boolean> {
  const fresh = await session.relayer(relayer.id)
  if (!fresh || isPaused(fresh) !== isPaused(relayer)) return false
  return isDeepStrictEqual(fresh.policies, relayer.policies)
}

function releasingFirst([, one]: [string, Transaction], [, other]: [string, Transaction]): number {
  return Number('nonce' in one.lifecycle) - Number('nonce' in other.lifecycle)
}

/** Writes the reasons of waits that no step decided, each to its transaction as it was read. */
export async function saveWaits(session: Session, changes: readonly Change[], now: TimestampMs): Promise<void> {
  for (const change of changes) {
    await session.saveTransaction(change.transaction, apply(change, change.transaction, undefined, now), now)
  }
}
