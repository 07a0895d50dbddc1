// Restores a cancellation that a lost history won. Its no-op is on the chain and names no transaction. Its nonce shows
// what it canceled: the transaction that holds the nonce on record, or one given by the order of the queue. If several
// transactions are possible, none of them is sent until a client decides.
import { wasTaken } from '../../attempt.ts'
import { cancelReasons } from '../../cancel.ts'
import type { Address } from '../../ids.ts'
import type { LostNoOp, Observation, Spender } from '../../observation.ts'
import type { Inclusion, InPhase, Transaction } from '../../transaction.ts'
import type { Nonce, TimestampMs } from '../../units.ts'
import { withReason, withWait } from '../../wait.ts'
import type { Decision } from '../plan/decision.ts'
import { type Found, type NoOpMatch, type NoOpMatches, restoredReason } from '../plan/found.ts'
import { clockMarginMs, rebuildAttempt } from './recover.ts'

/** A transaction that ended without a nonce, perhaps after an older copy was restored. */
export type Ended = Pick<Transaction, 'sequence' | 'createdAt'>

/** Facts on record since the lost history that narrow the candidates of a no-op. */
interface Since {
  /** Transactions that left the queue, but that a no-op of the lost history may have canceled. */
  readonly ended: readonly Ended[]
  /** The relayer's first sequence with a higher nonce, by the nonce of each no-op. Absent: none has one. */
  readonly overtaken: ReadonlyMap<Nonce, number>
  /** The limit of Work. A later transaction may be newer than the restore: then no lost history canceled it. */
  readonly uncheckedThrough?: number
}

export function isLostNoOp(spender: Spender, account: Address): spender is LostNoOp {
  const { signed } = spender
  if (!signed || signed.to?.toLowerCase() !== account.toLowerCase()) return false
  return signed.value === 0n && signed.data === '0x' && (signed.accessList ?? []).length === 0
}

/**
 * The transactions of the queue that these no-ops, all final, canceled. `queue` and `noOps` are in their order.
 *
 * Nonces are bound first in, first out, so each `found` transaction with its nonce narrows the candidates of a no-op
 * before or after it. Where there are as many no-ops as candidates, each has its own.
 *
 * `foreign`: the first nonce with an unknown spender. If that nonce was bound to a queued transaction, the transaction
 * got another nonce, out of order. Or a PUT of the lost history gave it the payload that was mined there. So the order
 * proves nothing above it.
 */
export function matchNoOps(
  queue: readonly Transaction[],
  found: readonly Found[],
  noOps: readonly LostNoOp[],
  foreign: Nonce = Number.POSITIVE_INFINITY,
  { ended, overtaken, uncheckedThrough = Number.POSITIVE_INFINITY }: Since = { ended: [], overtaken: new Map() },
): NoOpMatches {
  const foundIds = new Set(found.map(({ transaction }) => transaction.id))
  const marks = sequencesByNonce(found.filter(({ spender }) => spender.nonce < foreign))
  const canceled: NoOpMatch[] = []
  const suspected: NoOpMatch[] = []
  let left = queue.filter(({ id }) => !foundIds.has(id))
  // The order does not separate no-ops between the same two found transactions.
  const stretches = Map.groupBy(noOps, ({ nonce }) =>
    nonce > foreign ? undefined : marks.filter((mark) => mark.nonce < nonce).length,
  )
  for (const [passed, stretch] of stretches) {
    const after = passed === undefined ? 0 : (marks[passed - 1]?.sequence ?? 0)
    const before = (passed === undefined ? undefined : marks[passed]?.sequence) ?? Number.POSITIVE_INFINITY
    const isWithin = (each: Ended) =>
      each.sequence > after && each.sequence < before && stretch.some((noOp) => isOldEnough(each, noOp))
    const candidates = left.filter(
      (each) =>
        isWithin(each) && (!each.suspectedNoOp || stretch.some(({ hash }) => hash === each.suspectedNoOp?.hash)),
    )
    const pairs = candidates.flatMap((transaction, index) => {
      const noOp = stretch[index]
      if (!noOp || !isOlder(transaction, noOp) || transaction.suspectedNoOp) return []
      // Older transactions have higher nonces: this one may be newer than the no-op, which waited in a pool.
      const isOvertaken = transaction.sequence > (overtaken.get(noOp.nonce) ?? Number.POSITIVE_INFINITY)
      return isOvertaken || transaction.sequence > uncheckedThrough ? [] : [{ transaction, noOp }]
    })
    const isPaired = pairs.length === stretch.length && pairs.length === candidates.length && !ended.some(isWithin)
    const isCertain = passed !== undefined && isPaired
    // Not spread: a queue has more transactions than a call may have arguments.
    if (isCertain) for (const pair of pairs) canceled.push(pair)
    else for (const each of candidates.flatMap((transaction) => suspicionOf(transaction, stretch))) suspected.push(each)
    const decided = new Set(candidates)
    left = left.filter((each) => !decided.has(each))
  }
  return { canceled, suspected }
}

