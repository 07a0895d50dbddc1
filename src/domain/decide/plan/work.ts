// A relayer's work (everything open, as much of the queue as it could send now, the limits of the step), and the situation that a step
// decides on.
import { isNoOp } from '../../attempt.ts'
import type { GapRecord } from '../../gap-record.ts'
import type { Hash } from '../../ids.ts'
import type { PresignedNoOp } from '../../no-op.ts'
import type { LostHistory, Observation } from '../../observation.ts'
import type { Moment } from '../../patience.ts'
import type { NetworkPolicy, NonceFloor, Relayer } from '../../relayer.ts'
import { type BlockRef, type InPhase, isInPhase, type Transaction } from '../../transaction.ts'
import type { BlockNumber, Nonce, TimestampMs, Wei } from '../../units.ts'
import type { Found, NoOpMatches } from './found.ts'
import type { Signing } from './signing.ts'

/** All facts about a relayer's work. A function that needs one part names that part. */
export interface Work extends StoredWork, StepBudget, ProcessMemory, HistoryFindings {}

/** The rows, as of one instant. */
export interface StoredWork {
  readonly relayer: Relayer
  readonly floor: NonceFloor
  /** Transactions that are in flight or mined, by nonce, without those that `confirmedNotFinal` sums up. */
  readonly open: readonly Transaction[]
  /** Summary of the transactions that are confirmed and not final. Absent without any. */
  readonly confirmedNotFinal?: ConfirmedNotFinal
  /**
   * The first of the queue, as many as may be in flight, in order, without suspected ones. With `skipUnfunded` those that wait for funds
   * come on top: the first `passedMax` of them.
   */
  readonly queued: readonly Transaction[]
  /** The first to expire of the whole queue and of those on hold, soonest first. */
  readonly expiring: readonly Transaction[]
  /** The first whose hold ends, soonest first, at most `heldMax`; those that time never releases come last. */
  readonly held: readonly Transaction[]
  /** The first of the queue that wait because a no-op of a lost history may have canceled them. Usually empty. */
  readonly suspected: readonly Transaction[]
  /** The record of gap fillers. Read only once a gap has to be filled, or a nonce lies far above the record. */
  readonly gapRecord?: GapRecord
  /** The last reserved sequence of the relayer. */
  readonly lastSequence: number
}

/** The limits of this step. */
interface StepBudget {
  /** The cost of this step's decisions beyond `open`: their attempts are not signed yet. */
  readonly unsignedCost?: Wei
  /** Limit of queued transactions that may get a nonce in this step. Absent: as many as there is room for. */
  readonly bindsMax?: number
  /** Every nonce that the record held when this step began lies below. Absent: `open` is as the record holds it. */
  readonly recordedBelow?: Nonce
}

/** The blocks that could have held the newest attempt of the next nonce. */
export interface Chances {
  readonly hash: Hash
  readonly blocks: number
  /** The newest block that was looked at. */
  readonly through: BlockNumber
  readonly since: TimestampMs
}

/** The memory of this process, which a restart loses. */
export interface ProcessMemory {
  /** When this process first saw a head as high as the newest. Absent: in this step. */
  readonly headSince?: TimestampMs
  /** The blocks that could have held the next nonce. Absent: none is in flight. */
  readonly chances?: Chances
  /** The account's count as this process last observed it. Absent: not yet. */
  readonly counted?: Nonce
  /** Limit of transactions in flight where `max_in_flight` is not set. Absent: as many as every node keeps. */
  readonly window?: number
  /** The counts of a pool that lay above foreign nonces, lowest first. Absent: this process has read none yet. */
  readonly poolCounts?: readonly PoolCount[]
  /** When the history check first saw unexplained nonces, up to `below`. Absent: not before this step. */
  readonly unexplainedSince?: SeenUnexplained
  /** The balance is read anew: this process may remember one from before another used the account. */
  readonly isBalanceInDoubt?: true
  /** Attempts on their way to a node that has not answered yet. */
  readonly underWay?: ReadonlySet<Hash>
  /** State of a remote signer. Absent: the signer has its key in memory. */
  readonly signing?: Signing
  /** Pre-signed no-ops that this process can open. Absent: `presign_cancel` is off. */
  readonly presigned?: readonly PresignedNoOp[]
}

/** The first count of a pool above foreign nonces, and when this process read it. */
export interface PoolCount extends Moment {
  readonly below: Nonce
  /** It skips more foreign nonces than nodes keep of one sender. */
  readonly isBeyond: boolean
}

/** Nonces that the record does not explain, and when they were first seen. Those from `below` on came later. */
export interface SeenUnexplained extends Moment {
  readonly below: Nonce
}

