// One signed version of a transaction. It is recorded before it is broadcast, never overwritten and never deleted.
import type { Fees } from './fees.ts'
import type { Hash, Hex, NonEmpty, TransactionId } from './ids.ts'
import type { Depth, Moment } from './patience.ts'
import type { BlockNumber, Gas, Nonce, TimestampMs } from './units.ts'

/** `execute` carries the transaction's payload, `replace` a later payload of it, `cancel` the no-op. */
export type AttemptKind = 'execute' | 'replace' | 'cancel'

export interface Signature {
  r: Hex
  s: Hex
  /** 27 or 28 before EIP-155, chainId * 2 + 35 or 36 for legacy, 0 or 1 (the parity) for typed transactions. */
  v: number
}

/**
 * Why a node rejected a broadcast. `chain/sending/broadcast-outcome.ts` is the one table that maps each client's prose
 * to these.
 */
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

/**
 * The outcome of broadcasting an attempt. `unknown` never means "not sent"; only `unsent` does. `ordered`: the answer was the
 * receipt, so the transaction has its place (EIP-7966). `unrecognized`: a node answered with an error that no known client gives.
 */
export type BroadcastOutcome =
  | { kind: 'accepted'; code?: 'ordered' }
  | { kind: 'alreadyKnown' }
  | { kind: 'rejected'; code: RejectionCode; message: string }
  | { kind: 'unknown'; code?: 'unrecognized'; message: string }
  | { kind: 'unsent'; message: string }

/**
 * Where an attempt's bytes may be. The names of the states are those of the column and of the API.
 * - `sending`: recorded, and on its way since. After a crash the outcome is open, so a node may have it.
 * - `handed`: a node received it. `outcome` is the last answer, which proves no more than it says.
 * - `held`: certainly no byte ever reached a node. The attempt is free to be broadcast or withdrawn.
 * - `withdrawn`: it was held, and will never be broadcast: another transaction has its nonce.
 */
export type BroadcastState =
  | { readonly state: 'sending' }
  | {
      readonly state: 'handed'
      readonly outcome: Exclude<BroadcastOutcome, { kind: 'unsent' }>
      readonly at: TimestampMs
      /**
       * `all`: every broadcast of it ended in a certain rejection, so no pool should hold it. `allButLast`: the same,
       * while one more is on its way; a process that dies then leaves it in doubt. Absent: some node may hold it.
       */
      readonly rejections?: 'all' | 'allButLast'
      /** When a node last confirmed that it had the bytes, if `outcome` is another answer. */
      readonly takenAt?: TimestampMs
      /** When the first of an unbroken run of the same refusals came. Absent: `outcome` is no refusal. */
      readonly refusedSince?: TimestampMs
    }
  | { readonly state: 'held'; readonly reason: string }
  | { readonly state: 'withdrawn' }

export interface Attempt {
  readonly hash: Hash
  readonly transactionId: TransactionId
  readonly nonce: Nonce
  readonly kind: AttemptKind
  /** The payload that it carries, counted from 0 and absent for the first. A no-op carries none. */
  readonly revision?: number
  readonly fees: Fees
  readonly gasLimit: Gas
  /** The signed bytes. Absent in what was read only to be shown. */
  readonly raw?: Hex
  readonly signature: Signature
  readonly recordedAt: TimestampMs
  /** The head when it was recorded. Waiting is counted in blocks from here. */
  readonly recordedAtBlock: BlockNumber
  readonly broadcast: BroadcastState
  /** Rebuilt from the chain: the record of its signature and broadcast was lost. */
  readonly recovered?: true
  /** A no-op that was signed before the cancellation: the signer was down. */
  readonly presigned?: true
}

/** The most blocks that a chain loses at once while the service runs. Of short blocks it may lose more: then time alone is waited for. */
const fallMax: Depth = { depth: 64 }

/**
 * The block after which the attempt was recorded. 0 if the head has fallen far below it: that head was false, or the chain was
 * reset, and nothing may wait until the chain is as high again.
 */
export function recordedAtBlockOf(
  { recordedAtBlock }: Pick<Attempt, 'recordedAtBlock'>,
  head: BlockNumber,
): BlockNumber {
  return recordedAtBlock - head > fallMax.depth ? 0 : recordedAtBlock
}

/** When the attempt was recorded, as patience counts. */
export function recordedMomentOf(attempt: Pick<Attempt, 'recordedAt' | 'recordedAtBlock'>, head: BlockNumber): Moment {
  return { block: recordedAtBlockOf(attempt, head), ms: attempt.recordedAt }
}

