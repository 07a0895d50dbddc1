// A transaction: a client's request, and its lifecycle. Each phase owns exactly its facts.
import { type Attempt, type AttemptKind, afterBlock, attemptWith, isNoOp, mayBeKnown } from './attempt.ts'
import type { Pricing } from './fees.ts'
import type { FourEyes, Hold } from './hold.ts'
import {
  type Address,
  type ApiKeyId,
  type Hash,
  type Hex,
  mapNonEmpty,
  type NonEmpty,
  type RelayerId,
  type TransactionId,
} from './ids.ts'
import type { BlockNumber, Gas, Nonce, TimestampMs, Wei } from './units.ts'
import type { Wait } from './wait-facts.ts'

/** The addresses and slots that a transaction declares (EIP-2930). They change the cost of gas, never the execution. */
export type AccessList = readonly { readonly address: Address; readonly storageKeys: readonly Hex[] }[]

export interface Payload {
  readonly from: Address
  /** Absent for a contract creation. */
  readonly to?: Address
  readonly value: Wei
  readonly data: Hex
  /** Absent if the service estimates it. */
  readonly gasLimit?: Gas
  readonly pricing: Pricing
  /** The access list: present, even if empty, it makes a legacy price an EIP-2930 transaction. */
  readonly accessList?: AccessList
  /** The client's word that `gasLimit` stands, although the receiver may not exist and its creation costs more. */
  readonly allowOutOfGas?: true
}

export interface BlockRef {
  readonly number: BlockNumber
  readonly hash: Hash
}

/** The result of an execution. A member is absent unless the receipt or the chain's rules prove it: none is guessed. */
export interface Execution {
  readonly succeeded?: boolean
  readonly gasUsed?: Gas
  readonly effectiveGasPrice?: Wei
  /** A rollup's charge beside gas, for publishing the transaction on its L1, and its operator's. */
  readonly l1Fee?: Wei
  /** Why the execution did not succeed, if the node reported it. */
  readonly revertReason?: string
}

/** The part of a receipt that makes the cost of an execution. */
export type Charge = Pick<Execution, 'gasUsed' | 'effectiveGasPrice' | 'l1Fee'>

export function isSameCharge(one: Charge, other: Charge): boolean {
  const isSamePrice = one.effectiveGasPrice === other.effectiveGasPrice
  return one.gasUsed === other.gasUsed && isSamePrice && one.l1Fee === other.l1Fee
}

/** The spender of the nonce: one of our attempts, on record or not, or a foreign transaction. */
export type Inclusion =
  | (Execution & {
      readonly by: 'attempt'
      readonly hash: Hash
      readonly kind: AttemptKind
      readonly block: BlockRef
    })
  | (Execution & {
      /** A transaction of ours with this payload that the database does not hold: an older copy was restored. */
      readonly by: 'unrecorded'
      readonly hash: Hash
      readonly block: BlockRef
    })
  | { readonly by: 'external'; readonly hash: Hash; readonly block: BlockRef }

/** Why a transaction ended without a nonce: no attempt of it can ever reach the chain. */
export type DropReason = 'canceled' | 'expired' | 'refused'

/**
 * held ──> queued                              a release, or the end of the hold; a PUT may begin a hold anew
 * queued ──> inFlight ──> mined ──> final      a nonce is bound; from inFlight to final, the chain proves each arrow
 *    │          │  ▲         │
 *    │          │  └─────────┤                 a reorganization or a refutation reopens, before `mined` is confirmed or after
 *    │          │            └──> queued       a foreign transaction took the nonce, at finality
 *    │          ├──> queued                    a PUT whose old payload no node had: the nonce returns
 *    └──────────┴──> dropped                   certain that no node holds it
 */