/** Sequences of the found transactions by nonce. Empty where the order was not kept: a returned nonce was bound again, out of order. */
function sequencesByNonce(found: readonly Found[]): readonly { readonly nonce: Nonce; readonly sequence: number }[] {
  const marks = found
    .map(({ transaction, spender }) => ({ nonce: spender.nonce, sequence: transaction.sequence }))
    .sort((one, other) => one.nonce - other.nonce)
  const isKept = marks.every(({ sequence }, index) => sequence > (marks[index - 1]?.sequence ?? 0))
  return isKept ? marks : []
}

/** Whether a transaction may be older than the no-op, if the clock is wrong by the margin. */
function isOldEnough({ createdAt }: Ended, { minedAt }: Spender): boolean {
  return createdAt <= minedAt + clockMarginMs
}

/** Whether a transaction is older than the no-op by a right clock: one sent after the no-op must not appear as canceled. */
function isOlder({ createdAt }: Transaction, { minedAt }: Spender): boolean {
  return createdAt <= minedAt
}

/**
 * A transaction that ended after this time may be one that the no-ops canceled: a client, or its valid_until, ended it
 * after an older copy was restored, which was after the no-op.
 */
export function endedSince(noOps: readonly LostNoOp[]): TimestampMs {
  return noOps.reduce((first, { minedAt }) => Math.min(first, minedAt), Number.POSITIVE_INFINITY) - rightClockMs
}

/** How far a right clock may be from the chain's. */
const rightClockMs = 60_000

function suspicionOf(transaction: Transaction, noOps: readonly LostNoOp[]): readonly NoOpMatch[] {
  const noOp = noOps.find((each) => isOldEnough(transaction, each))
  return noOp && !transaction.suspectedNoOp ? [{ transaction, noOp }] : []
}

/**
 * The transaction as it would be here without the loss: canceled, with the no-op in flight, so that receipt, finality
 * and reorganizations go as usual. The signed no-op for its nonce proves the cancellation.
 */
export function restoreCancellation({ transaction, noOp }: NoOpMatch, now: TimestampMs): Transaction {
  const { lifecycle, suspectedNoOp: _, ...rest } = transaction
  const attempt = rebuildAttempt(transaction.id, noOp, 'cancel', now)
  // A copy may hold the no-op itself, as one that was not sent yet.
  const known = lifecycle.phase === 'inFlight' ? lifecycle.attempts : []
  const isKnown = known.some(({ hash }) => hash === attempt.hash)
  const sent = known.map((each) => (each.hash === attempt.hash ? { ...each, broadcast: attempt.broadcast } : each))
  const [first, ...others] = isKnown ? sent : [...known, attempt]
  const hasExpired = (transaction.validUntil ?? Number.POSITIVE_INFINITY) <= Math.min(noOp.minedAt, now)
  const lost = { origin: hasExpired ? 'expiry' : 'request', requestedAt: noOp.minedAt } as const
  const cancellation = transaction.cancellation ?? lost
  const restored: Transaction = {
    ...rest,
    cancellation,
    lifecycle: { phase: 'inFlight', nonce: noOp.nonce, attempts: [first ?? attempt, ...others] },
    sentAt: transaction.sentAt ?? noOp.minedAt,
  }
  return withReason(restored, `${cancelReasons[cancellation.origin]}; ${restoredReason}`)
}

/** What a no-op of a lost history shows about the nonce of a transaction: that it canceled it, or that the spender is unknown here. */
export function shownByLostNoOp(
  transaction: InPhase<'inFlight'>,
  { lostNoOps }: Pick<Observation, 'lostNoOps'>,
): Decision | Inclusion | undefined {
  const noOp = lostNoOps?.get(transaction.lifecycle.nonce)
  if (!noOp) return undefined
  if (mayHaveCanceled(noOp, transaction)) return { do: 'restoreCancellation', transaction, noOp }
  return { by: 'external', hash: noOp.hash, block: noOp.block }
}

/**
 * Whether a no-op can have canceled the transaction that holds its nonce on record. A no-op that was mined before that nonce was bound
 * belongs to an earlier transaction, which the database has lost as a whole: the spender is unknown here.
 */
function mayHaveCanceled({ block, minedAt }: LostNoOp, holder: InPhase<'inFlight'>): boolean {
  const { recordedAtBlock, recordedAt } = holder.lifecycle.attempts[0]
  return keptItsNonce(holder) && (block.number > recordedAtBlock || minedAt > recordedAt)
}

/**
 * A transaction that no node ever accepted may have ended in the lost history, or lost its nonce to another one. Then it goes
 * back to the queue, and the history check decides which transaction of the queue the no-op canceled.
 */
function keptItsNonce({ cancellation, lifecycle }: InPhase<'inFlight'>): boolean {
  return cancellation !== undefined || lifecycle.attempts.some(wasTaken)
}

/** Marks a transaction that a no-op may have canceled. It is not sent until a DELETE, its valid_until or a PUT decides. */
export function suspect({ transaction, noOp: { hash, nonce } }: NoOpMatch, now: TimestampMs): Transaction {
  const reason = { condition: 'cancellation_unclear', facts: { noOp: hash, nonce } } as const
  return withWait({ ...transaction, suspectedNoOp: { hash, nonce } }, reason, now)
}
