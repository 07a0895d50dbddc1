// What a relayer reads from the chain in one step, and the results. A missing answer is never a "no".
import type { Attempt } from './attempt.ts'
import { belowRefused, type Fees, type Market, type ReplacementRule } from './fees.ts'
import type { FinalityTag } from './finality.ts'
import type { GasFigures } from './gas-figures.ts'
import type { Address, Hash, Hex, TransactionId } from './ids.ts'
import type { Moment } from './patience.ts'
import type { AccessList, BlockRef, Inclusion, Payload, Transaction } from './transaction.ts'
import type { BlockNumber, Gas, Nonce, TimestampMs, Wei } from './units.ts'
import type { Testimony, WitnessClaim } from './witness.ts'

export interface Head extends BlockRef {
  readonly parentHash: Hash
  readonly timestampMs: TimestampMs
  /** The base fee of this block; absent before EIP-1559. */
  readonly baseFee?: Wei
  /** The limit for all transactions of the block. */
  readonly gasLimit?: Gas
  /** The block's fork is Amsterdam or a later one. */
  readonly isAmsterdam?: true
  /** The header has a slot number (EIP-7843): its fork may be another one than that of a head without. */
  readonly hasSlot?: true
}

/** A payload whose gas is estimated before it gets a nonce. */
export interface EstimateRequest {
  readonly transactionId: TransactionId
  readonly from: Address
  readonly to?: Address
  readonly value: Wei
  readonly data: Hex
  readonly accessList?: AccessList
}

/**
 * - `gas`: with its margin; `bare`: without it. `tip`: the least that pays for its data, where the node estimates that. `lower`: the estimate
 *   of another provider, where two differ and used gas is charged.
 * - `differ`: two providers differ, and the limit is charged.
 * - `fails`: the execution fails otherwise than by a revert, in words that no table has. `isLasting`: in like words for long.
 * - `unknown`: no node could estimate it.
 */
export type Estimate =
  | { kind: 'gas'; gas: Gas; bare?: Gas; tip?: Wei; lower?: Gas }
  | { kind: 'differ'; lower: Gas; higher: Gas }
  | { kind: 'reverts'; reason: string }
  | { kind: 'fails'; reason: string; isLasting: boolean }
  | { kind: 'unknown' }

/** An attempt of ours. Its fees and its gas limit show what a receipt may leave out. */
export type LiveAttempt = Pick<Attempt, 'hash' | 'kind'> & Partial<Pick<Attempt, 'fees' | 'gasLimit'>>

/** `isAnyValue`: of a sweep. A lost attempt of it may carry another value. */
export type LivePayload = Pick<Payload, 'to' | 'value' | 'data' | 'accessList'> & { readonly isAnyValue?: true }

export interface LiveNonce {
  readonly nonce: Nonce
  readonly attempts: readonly LiveAttempt[]
  /** Payloads of attempts of ours that may be missing from the record. */
  readonly payloads?: readonly LivePayload[]
  /** A head at which the nonce was still unspent, by the machine's clock: its spender came later. */
  readonly unspentAt?: Moment
}

/** `recent`: a read from some blocks ago suffices, as long as nothing contradicts it. `now`: as of the head. */
export type Freshness = 'recent' | 'now'

export interface Inquiry {
  readonly address: Address
  readonly nonce: Freshness
  /** Every nonce below is proven to be spent. A memory with less has missed something. */
  readonly spentBelow: Nonce
  /** Every nonce below was explained by a history check. Absent where that is no more than `spentBelow`. */
  readonly explainedBelow?: Nonce
  /** Nonces with attempts that a node may have, and every attempt that could have taken them. */
  readonly live: readonly LiveNonce[]
  /** A transaction waits to be sent: receipts are read beside it, and no answer waits for them. */
  readonly sends?: boolean
  /** Blocks that held transactions of ours: are they still canonical? */
  readonly inclusionBlocks: readonly BlockNumber[]
  /** A transaction waits for this tag: which block does it name? */
  readonly tag?: FinalityTag
  readonly estimates: readonly EstimateRequest[]
  /** The highest gas limit that a client names for a transaction of the queue. Absent without one. */
  readonly mostGas?: Gas
  /** Receivers of values whose named gas limit may not pay for a new account. Absent: none. */
  readonly receivers?: readonly ReceiverRequest[]
  /** Prices and balance cost calls, so only a step that could spend reads them. */
  readonly market: boolean
  /** A node called a no-op invalid: it may need more gas by now. */
  readonly isNoOpTooTight?: boolean
  readonly balance?: Freshness
  /** Whether the account delegates (EIP-7702): it matters to a step that could have two transactions in flight. */
  readonly delegation: boolean
  readonly pendingNonce: boolean
  /** A nonce that the record never assigned may need a gap filler, or lies far above it, so another endpoint's count is requested. */
  readonly secondCount?: true
  /** A new owner requests it, once a transaction waits for a nonce. */
  readonly lostHistory?: HistoryInquiry
  /** Absent where one endpoint suffices. */
  readonly witness?: WitnessInquiry
  /** Payloads that no node took at their last broadcast: has every endpoint refused them? Absent without one. */
  readonly refused?: readonly RefusedPayload[]
  /** A gas limit of the service's own choice that all refused while one took less. Absent without one. */
  readonly refusedGas?: Gas
  /** The next nonce's payload, which a node refused in words that no table has: does an endpoint show it? Absent without one. */
  readonly unknownWords?: UnknownWordsInquiry
}