export type Lifecycle =
  /** A transaction before the queue: it blocks nothing behind it, and keeps its sequence for its release. */
  | { readonly phase: 'held'; readonly hold: Hold }
  | { readonly phase: 'queued' }
  | { readonly phase: 'inFlight'; readonly nonce: Nonce; readonly attempts: NonEmpty<Attempt> }
  | {
      readonly phase: 'mined'
      readonly nonce: Nonce
      readonly attempts: NonEmpty<Attempt>
      readonly inclusion: Inclusion
      /** An endpoint shows the block without our payload, and no two show it there: a cancel takes it as if it were in flight. */
      readonly isContradicted?: true
      /** When it had the required confirmations. Absent before. */
      readonly confirmedAt?: TimestampMs
    }
  | {
      readonly phase: 'final'
      readonly nonce: Nonce
      readonly attempts: NonEmpty<Attempt>
      readonly inclusion: Inclusion
      readonly finalAt: TimestampMs
      /** How many endpoints showed the spender in its block. */
      readonly witnesses: number
      /** Absent if it was final at once. */
      readonly confirmedAt?: TimestampMs
    }
  | { readonly phase: 'dropped'; readonly reason: DropReason; readonly droppedAt: TimestampMs }

/**
 * A recorded DELETE, or an expiry: an intent beside the lifecycle, never an outcome. `refusal` is our own: every node that answers
 * calls the payload invalid, and as a pool may have it all the same, only a no-op can free the nonce.
 */
export interface CancellationIntent {
  readonly origin: 'request' | 'expiry' | 'refusal'
  readonly requestedAt: TimestampMs
  /**
   * The most that one no-op may cost, with its L1 fee: the share of the `max_cost` of a bulk cancellation. Absent: no bound but the
   * policies.
   */
  readonly costMax?: Wei
}

export interface Transaction {
  readonly id: TransactionId
  readonly relayerId: RelayerId
  /** First in, first out within a relayer, counted from 1. */
  readonly sequence: number
  readonly createdAt: TimestampMs
  /** The API key that sent it. Absent for a gap filler. */
  readonly createdBy?: ApiKeyId
  /** The client's latest payload. */
  readonly payload: Payload
  /**
   * The client's earlier payloads, oldest first: attempts that carry them may still be mined. Absent if never replaced.
   */
  readonly earlier?: NonEmpty<Payload>
  /** `gap` marks a no-op that the relayer made to fill a nonce that no transaction would take, `sweep` what empties the account. */
  readonly origin: 'client' | 'gap' | 'sweep'
  readonly validUntil?: TimestampMs
  readonly lifecycle: Lifecycle
  readonly cancellation?: CancellationIntent
  /** The part of the bulk cancellation that canceled it: its number. Absent: none did. */
  readonly bulkPart?: number
  /** Absent: the transaction is not under four eyes. */
  readonly fourEyes?: FourEyes
  /** The transaction was on hold before the queue, so it may have a later nonce than transactions that came after it. */
  readonly wasHeld?: true
  /** Later transactions may have passed it (skip_unfunded, or a restore left it unclear), so it may have a later nonce than they have. */
  readonly wasPassed?: true
  /** How often it was given up; `giveUpsEnd` once it ends by that. Absent: never. */
  readonly giveUps?: number
  /** The last entry of its history, for people. */
  readonly statusReason?: string
  /** Absent while nothing holds the transaction up, and after its end. Once mined, only finality can hold it up. */
  readonly wait?: Wait
  /**
   * A no-op of a lost history that canceled this transaction, which is in the queue and not sent, or another one: the record does
   * not show which.
   */
  readonly suspectedNoOp?: { readonly hash: Hash; readonly nonce: Nonce }
  /** When it last got a nonce and was signed; else the time of the block that shows it after a restore. */
  readonly sentAt?: TimestampMs
  /** The version, which every write raises: a writer that decided on an older version is refused. */
  readonly version: number
}

export type InPhase<P extends Lifecycle['phase']> = Transaction & {
  readonly lifecycle: Extract<Lifecycle, { phase: P }>
}

/** Takes no list of phases: its calls made a fortieth of a burst's garbage. */
export function isInPhase<P extends Lifecycle['phase']>(
  transaction: Transaction,
  one: P,
  two?: P,
  three?: P,
): transaction is InPhase<P> {
  const { phase } = transaction.lifecycle
  return phase === one || phase === two || phase === three
}