/** Throws for an attempt that was read only to be shown. */
export function bytesOf({ hash, raw }: Attempt): Hex {
  if (raw === undefined) throw new Error(`attempt ${hash} was read without its signed bytes`)
  return raw
}

/** Whether any node could hold these bytes. Only certainty counts as no. */
export function mayBeKnown(attempt: Attempt): boolean {
  return attempt.broadcast.state === 'sending' || attempt.broadcast.state === 'handed'
}

/** The rejection that ended the last broadcast. */
export function rejectionOf({ broadcast }: Attempt): { code: RejectionCode; message: string } | undefined {
  return broadcast.state === 'handed' && broadcast.outcome.kind === 'rejected' ? broadcast.outcome : undefined
}

/** The error that ended the last broadcast, if it is in no client's table. The node may have the bytes, or not. */
export function unrecognizedErrorOf({ broadcast }: Attempt): string | undefined {
  const isUnrecognized = broadcast.state === 'handed' && broadcast.outcome.kind === 'unknown' && broadcast.outcome.code
  return isUnrecognized && 'message' in broadcast.outcome ? broadcast.outcome.message : undefined
}

export type RefusalCode = RejectionCode | 'unrecognized'

/** Why the node refused the last broadcast. */
export function refusalCodeOf({ broadcast }: Attempt): RefusalCode | undefined {
  return broadcast.state === 'handed' ? refusalIn(broadcast.outcome) : undefined
}

function refusalIn(outcome: BroadcastOutcome): RefusalCode | undefined {
  return outcome.kind === 'rejected' || outcome.kind === 'unknown' ? outcome.code : undefined
}

/** The node's reason if it called the bytes invalid at the last broadcast. It is no proof that no pool has them. */
export function invalidReasonOf(attempt: Attempt): string | undefined {
  const rejection = rejectionOf(attempt)
  return rejection?.code === 'invalid' ? rejection.message : undefined
}

/** The node's words at the last broadcast, if it called the bytes invalid or refused them in words that no table has. */
export function invalidWordsOf(attempt: Attempt): string | undefined {
  return invalidReasonOf(attempt) ?? unrecognizedErrorOf(attempt)
}

/** The last words in which a node refused a payload, as invalid or unknown: nothing else shows why it failed. */
export function refusalWordsOf(attempts: readonly Attempt[]): string | undefined {
  return attempts
    .filter((attempt) => !isNoOp(attempt))
    .map(invalidWordsOf)
    .findLast((words) => words !== undefined)
}

/** When a node last confirmed that it had the bytes. */
export function takenAtOf(attempt: Attempt): TimestampMs | undefined {
  if (attempt.broadcast.state !== 'handed') return undefined
  return wasTaken(attempt) ? attempt.broadcast.at : attempt.broadcast.takenAt
}

/** Whether every broadcast of it ended in a certain rejection. It is watched all the same until its nonce is final. */
export function wasAlwaysRejected({ broadcast }: Attempt): boolean {
  return broadcast.state === 'handed' && broadcast.rejections === 'all'
}

/** Whether a node confirmed, at the last broadcast, that it has the bytes. */
export function wasTaken({ broadcast }: Attempt): boolean {
  if (broadcast.state !== 'handed') return false
  return broadcast.outcome.kind === 'accepted' || broadcast.outcome.kind === 'alreadyKnown'
}

/** Whether a node accepted the bytes, or says that the nonce is spent, by these bytes or by others. */
export function isNonceTaken(attempt: Attempt): boolean {
  return wasTaken(attempt) || rejectionOf(attempt)?.code === 'nonceTooLow'
}

/** Whether the answer to the last broadcast was its receipt. A hash alone is no proof: it may come before any order. */
export function isSequenced({ broadcast }: Attempt): boolean {
  return broadcast.state === 'handed' && broadcast.outcome.kind === 'accepted' && broadcast.outcome.code === 'ordered'
}

/** Whether an answer shows that the nonce is spent, by these bytes or by others. */
export function isNonceSpent(attempt: Attempt): boolean {
  return isSequenced(attempt) || rejectionOf(attempt)?.code === 'nonceTooLow'
}

/** Whether the attempt is a cancellation's. A gap filler's bytes are a no-op's, too, but they are its own payload: `execute`. */
export function isNoOp(attempt: Attempt): boolean {
  return attempt.kind === 'cancel'
}