/** The members of an inquiry about an account alone. */
export const ofNoTransaction = { live: [], inclusionBlocks: [], estimates: [] } as const

export interface ReceiverRequest {
  readonly to: Address
  readonly gasLimit: Gas
  /** The gas of the payload where the receiver exists, or less. */
  readonly least: Gas
}

export interface RefusedPayload {
  readonly newest: Hash
  /** All attempts that a node may have, among them the newest. */
  readonly live: readonly Hash[]
}

export interface UnknownWordsInquiry extends RefusedPayload {
  readonly nonce: Nonce
  readonly payload: Pick<Payload, 'from' | 'to' | 'value' | 'data'>
}

/** Requests witnesses for spenders from their second confirmation on. */
export interface WitnessInquiry {
  /** Claims about the transactions that are recorded as mined. Those that this observation finds come on top. */
  readonly claims: readonly WitnessClaim[]
  /** How deep a block has to be before witnesses are called. */
  readonly confirmations: number
  /** How deep a final block is at least. */
  readonly finalDepth: number
  /** The tag that makes a block final. Up to it witnesses are called again: one that answered without its tag is no witness of finality. */
  readonly tag?: FinalityTag
}

export interface Observation {
  readonly head: Head
  /** How long ago the head had been read when this look began to use it. Absent: this look read it. */
  readonly headAgeMs?: number
  /** How long this process has seen the head unchanged. */
  readonly headStandsMs?: number
  /** The measured block time. Absent until it is measured, and where blocks come at no steady pace. */
  readonly blocktimeMs?: number
  /** The nonce below which all are spent at `head`: by the account's count there, or by an earlier one and receipts since. */
  readonly nonce: Nonce
  /** The account's nonce counting the node's pool. */
  readonly pendingNonce?: Nonce
  /** The step requested the pool's count, and no node reported it. Absent without a request. */
  readonly isPoolUnseen?: true
  /**
   * The account's count at `head` by a second endpoint, or the highest of three counts of the only one that answers.
   * `unknown`: requested, and not there yet. Absent without a request.
   */
  readonly secondCount?: Nonce | 'unknown'
  /** The account's count at `head`, above all that record and bodies explain, while nothing confirms it: `nonce` is the explained one. */
  readonly doubtedCount?: Nonce
  /** No other endpoint gave `secondCount`: it repeats counts of the one that was read first. */
  readonly isSecondCountOwn?: true
  readonly market?: Market
  readonly rule: ReplacementRule
  /** The balance read at the head, or earlier and less our cost since. */
  readonly balance?: Wei
  readonly balanceReadAt?: BlockNumber
  /**
   * The account as of `balance_lag_blocks` blocks before the head. Absent: the network has no such lag, the step requested no balance,
   * or neither a node nor this process has it.
   */
  readonly lagged?: { readonly balance: Wei; readonly nonce: Nonce }
  /** The account carries an EIP-7702 delegation: pools let it have one transaction in flight. */
  readonly delegated?: boolean
  /**
   * The spenders, by nonce. Each is proven by a receipt, or by the block that holds a foreign transaction, and that
   * block is canonical at `head`.
   */
  readonly inclusions: ReadonlyMap<Nonce, Inclusion>
  /** The spent nonces whose receipts are on their way. Absent: none. */
  readonly unread?: ReadonlySet<Nonce>
  /** No-ops of ours that took a nonce of an inquiry and are not on record, by nonce. */
  readonly lostNoOps?: ReadonlyMap<Nonce, LostNoOp>
  /** The canonical hash at a height; a height that could not be read is missing. */
  readonly canonical: ReadonlyMap<BlockNumber, Hash>
  /** The requested tag's block: canonical, never above `head`. Absent also where no node has the tag. */
  readonly tagged?: BlockNumber
  readonly estimates: ReadonlyMap<TransactionId, Estimate>
  /** The most gas that a transaction may name, by recent blocks and the rules of their fork. Absent where neither is known to limit a payload of the queue. */
  readonly gasLimitMax?: Gas
  /** The requested receivers that do not exist, in lower case. Absent without a request. */
  readonly missingReceivers?: ReadonlySet<Address>
  /** The prices of gas that forks change, as far as the profile names them or the chain shows them. Absent: neither. */
  readonly gasFigures?: GasFigures
  /** Absent also where no node reports its pool. */
  readonly lostHistory?: HistorySeen
  /** Testimonies by the spender's hash. Absent without a request. */
  readonly testimonies?: ReadonlyMap<Hash, Testimony>
  /**
   * The words of the refusal, by the newest attempt's hash: every endpoint that answers has called the payload invalid twice, two
   * blocks and 4 s apart, and none shows it. Absent without a request.
   */
  readonly refusedByAll?: ReadonlyMap<Hash, string>
  /** Payloads that no endpoint shows, by the first attempt's hash. Absent without a request, or where one does. */
  readonly unshown?: ReadonlyMap<Hash, Unshown>
}