export const statuses = ['pending', 'sent', 'submitted', 'mined', 'confirmed', 'failed', 'canceled', 'expired'] as const
/** The status that the API shows. */
export type Status = (typeof statuses)[number]

/** The statuses that a bulk cancellation covers. */
export const pendingStatuses = ['pending', 'sent', 'submitted'] as const satisfies readonly Status[]

/** How many a bulk cancellation covers. */
export function pendingIn(counts: Readonly<Record<Status, number>>): number {
  return pendingStatuses.reduce((sum, status) => sum + counts[status], 0)
}

/** The API's status: derived from lifecycle and intent, stored only so that lists can be filtered by it. */
export function statusOf(transaction: Pick<Transaction, 'lifecycle' | 'cancellation' | 'giveUps'>): Status {
  const { lifecycle, cancellation } = transaction
  // Without a cancellation only a gap filler ends so: a foreign transaction took its nonce.
  const canceled = cancellation ? endStatuses[cancellation.origin] : 'failed'
  // A refusal is not shown before the end: no client requested it, and it is not certain yet.
  const shown = cancellation && cancellation.origin !== 'refusal'
  switch (lifecycle.phase) {
    case 'dropped':
      return lifecycle.reason === 'refused' ? 'failed' : lifecycle.reason
    case 'held':
    case 'queued':
      return cancellation ? canceled : 'pending'
    case 'inFlight':
      if (shown) return canceled
      return lifecycle.attempts.some((attempt) => attempt.broadcast.state === 'handed') ? 'submitted' : 'sent'
    case 'mined':
      if (lifecycle.isContradicted && !shown) return 'submitted'
      if (spenderKind(lifecycle.inclusion) === 'payload') {
        return lifecycle.confirmedAt === undefined ? 'mined' : executedStatus(lifecycle.inclusion)
      }
      if (shown) return canceled
      if (returnsToQueue(transaction) || spenderKind(lifecycle.inclusion) === 'foreign') return 'submitted'
      // A given up payload fails by a confirmed no-op, as an executed one fails by a confirmed block.
      return lifecycle.confirmedAt === undefined ? 'submitted' : canceled
    case 'final':
      if (spenderKind(lifecycle.inclusion) !== 'payload') return canceled
      return executedStatus(lifecycle.inclusion)
  }
}

/** The status of a confirmed execution. Success and failure both need a proof. */
function executedStatus(inclusion: Inclusion): Status {
  const { succeeded } = inclusion.by === 'external' ? {} : inclusion
  return succeeded === undefined ? 'mined' : succeeded ? 'confirmed' : 'failed'
}

/** When the payload was confirmed, rather than another transaction with its nonce. */
export function confirmedAtOf({ lifecycle }: Pick<Transaction, 'lifecycle'>): TimestampMs | undefined {
  if (!('inclusion' in lifecycle) || spenderKind(lifecycle.inclusion) !== 'payload') return undefined
  return lifecycle.phase === 'final' ? (lifecycle.confirmedAt ?? lifecycle.finalAt) : lifecycle.confirmedAt
}

/** The fees of an execution; undefined if a part of them is missing. */
export function feesPaid({ gasUsed, effectiveGasPrice, l1Fee = 0n }: Execution): Wei | undefined {
  if (gasUsed === undefined || effectiveGasPrice === undefined) return undefined
  return BigInt(gasUsed) * effectiveGasPrice + l1Fee
}

/** The give-up that ends a transaction. After an earlier one it waits for another nonce. */
export const giveUpsEnd = 3

/** Whether it was given up for now: once another transaction with its nonce is final, its payload is tried again. */
export function returnsToQueue({ cancellation, giveUps }: Pick<Transaction, 'cancellation' | 'giveUps'>): boolean {
  return cancellation?.origin === 'refusal' && giveUps !== undefined && giveUps < giveUpsEnd
}

