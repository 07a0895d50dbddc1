// What each decision means for a transaction: the one place where decisions become new states.
import { type Attempt, afterBroadcast, type BroadcastOutcome, beforeBroadcast, newest, wasTaken } from '../attempt.ts'
import { cancel, dropCanceled } from '../cancel.ts'
import { setUnderFourEyes } from '../four-eyes.ts'
import { giveUp } from '../give-up.ts'
import { type Hash, mapNonEmpty, type TransactionId } from '../ids.ts'
import type { Relayer } from '../relayer.ts'
import { endHold, heldUntilApproved } from '../release.ts'
import { lowerValue, withBoundValue } from '../sweep.ts'
import { type InPhase, isInPhase, neverReachedANode, type Transaction } from '../transaction.ts'
import type { Nonce, TimestampMs } from '../units.ts'
import { withoutWait, withReason, withWait } from '../wait.ts'
import { confirm, contradict, finalize, include, refusePayload, reopen, requeue } from './facts/inclusion.ts'
import { restoreCancellation, suspect } from './lost-history/lost-cancellation.ts'
import { recover } from './lost-history/recover.ts'
import type { Change } from './plan/decision.ts'

/** `attempt` is the signed attempt of assignNonce, bump, replace, signNoOp and usePresigned. */
export function apply(
  change: Change,
  transaction: Transaction,
  attempt: Attempt | undefined,
  now: TimestampMs,
): Transaction {
  return heldUntilApproved(changed(change, transaction, attempt, now), now)
}

function changed(
  change: Change,
  transaction: Transaction,
  attempt: Attempt | undefined,
  now: TimestampMs,
): Transaction {
  switch (change.do) {
    case 'assignNonce':
      return bind(withBoundValue(transaction, change), change.nonce, signed(change, attempt), now)
    case 'bump':
    case 'replace':
    case 'signNoOp':
    case 'usePresigned': {
      const { nonce, attempts } = inPhase(transaction, 'inFlight').lifecycle
      return {
        ...transaction,
        lifecycle: { phase: 'inFlight', nonce, attempts: [...attempts, signed(change, attempt)] },
      }
    }
    case 'rebroadcast':
      return withAttempts(inPhase(transaction, 'inFlight'), (attempt) =>
        attempt.hash === change.attempt.hash ? beforeBroadcast(attempt) : attempt,
      )
    case 'include':
      return include(inPhase(transaction, 'inFlight'), change.inclusion)
    case 'recover':
      return recover(change, now)
    case 'restoreCancellation':
      return restoreCancellation({ ...change, transaction }, now)
    case 'suspect':
      return suspect({ ...change, transaction }, now)
    case 'confirm':
      return confirm(inPhase(transaction, 'mined'), now)
    case 'finalize':
      return finalize(inPhase(transaction, 'mined'), change, now)
    case 'reopen':
      return reopen(inPhase(transaction, 'mined'), change.why)
    case 'contradict':
      return contradict(inPhase(transaction, 'mined'), change.isContradicted)
    case 'requeue':
      return requeue(inPhase(transaction, 'mined'))
    case 'unbind':
      return { ...transaction, lifecycle: { phase: 'queued' } }
    case 'lowerValue':
      return lowerValue(inPhase(transaction, 'inFlight'), change.value)
    case 'drop':
      return dropCanceled(transaction, now)
    case 'expire':
      return cancel(transaction, now, 'expiry')
    case 'hold':
      // A transaction under four eyes stays on hold until a second key releases it.
      return { ...transaction, fourEyes: setUnderFourEyes(transaction, { since: now }) }
    case 'release':
      return endHold(inPhase(transaction, 'held'), 'time')
    case 'giveUp':
      return giveUp(inPhase(transaction, 'inFlight'), change.refused, now)
    case 'refuse':
      return refusePayload(transaction, change.reason, now)
    case 'explain': {
      const { do: _, transaction: __, isPassed, ...reason } = change
      return { ...withWait(transaction, reason, now), ...(isPassed && { wasPassed: true }) }
    }
    case 'clearWait':
      return withoutWait(transaction)
  }
}

/** The relayer's own no-op for a nonce that would otherwise hold up every later one. */
export function fillGap(
  relayer: Relayer,
  at: { id: TransactionId; sequence: number; nonce: Nonce; now: TimestampMs },
  attempt: Attempt,
): Transaction {
  const gapFiller: Transaction = {
    id: at.id,
    relayerId: relayer.id,
    sequence: at.sequence,
    createdAt: at.now,
    payload: {
      from: relayer.address,
      to: relayer.address,
      value: 0n,
      data: '0x',
      gasLimit: attempt.gasLimit,
      pricing: { kind: 'speed', speed: 'fast' },
    },
    origin: 'gap',
    lifecycle: { phase: 'queued' },
    version: 1,
  }
  return withReason(
    bind(gapFiller, at.nonce, attempt, at.now),
    `fills nonce ${at.nonce}, which no other transaction takes`,
  )
}

/** The transaction with the outcomes of its broadcasts. */
export function afterAnswers(
  transaction: Transaction,
  outcomes: ReadonlyMap<Hash, BroadcastOutcome>,
  now: TimestampMs,
): Transaction {
  if (!isInPhase(transaction, 'inFlight')) return transaction
  const answered = withAttempts(transaction, (attempt) => {
    const outcome = outcomes.get(attempt.hash)
    return outcome ? afterBroadcast(attempt, outcome, now) : attempt
  })
  const { wait, lifecycle } = answered
  // A node said that the balance is short, and one took the bytes since. On a busy relayer the next whole decision may come late.
  const isOver =
    wait?.condition === 'balance_short' && wait.facts.of === 'attempt' && wasTaken(newest(lifecycle.attempts))
  return isOver ? withoutWait(answered) : answered
}

/** Ends a canceled transaction if the answers prove that no node had it. */
export function dropIfNoNodeHasIt(transaction: Transaction, now: TimestampMs): Transaction {
  const certain = isInPhase(transaction, 'inFlight') && transaction.cancellation && neverReachedANode(transaction)
  return certain ? dropCanceled(transaction, now) : transaction
}

function bind(transaction: Transaction, nonce: Nonce, attempt: Attempt, now: TimestampMs): Transaction {
  const bound: Transaction = {
    ...transaction,
    lifecycle: { phase: 'inFlight', nonce, attempts: [attempt] },
    sentAt: now,
  }
  return withReason(bound, undefined)
}

function withAttempts(transaction: InPhase<'inFlight'>, change: (attempt: Attempt) => Attempt): InPhase<'inFlight'> {
  const { nonce, attempts } = transaction.lifecycle
  const changed = mapNonEmpty(attempts, change)
  if (changed.every((attempt, index) => attempt === attempts[index])) return transaction
  return { ...transaction, lifecycle: { phase: 'inFlight', nonce, attempts: changed } }
}

function signed(change: Change, attempt: Attempt | undefined): Attempt {
  if (!attempt) throw new Error(`${change.do} without a signed attempt`)
  return attempt
}

function inPhase<P extends Transaction['lifecycle']['phase']>(transaction: Transaction, phase: P): InPhase<P> {
  if (isInPhase(transaction, phase)) return transaction
  throw new Error(`transaction ${transaction.id} is ${transaction.lifecycle.phase}, not ${phase}`)
}