/** The state of the check of a history that a restore may have lost. */
interface HistoryFindings {
  /** The part of the history that a new owner has not checked yet. */
  readonly lostHistory?: LostHistory
  /**
   * The relayer's last sequence when the oldest unfinished history check began. Later transactions may be newer than a
   * restore. Absent: a check is complete.
   */
  readonly uncheckedThrough?: number
  /** Transactions of the queue that spent unexplained nonces. Absent until every spender is found. */
  readonly found?: readonly Found[]
  /** Transactions of the queue that no-ops of a lost history canceled. Absent until every spender is found. */
  readonly noOpMatches?: NoOpMatches
  /** The first nonce whose spender is unknown. Absent until every spender is found. */
  readonly foreign?: Nonce
}

/** The transactions that are confirmed and not final, without those whose nonce a foreign transaction took. */
export interface ConfirmedNotFinal {
  /** The newest block that holds one of them. */
  readonly newest: BlockRef
  /** The highest nonce of these transactions in that block. */
  readonly nonce: Nonce
  readonly oldestBlock: BlockNumber
  /** The first confirmation among those that report no stall. Absent if all report one. */
  readonly unreportedSince?: TimestampMs
  /** Whether one of these transactions reports that finality is late. */
  readonly isStalled: boolean
  /** Nonces used by these transactions, without gap fillers. Read only while a history check is open. */
  readonly explained?: readonly NonceRun[]
  /** The rows that this step read are not all that were due. */
  readonly hasMore?: true
}

/** Nonces from `first` to `last`. Their transactions have the sequences `nonce + ahead`. */
export interface NonceRun {
  readonly first: Nonce
  readonly last: Nonce
  readonly ahead: number
}

/** Limit of loaded transactions on hold. More are loaded once these have left it. */
export const heldMax = 64

/** Limit of unfunded transactions that others pass. More wait until some of these are paid or canceled. */
export const passedMax = 32

/** The transactions that could get a nonce in this step, if there is room. */
export function queuedOf(work: StoredWork & ProcessMemory): readonly Transaction[] {
  return isQueueBlocked(work) ? [] : work.queued
}

/**
 * Whether no nonce is bound now: the bytes of the last ones are under way. Where a service has the key, their signatures are: it signs the next
 * ones while nodes answer, and these leave after the answers.
 */
export function isQueueBlocked(work: Payloads & Pick<ProcessMemory, 'signing'>): boolean {
  return work.signing ? work.signing.underWay.has('bind') : payloadsAwaitAnswer(work)
}

/** The open transactions, and which of their bytes are on their way. */
type Payloads = Pick<StoredWork, 'open'> & Pick<ProcessMemory, 'underWay'>

/**
 * Whether payloads wait for a node's answer to an earlier one, in their order. No-ops do not wait: their nonces were
 * bound before.
 */
export function payloadsAwaitAnswer(work: Payloads): boolean {
  const { underWay } = work
  if (!underWay || underWay.size === 0) return false
  const payloads = payloadsOf(work)
  for (const hash of underWay) if (payloads.has(hash)) return true
  return false
}

// Each list is made once: a step's rows never change, and every decision about one row reads all of them.
const inFlight = new WeakMap<StoredWork['open'], readonly InPhase<'inFlight'>[]>()
const payloads = new WeakMap<StoredWork['open'], ReadonlySet<Hash>>()

function payloadsOf(work: Pick<StoredWork, 'open'>): ReadonlySet<Hash> {
  const known = payloads.get(work.open)
  if (known) return known
  const attempts = inFlightOf(work).flatMap(({ lifecycle }) => lifecycle.attempts)
  const made = new Set(attempts.filter((attempt) => !isNoOp(attempt)).map(({ hash }) => hash))
  payloads.set(work.open, made)
  return made
}

/** The next expiry after `now`. */
export function nextExpiry(work: Pick<StoredWork, 'open' | 'expiring'>, now: TimestampMs): TimestampMs | undefined {
  const ends = [...inFlightOf(work), ...work.expiring].flatMap(({ validUntil, cancellation }) =>
    validUntil === undefined || validUntil <= now || cancellation ? [] : [validUntil],
  )
  return ends.length === 0 ? undefined : Math.min(...ends)
}

export function inFlightOf({ open }: Pick<StoredWork, 'open'>): readonly InPhase<'inFlight'>[] {
  const known = inFlight.get(open)
  if (known) return known
  const made = open.filter((transaction) => isInPhase(transaction, 'inFlight'))
  inFlight.set(open, made)
  return made
}

/** The arguments of a decision. They are the same for every transaction of a step. */
export interface Situation {
  /** The stored rows. */
  readonly work: Work
  /** The state of the chain. */
  readonly observation: Observation
  /** The rules of the network. The relayer's own policies are part of the work. */
  readonly policy: NetworkPolicy
  readonly now: TimestampMs
}