/** The status of a canceled transaction whose payload was not executed. */
const endStatuses = { request: 'canceled', expiry: 'expired', refusal: 'failed' } as const satisfies Record<
  CancellationIntent['origin'],
  Status
>

/** Whether the nonce went to the client's payload, to our no-op, or to a foreign transaction. */
export function spenderKind(inclusion: Inclusion): 'payload' | 'noOp' | 'foreign' {
  if (inclusion.by === 'external') return 'foreign'
  return inclusion.by === 'attempt' && inclusion.kind === 'cancel' ? 'noOp' : 'payload'
}

/** Whether its inclusion is in doubt (`isContradicted`). */
export function isContradictedNow(transaction: Transaction): transaction is InPhase<'mined'> {
  return isInPhase(transaction, 'mined') && transaction.lifecycle.isContradicted === true
}

/** The transaction without its inclusion: it races again, with every attempt it ever had. */
export function withoutInclusion(transaction: InPhase<'mined'>): InPhase<'inFlight'> {
  const { nonce, inclusion, attempts: before } = transaction.lifecycle
  const own = attemptWith(before, inclusion.hash)
  const attempts = mapNonEmpty(before, (each) => (each === own ? afterBlock(each) : each))
  return { ...transaction, lifecycle: { phase: 'inFlight', nonce, attempts } }
}

/** Whether the transaction can no longer change. */
export function isTerminal(transaction: Pick<Transaction, 'lifecycle'>): boolean {
  return transaction.lifecycle.phase === 'final' || transaction.lifecycle.phase === 'dropped'
}

/** Certainly no node ever had a byte of it: canceling is then free, and final at once. */
export function neverReachedANode(transaction: Transaction): boolean {
  const { lifecycle } = transaction
  if (lifecycle.phase === 'held' || lifecycle.phase === 'queued') return true
  return lifecycle.phase === 'inFlight' && !lifecycle.attempts.some(mayBeKnown)
}

/** How often the payload was replaced: the revision of the current one. */
export function revisionOf(transaction: Transaction): number {
  return transaction.earlier?.length ?? 0
}

/** The payload that the chain executed; the current one if it executed none. */
export function executedPayload(transaction: Transaction): Payload {
  const { lifecycle, earlier, payload } = transaction
  if (!('inclusion' in lifecycle) || spenderKind(lifecycle.inclusion) !== 'payload') return payload
  const winner = attemptWith(lifecycle.attempts, lifecycle.inclusion.hash)
  return earlier?.[winner?.revision ?? 0] ?? payload
}

/** The attempts that carry the client's payload, oldest first. */
export function payloadAttempts(attempts: readonly Attempt[]): readonly Attempt[] {
  return attempts.filter((attempt) => !isNoOp(attempt))
}

/**
 * The attempt of the payload that was mined, else the newest of the current payload: none, if a replacement is not
 * signed yet. Never a no-op, which is not the client's transaction.
 */
export function shownAttempt(transaction: Transaction): Attempt | undefined {
  const { lifecycle } = transaction
  if (!('attempts' in lifecycle)) return undefined
  const candidates = payloadAttempts(lifecycle.attempts)
  const current = candidates.filter(({ revision = 0 }) => revision === revisionOf(transaction))
  const mined = 'inclusion' in lifecycle ? attemptWith(candidates, lifecycle.inclusion.hash) : undefined
  return mined ?? current.at(-1)
}

/** Whether no attempt carries the current payload yet: an older one still leads. */
export function awaitsReplacement(transaction: InPhase<'inFlight'>): boolean {
  const signed = payloadAttempts(transaction.lifecycle.attempts).map(({ revision }) => revision ?? 0)
  return Math.max(...signed) < revisionOf(transaction)
}

/** Whether two access lists are equal: an absent list equals an empty one. Capital letters in an address are only a checksum. */
export function isSameAccessList(one: AccessList = [], other: AccessList = []): boolean {
  return canonical(one) === canonical(other)
}

function canonical(list: AccessList): string {
  return list
    .map(({ address, storageKeys }) => [address, ...storageKeys].join())
    .join(';')
    .toLowerCase()
}
