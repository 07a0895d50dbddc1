// The results of a nonce on the chain: inclusion, finality, reorganizations, and nonces that foreign transactions took.
import { type Attempt, afterBlock, attemptWith, mayBeKnown, refusalWordsOf } from '../../attempt.ts'
import { mapNonEmpty, type NonEmpty } from '../../ids.ts'
import type { Inclusion, InPhase, Transaction } from '../../transaction.ts'
import { revisionOf, spenderKind, withoutInclusion } from '../../transaction.ts'
import type { TimestampMs } from '../../units.ts'
import { withoutWait, withReason } from '../../wait.ts'
import type { WhyReopened } from '../plan/decision.ts'
import { recoveredReason, restoredReason } from '../plan/found.ts'

/** Records that a block spent the nonce. A reorganization may reopen it. */
export function include(transaction: InPhase<'inFlight' | 'mined'>, inclusion: Inclusion): Transaction {
  const { nonce } = transaction.lifecycle
  const known = byRecord(inclusion, transaction.lifecycle.attempts)
  // The block proves that a node had it, whatever the record of a restored copy says.
  const own = attemptWith(transaction.lifecycle.attempts, known.hash)
  const attempts = mapNonEmpty(transaction.lifecycle.attempts, (attempt) =>
    attempt === own && !mayBeKnown(attempt) ? afterBlock(attempt) : attempt,
  )
  const included = { ...transaction, lifecycle: { phase: 'mined' as const, nonce, attempts, inclusion: known } }
  return withReason(included, reasonFor(transaction, known))
}

/** An attempt that a restored copy holds as never sent was sent by the lost history. */
function byRecord(inclusion: Inclusion, attempts: NonEmpty<Attempt>): Inclusion {
  if (inclusion.by !== 'unrecorded') return inclusion
  const own = attemptWith(attempts, inclusion.hash)
  return own ? { ...inclusion, by: 'attempt', kind: own.kind } : inclusion
}

/** Records the required confirmations. A deeper reorganization may still reopen the transaction: that is an alarm. */
export function confirm(transaction: InPhase<'mined'>, now: TimestampMs): Transaction {
  return { ...transaction, lifecycle: { ...transaction.lifecycle, confirmedAt: now } }
}

/** Records whether the inclusion is contradicted. One that is has no confirmations. */
export function contradict(transaction: InPhase<'mined'>, isContradicted: boolean): Transaction {
  const { isContradicted: _, confirmedAt: __, ...lifecycle } = transaction.lifecycle
  if (!isContradicted) return withoutWait({ ...transaction, lifecycle })
  return { ...transaction, lifecycle: { ...lifecycle, isContradicted } }
}

/** Makes the inclusion final: nothing changes after this. */
export function finalize(
  transaction: InPhase<'mined'>,
  { inclusion, witnesses }: { readonly inclusion: Inclusion; readonly witnesses: number },
  now: TimestampMs,
): Transaction {
  const { isContradicted: _, ...lifecycle } = transaction.lifecycle
  return {
    ...withoutWait(transaction),
    lifecycle: { ...lifecycle, inclusion, phase: 'final', finalAt: now, witnesses },
  }
}

/** Takes back an inclusion that no longer holds: the transaction races again, with every attempt it ever had. */
export function reopen(transaction: InPhase<'mined'>, why: WhyReopened): Transaction {
  const { confirmedAt } = transaction.lifecycle
  const reopened = withoutInclusion(transaction)
  const late = confirmedAt === undefined ? '' : ' after it had the required confirmations'
  const happened = {
    reorganized: 'a reorganization removed its block from the chain',
    refuted: 'an endpoint reported a false inclusion, which others refuted',
    contradicted: 'an endpoint shows its block without it, so the cancellation goes on',
  }
  return withReason(reopened, `${happened[why]}${late}`)
}

/**
 * Returns a payload to the queue once its nonce belongs for good to a foreign transaction, or to our no-op for a payload that was given
 * up for now. No attempt can ever be mined: the payload waits for a new nonce.
 */