/** The newest with these bytes: a PUT that repeats the payload may be signed as the same bytes again. */
export function attemptWith<A extends Pick<Attempt, 'hash'>>(attempts: readonly A[], hash: Hash): A | undefined {
  return attempts.findLast((attempt) => attempt.hash === hash)
}

export function newest(attempts: NonEmpty<Attempt>): Attempt {
  return attempts[attempts.length - 1] ?? attempts[0]
}

/**
 * The attempt after an answer. Once a node may have had the bytes, no later failure or refusal takes that back: proxies
 * retry, and their answer is about the retry.
 */
export function afterBroadcast(attempt: Attempt, outcome: BroadcastOutcome, now: TimestampMs): Attempt {
  const { broadcast } = attempt
  // The answer is about a later attempt with the same bytes.
  if (broadcast.state === 'withdrawn') return attempt
  const mayHaveHadIt = broadcast.state === 'handed'
  const onlyRejectedBefore = broadcast.state !== 'handed' || broadcast.rejections === 'allButLast'
  if (outcome.kind === 'unsent') {
    if (!mayHaveHadIt) return { ...attempt, broadcast: { state: 'held', reason: outcome.message } }
    return onlyRejectedBefore ? { ...attempt, broadcast: { ...broadcast, rejections: 'all' } } : attempt
  }
  // These very bytes may have spent the nonce.
  const isCertain = outcome.kind === 'rejected' && outcome.code !== 'nonceTooLow'
  const rejections = isCertain && onlyRejectedBefore ? ({ rejections: 'all' } as const) : {}
  return {
    ...attempt,
    broadcast: { state: 'handed', outcome, at: now, ...rejections, ...memoryOf(attempt, outcome, now) },
  }
}

type Memory = Pick<Extract<BroadcastState, { state: 'handed' }>, 'takenAt' | 'refusedSince'>

/** The facts of earlier answers that later decisions need. A process that takes over finds them nowhere else. */
function memoryOf(before: Attempt, outcome: BroadcastOutcome, now: TimestampMs): Memory {
  const takenAt = outcome.kind === 'accepted' || outcome.kind === 'alreadyKnown' ? undefined : takenAtOf(before)
  const code = refusalIn(outcome)
  const since = code === refusalCodeOf(before) ? refusedSinceOf(before) : undefined
  return {
    ...(takenAt !== undefined && { takenAt }),
    ...(code !== undefined && { refusedSince: since ?? now }),
  }
}

export function refusedSinceOf({ broadcast }: Attempt): TimestampMs | undefined {
  return broadcast.state === 'handed' ? broadcast.refusedSince : undefined
}

/**
 * The attempt before its bytes leave once more. A certain rejection of earlier broadcasts is in doubt until the next
 * answer.
 */
export function beforeBroadcast(attempt: Attempt): Attempt {
  const { broadcast } = attempt
  if (broadcast.state === 'held') return { ...attempt, broadcast: { state: 'sending' } }
  if (broadcast.state === 'sending') return afterCrash(attempt)
  if (broadcast.state !== 'handed' || broadcast.rejections === undefined) return attempt
  const { rejections, ...rest } = broadcast
  return { ...attempt, broadcast: rejections === 'all' ? { ...rest, rejections: 'allButLast' } : rest }
}

/**
 * The attempt after a block held it. A node had it, whatever others rejected, and pools take back the transactions of a
 * block that a reorganization removes. A restored copy may hold it as never sent.
 */
export function afterBlock(attempt: Attempt): Attempt {
  const { broadcast } = attempt
  if (!mayBeKnown(attempt)) {
    const outcome = {
      kind: 'unknown',
      message: 'a block had it, and this record did not show that it was sent',
    } as const
    return { ...attempt, broadcast: { state: 'handed', outcome, at: attempt.recordedAt } }
  }
  if (broadcast.state !== 'handed' || broadcast.rejections === undefined) return attempt
  const { rejections: _, ...rest } = broadcast
  return { ...attempt, broadcast: rest }
}

/**
 * The attempt as a new owner finds it in `sending`: the owner that broadcast it may have died before it recorded an
 * answer.
 */
function afterCrash(attempt: Attempt): Attempt {
  const message = 'the process stopped while it was being sent'
  return { ...attempt, broadcast: { state: 'handed', outcome: { kind: 'unknown', message }, at: attempt.recordedAt } }
}
