// Recognizes transactions of a lost history by their payload, and rebuilds their attempts from the chain.
import type { Attempt, AttemptKind } from '../../attempt.ts'
import type { TransactionId } from '../../ids.ts'
import type { MinedPayload, Spender } from '../../observation.ts'
import { isSweep, withValue } from '../../sweep.ts'
import { isSameAccessList, type Payload, type Transaction } from '../../transaction.ts'
import type { TimestampMs } from '../../units.ts'
import { withReason } from '../../wait.ts'
import { type Found, recoveredReason } from '../plan/found.ts'

/** How far the machine's clock may be from the chain's. */
export const clockMarginMs = 3_600_000

/**
 * The transactions of the queue that the spenders carry: the oldest first, one for each spender. `queue` is in its
 * order.
 */
export function findAmong(queue: readonly Transaction[], spenders: readonly Spender[]): readonly Found[] {
  const found: Found[] = []
  const explained = new Set<string>()
  for (const spender of spenders) {
    const { signed } = spender
    if (!signed) continue
    for (const transaction of queue) {
      if (explained.has(transaction.id) || transaction.createdAt > spender.minedAt + clockMarginMs) continue
      const payloads = [...(transaction.earlier ?? []), transaction.payload]
      const revision = payloads.findLastIndex((payload) => carries(signed, likeSpender(transaction, payload, signed)))
      if (revision < 0) continue
      explained.add(transaction.id)
      found.push({ transaction, spender, signed, revision })
      break
    }
  }
  return found
}

/** The record of a sweep is older than its value, which is settled with the nonce. */
function likeSpender(transaction: Transaction, payload: Payload, { value }: MinedPayload): Payload {
  return isSweep(transaction) ? { ...payload, value } : payload
}

/** Whether the payloads are equal. An access list does not change the execution, but it distinguishes transactions. */
function carries(signed: MinedPayload, { to, value, data, accessList }: Payload): boolean {
  return (
    signed.to?.toLowerCase() === to?.toLowerCase() &&
    signed.value === value &&
    signed.data.toLowerCase() === data.toLowerCase() &&
    isSameAccessList(signed.accessList, accessList)
  )
}

/** Gives a recovered transaction the state that follows a crash during a broadcast: from here on it is searched for like any other. */
export function recover(found: Found, now: TimestampMs): Transaction {
  const { spender, signed: mined } = found
  const { suspectedNoOp: _, ...transaction } = found.transaction
  const bound: Transaction = {
    ...(isSweep(transaction) ? withValue(transaction, mined.value) : transaction),
    lifecycle: { phase: 'inFlight', nonce: spender.nonce, attempts: [recoverAttempt(found, now)] },
    sentAt: transaction.sentAt ?? spender.minedAt,
  }
  return withReason(bound, recoveredReason)
}

function recoverAttempt({ transaction, spender, signed, revision }: Found, now: TimestampMs): Attempt {
  const attempt = rebuildAttempt(transaction.id, { ...spender, signed }, revision === 0 ? 'execute' : 'replace', now)
  return revision === 0 ? attempt : { ...attempt, revision }
}

/** The attempt as it would be here without the loss. */
export function rebuildAttempt(
  transactionId: TransactionId,
  spender: Spender & { readonly signed: MinedPayload },
  kind: AttemptKind,
  now: TimestampMs,
): Attempt {
  const { raw, signature, fees, gasLimit } = spender.signed
  return {
    hash: spender.hash,
    transactionId,
    nonce: spender.nonce,
    kind,
    fees,
    gasLimit,
    raw,
    signature,
    recordedAt: now,
    // The head at the time of the broadcast is lost; the nonce was unspent below its block.
    recordedAtBlock: Math.max(0, spender.block.number - 1),
    broadcast: { state: 'handed', outcome: { kind: 'unknown', message: recoveredReason }, at: now },
    recovered: true,
  }
}
