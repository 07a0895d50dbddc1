// One signed envelope of a transaction. Recorded before it is sent, never overwritten, never deleted.
import type { Fees } from './fees.ts'
import type { Hash, Hex, NonEmpty, TransactionId } from './ids.ts'
import type { BlockNumber, Gas, Nonce, TimestampMs } from './units.ts'

/** `execute` carries the transaction's payload, `replace` a later payload of it, `cancel` the no-op. */
export type AttemptKind = 'execute' | 'replace' | 'cancel'

export interface Signature {
  r: Hex
  s: Hex
  /** 27 or 28 before EIP-155, chainId * 2 + 35 or 36 for legacy, 0 or 1 (the parity) for typed envelopes. */
  v: number
}

/** Why a node said no. One table, `chain/broadcast-outcome.ts`, maps each client's prose to these. */
export type RejectionCode =
  | 'nonceTooLow'
  | 'nonceGap'
  | 'replacementUnderpriced'
  | 'feeTooLow'
  | 'poolFull'
  | 'typeConflict'
  | 'insufficientFunds'
  | 'nodeLimit'
  | 'invalid'

/** What came of handing an attempt to the nodes. `unknown` never means "not sent"; only `notSent` does. */
export type BroadcastOutcome =
  | { kind: 'accepted' }
  | { kind: 'alreadyKnown' }
  | { kind: 'rejected'; code: RejectionCode; message: string }
  | { kind: 'unknown'; message: string }
  | { kind: 'notSent'; message: string }

/**
 * Where an attempt's bytes may be.
 * - `sending`: recorded, and on its way since; after a crash nobody knows, so a node may have it.
 * - `handed`: a node had it in its hands; `outcome` is the last answer, which proves no more than it says.
 * - `held`: certain that no byte ever reached a node, and free to be sent or withdrawn.
 * - `withdrawn`: held once, and now never to be sent: its nonce belongs to somebody else.
 */
export type HandOver =
  | { state: 'sending' }
  | { state: 'handed'; outcome: Exclude<BroadcastOutcome, { kind: 'notSent' }>; at: TimestampMs }
  | { state: 'held'; reason: string }
  | { state: 'withdrawn' }

export interface Attempt {
  readonly hash: Hash
  readonly transactionId: TransactionId
  readonly nonce: Nonce
  readonly kind: AttemptKind
  readonly fees: Fees
  readonly gasLimit: Gas
  readonly raw: Hex
  readonly signature: Signature
  readonly recordedAt: TimestampMs
  /** The head when it was recorded: waiting is counted in blocks from here. */
  readonly recordedAtBlock: BlockNumber
  readonly handOver: HandOver
}

/** Whether any node could hold these bytes: all but certainty counts. */
export function mayBeKnown(attempt: Attempt): boolean {
  return attempt.handOver.state === 'sending' || attempt.handOver.state === 'handed'
}

export function isNoOp(attempt: Attempt): boolean {
  return attempt.kind === 'cancel'
}

export function newest(attempts: NonEmpty<Attempt>): Attempt {
  return attempts[attempts.length - 1] ?? attempts[0]
}

/** The attempt after an answer. Once a node may have had the bytes, a later certain failure takes nothing back. */
export function afterHandOver(attempt: Attempt, outcome: BroadcastOutcome, now: TimestampMs): Attempt {
  if (outcome.kind !== 'notSent') return { ...attempt, handOver: { state: 'handed', outcome, at: now } }
  if (attempt.handOver.state === 'handed') return attempt
  return { ...attempt, handOver: { state: 'held', reason: outcome.message } }
}
