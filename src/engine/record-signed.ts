// Records the attempts that a remote signer signed, fenced, before any of their bytes leave. Other steps ran meanwhile,
// so each transaction is read anew, and the signature stays unused if the transaction changed.
import { isDeepStrictEqual } from 'node:util'
import type { Attempt } from '../domain/attempt.ts'
import { nonceOf } from '../domain/decide/plan/signing.ts'
import type { Work } from '../domain/decide/plan/work.ts'
import { roomOnArrival, wasOrderedSince } from '../domain/decide/rules/arrival-order.ts'
import { keepsBound } from '../domain/decide/rules/cost-bound.ts'
import { leftToOthers } from '../domain/decide/rules/foreign-nonces.ts'
import { rivalsInPools } from '../domain/decide/terms/rivals.ts'
import { roomIn } from '../domain/decide/terms/window.ts'
import { StaleWrite } from '../domain/errors.ts'
import { holdsNonce } from '../domain/nonce-interval.ts'
import type { Observation } from '../domain/observation.ts'
import type { NetworkPolicy } from '../domain/relayer.ts'
import { isInPhase, revisionOf, type Transaction } from '../domain/transaction.ts'
import type { Nonce, TimestampMs } from '../domain/units.ts'
import { fence, type Ownership } from '../ownership/ownership.ts'
import type { Session } from '../store/store.ts'
import { hasSameRules, type Recorded, type RecordedDecision, write } from './record.ts'
import type { SignedGroup } from './signatures-under-way.ts'
import type { SigningOrder } from './signing-group.ts'
import type { StepContext } from './step-context.ts'

/** What an owner knows once signatures have come. */
export interface KnownNow {
  /** The last observation. Absent: this owner has not looked yet. */
  readonly seen: Observation | undefined
  /** Reads the rows as they are now, with the memory of this process. Undefined: the relayer is gone. */
  readWork(): Promise<Work | undefined>
}

/** Records nothing if a client changed the relayer meanwhile. Throws OwnershipLost. */
export async function recordSigned(
  { store, clock, policyOf }: StepContext,
  ownership: Ownership,
  { group, attempts }: SignedGroup,
  known: KnownNow,
): Promise<Recorded> {
  const now = clock.now()
  const { relayer, purpose } = group
  const policy = policyOf(relayer)
  // Only the owner's steps bring transactions into flight, and they wait for this one.
  const open = purpose === 'bind' ? await openNow(known, policy, now) : undefined
  try {
    return await store.commit(async (session) => {
      // The unit may run again.
      let room = open?.room ?? 0
      await fence(session, ownership)
      if (!(await hasSameRules(session, relayer))) return nothing
      const signed: RecordedDecision[] = []
      const rows: Transaction[] = []
      for (const [index, order] of group.orders.entries()) {
        const needsRoom = order.decision.do === 'assignNonce'
        if (needsRoom && room === 0) break
        if (open?.isTaken(nonceOf(order.decision))) break
        const fresh = await stillDue(session, policy, order, attempts[index], now)
        if (fresh) {
          if (needsRoom) room -= 1
          signed.push(...fresh.signed)
          rows.push(...fresh.rows)
          // A gap would block all later nonces.
        } else if (purpose === 'bind') break
      }
      const work = { relayer, open: rows, queued: [], held: [], expiring: [] }
      return write(session, work, signed, { floor: { spentBelow: 0, explainedBelow: 0 } }, now)
    }, ownership.relayer)
  } catch (error) {
    if (error instanceof StaleWrite) return nothing
    throw error
  }
}

const nothing: Recorded = { broadcasts: [], written: [] }

interface Open {
  readonly room: number
  /** Whether another took the nonce, or waits for it in a pool, since the signature was decided. */
  isTaken(nonce: Nonce): boolean
}

/** By the newest window and count: the chain, or a reorganization, may have changed both since the signatures were decided. */
async function openNow({ seen, readWork }: KnownNow, policy: NetworkPolicy, now: TimestampMs): Promise<Open> {
  const work = await readWork()
  if (!work) return { room: 0, isTaken: () => true }
  const left = seen && leftToOthers({ work, observation: seen, policy, now })
  return {
    room: roomIn(work, roomOnArrival(work, seen ?? { nonce: 0 }, policy.profile)),
    isTaken: (nonce) => nonce < (seen?.nonce ?? 0) || (left !== undefined && holdsNonce([left], nonce)),
  }
}

interface Fresh {
  readonly signed: readonly RecordedDecision[]
  readonly rows: readonly Transaction[]
}

/** The decision, and the rows as they are now; undefined if it is not due any more, or not signed. */
async function stillDue(
  session: Session,
  policy: NetworkPolicy,
  { decision }: SigningOrder,
  signed: Attempt | undefined,
  now: TimestampMs,
): Promise<Fresh | undefined> {
  if (!signed) return undefined
  const attempt = { ...signed, recordedAt: now }
  if (decision.do === 'fillGap') return { signed: [{ decision, attempt }], rows: [] }
  const known = decision.transaction
  const fresh = await session.transaction(known.relayerId, known.id)
  if (!fresh || !isUnchanged(known, fresh) || hasNewRival(known, fresh) || hasExpired(fresh, now)) return undefined
  if (wasOrderedSince(attemptsOf(known), attemptsOf(fresh), policy)) return undefined
  return { signed: [{ decision, attempt }], rows: [fresh] }
}

/** Whether the signed bytes are still due. Waits and answers of nodes may have been recorded since. */
function isUnchanged(known: Transaction, fresh: Transaction): boolean {
  return (
    known.lifecycle.phase === fresh.lifecycle.phase &&
    (known.cancellation === undefined) === (fresh.cancellation === undefined) &&
    keepsBound(known, fresh) &&
    (known.suspectedNoOp === undefined) === (fresh.suspectedNoOp === undefined) &&
    revisionOf(known) === revisionOf(fresh) &&
    isDeepStrictEqual(known.payload, fresh.payload) &&
    isDeepStrictEqual(hashesOf(known), hashesOf(fresh))
  )
}

/**
 * Whether a pool may hold an attempt by now that every node had rejected when the price was made. The price may be too
 * low to replace that attempt.
 */
function hasNewRival(known: Transaction, fresh: Transaction): boolean {
  if (!isInPhase(known, 'inFlight') || !isInPhase(fresh, 'inFlight')) return false
  const outbid = new Set(rivalsInPools(known).map(({ hash }) => hash))
  return rivalsInPools(fresh).some(({ hash }) => !outbid.has(hash))
}

function hashesOf(transaction: Transaction): readonly string[] {
  return attemptsOf(transaction).map(({ hash }) => hash)
}

function attemptsOf(transaction: Transaction): readonly Attempt[] {
  return isInPhase(transaction, 'inFlight') ? transaction.lifecycle.attempts : []
}

/** Whether the next step expires the transaction. A no-op for a canceled one is wanted then, too. */
function hasExpired({ validUntil, cancellation }: Transaction, now: TimestampMs): boolean {
  return validUntil !== undefined && validUntil <= now && !cancellation
}