export interface Unshown {
  /** How long no endpoint has shown it, as far as this process has looked. */
  readonly forMs: number
  /** When an endpoint last accepted other bytes of the network. Absent: not since this process began. */
  readonly otherAcceptedMsAgo?: number
  /**
   * How long no endpoint showed it at an earlier nonce, while all that answered refused it in the words in which all refuse it now. Absent
   * also where no endpoint has accepted other bytes since.
   */
  readonly refusedBeforeMs?: number
}

/** The open part of a new owner's history check; it is dropped once complete. */
export interface LostHistory {
  /** Sequences of the relayer up to this one are older than the owner. */
  readonly through: number
  readonly seen?: HistoryReach
  /** The first nonce of an unknown spender, where the check has explained nonces up to above it. */
  readonly foreign?: Nonce
}

/** How far the unexplained nonces reach. */
export interface HistoryReach {
  /** The first nonce that neither the chain nor a pool has shown spent or taken. */
  readonly below: Nonce
  /** The head at which the first unexplained nonce was seen. */
  readonly at: BlockNumber
  /** No later check can show more: a transaction that appears later was sent after the owner began. */
  readonly isWhole: boolean
}

export interface HistoryInquiry {
  /** Every nonce below is spent, and explained. */
  readonly from: Nonce
  /** The result of earlier checks. The pools are read anew unless it is whole. */
  readonly seen?: HistoryReach
  /** Nonces from there on that open transactions on record explain. */
  readonly explained: ReadonlySet<Nonce>
  /** The search ignores earlier blocks. */
  readonly since: TimestampMs
  /** How deep a block has to be before its spenders count. */
  readonly confirmations: number
}

export interface HistorySeen {
  readonly below: Nonce
  /** Every nonce below is spent in a final block. Absent if it was not needed, or could not be read. */
  readonly finalBelow?: Nonce
  /** The spenders of the unexplained nonces since then, by nonce. Absent until each is final and found. */
  readonly spenders?: readonly Spender[]
  /** The search reached its limit for one step, and continues there. */
  readonly more?: boolean
}

/** The spender of a nonce that the record does not explain. */
export interface Spender {
  readonly nonce: Nonce
  readonly hash: Hash
  readonly block: BlockRef
  readonly minedAt: TimestampMs
  /** Absent if the spender is of a kind that we never sign. */
  readonly signed?: MinedPayload
}

export interface MinedPayload
  extends Pick<Payload, 'to' | 'value' | 'data' | 'accessList'>,
    Pick<Attempt, 'signature'> {
  readonly raw: Hex
  readonly fees: Fees
  readonly gasLimit: Gas
}

/** A no-op that was signed with the relayer's key and is not on record. */
export interface LostNoOp extends Spender {
  readonly signed: MinedPayload
}

/** Blocks on top of and including this one: 1 as soon as it is mined. */
export function confirmations(head: Head, block: Pick<BlockRef, 'number'>): number {
  return head.number - block.number + 1
}

/** The gas limit by an estimate, with its margin as far as nodes, a block and its fork allow it. Undefined without an estimate. */
export function estimatedGas(
  { id }: Pick<Transaction, 'id'>,
  {
    estimates,
    market,
    gasLimitMax = Number.POSITIVE_INFINITY,
  }: Pick<Observation, 'estimates' | 'market' | 'gasLimitMax'>,
): Gas | undefined {
  const estimate = estimates.get(id)
  if (estimate?.kind !== 'gas') return undefined
  const { gas, bare = gas } = estimate
  return Math.min(belowRefused(gas, bare, market), gasLimitMax)
}