export function requeue({ cancellation: _, ...transaction }: InPhase<'mined'>): Transaction {
  const { nonce, inclusion } = transaction.lifecycle
  const taken =
    spenderKind(inclusion) === 'foreign'
      ? `nonce ${nonce} was used by ${inclusion.hash}, a transaction that is not ours`
      : `nodes refused it, and the no-op ${inclusion.hash} took its nonce ${nonce}`
  return withReason({ ...transaction, lifecycle: { phase: 'queued' } }, `${taken}; waits for a new nonce`)
}

/** Ends a transaction whose attempts can never be mined. Its nonce, if it had one, is free again. */
export function refusePayload(transaction: Transaction, reason: string, now: TimestampMs): Transaction {
  return withReason({ ...transaction, lifecycle: { phase: 'dropped', reason: 'refused', droppedAt: now } }, reason)
}

function reasonFor(transaction: InPhase<'inFlight' | 'mined'>, inclusion: Inclusion): string | undefined {
  const spender = spenderKind(inclusion)
  if (spender === 'foreign') return `its nonce was used by ${inclusion.hash}, a transaction that is not ours`
  const gaveUp = transaction.cancellation?.origin === 'refusal'
  if (spender === 'noOp') {
    const restored = isRecovered(transaction, inclusion) ? `; ${restoredReason}` : ''
    const ended = gaveUp ? `no node takes it as it is${wordsOf(transaction)}` : 'canceled'
    return `${ended}: the no-op ${inclusion.hash} took its nonce${restored}`
  }
  const { succeeded, revertReason } = inclusion.by === 'external' ? {} : inclusion
  const reverted = succeeded === false ? (outOfGas(transaction, inclusion) ?? revertOf(revertReason)) : undefined
  const lost = [
    ...(inclusion.by === 'unrecorded' ? [unrecorded] : []),
    ...(isRecovered(transaction, inclusion) ? [recoveredReason] : []),
    ...(transaction.cancellation && !gaveUp ? ['the cancellation lost: the original was mined first'] : []),
    ...(carriesEarlier(transaction, inclusion) ? ['the replacement lost: the earlier payload was mined first'] : []),
    ...(reverted ? [reverted] : []),
    ...(succeeded === undefined ? [successUnknown] : []),
  ]
  return lost.length > 0 ? lost.join('; ') : undefined
}

/** The nodes' words of refusal. Without any, a fork raised the least gas above the limit that the client named. */
function wordsOf({ lifecycle, payload: { gasLimit } }: InPhase<'inFlight' | 'mined'>): string {
  const words = refusalWordsOf(lifecycle.attempts) ?? (gasLimit && `its gas_limit is ${gasLimit}`)
  return words === undefined ? '' : ` (${words})`
}

const successUnknown = 'executed: no node reports whether it succeeded or reverted; check its effects on the chain'

const unrecorded = 'executed by an attempt that this database does not hold: was it restored from an older copy?'

function isRecovered({ lifecycle }: InPhase<'inFlight' | 'mined'>, { hash }: Inclusion): boolean {
  return lifecycle.attempts.some((attempt) => attempt.hash === hash && attempt.recovered === true)
}

function carriesEarlier(transaction: InPhase<'inFlight' | 'mined'>, inclusion: Inclusion): boolean {
  const winner = attemptWith(transaction.lifecycle.attempts, inclusion.hash)
  return winner !== undefined && winner.kind !== 'cancel' && (winner.revision ?? 0) < revisionOf(transaction)
}

/** The reason of a revert that used all its gas, if no node has another reason: other reverts give gas back. */
function outOfGas({ lifecycle }: InPhase<'inFlight' | 'mined'>, inclusion: Inclusion): string | undefined {
  if (inclusion.by === 'external') return undefined
  const { hash, gasUsed, revertReason } = inclusion
  const limit = attemptWith(lifecycle.attempts, hash)?.gasLimit
  const hasReason = revertReason !== undefined && !/^execution reverted$|out of gas/i.test(revertReason)
  return gasUsed === undefined || gasUsed !== limit || hasReason
    ? undefined
    : `out of gas: it used all of its gas_limit, ${limit}`
}

function revertOf(reason: string | undefined): string {
  const bare = 'execution reverted'
  return reason === undefined || reason.toLowerCase() === bare ? bare : `${bare}: ${reason}`
}
