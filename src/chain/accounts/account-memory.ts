// Remembers accounts from one head to the next, and decides when a remembered fact still answers a read.
//
// The service sees the account's own transactions as they are mined. So a count stays right, and a balance can be
// computed, until somebody else uses the key. That shows in a count that is too high, or in a nonce that a foreign
// transaction used. From then on the account's facts hold at their own head only.
//
// Moments are by the machine's clock, as those of attempts are.
import type { Address } from '../../domain/ids.ts'
import type { Freshness, Inquiry, LiveNonce } from '../../domain/observation.ts'
import { isKept, isOver, type Moment, type Patience } from '../../domain/patience.ts'
import { feesPaid, type Inclusion } from '../../domain/transaction.ts'
import { type BlockNumber, maxWei, type Nonce, type TimestampMs, type Wei } from '../../domain/units.ts'
import { type NewHashes, upToListed } from '../heads/new-hashes.ts'

export interface Remembered {
  readonly count?: Count
  readonly balance?: Balance
  readonly code?: Code
  /** A foreign transaction of the account was seen. */
  readonly shared: boolean
}

export interface Count {
  /** The count at `readAt`, raised by the receipts of our transactions since. */
  readonly nonce: Nonce
  readonly readAt: Moment
  /** How many reorganizations there had been. After another one, a spent nonce may be unspent. */
  readonly reorgs: number
  /** The last height up to which receipts, or the hashes in blocks, showed which transactions in flight are mined. */
  readonly checkedAt?: BlockNumber
  /** When the receipts of all in flight were read last: few enough that they prove as much as a count. */
  readonly provenAt?: Moment
}

interface Balance {
  readonly wei: Wei
  readonly readAt: Moment
  /** The balance already includes the cost of nonces below this one. */
  readonly chargedBelow: Nonce
  /** The account had spent the nonces below this one at `readAt`. */
  readonly spentBelow: Nonce
  /** How many reorganizations there had been. After another one, the chain may hold another block at `readAt`. */
  readonly reorgs: number
  /** The account had spent fewer nonces at `readAt` than are settled. No later receipt brings the cost of the missing ones. */
  readonly isBehind?: true
}

interface Code {
  readonly delegated: boolean
  readonly readAt: Moment
}

/** How long the count of an account with nothing in flight is kept, to save calls. A foreign transaction may go unnoticed for so long. */
const countKept: Patience = { blocks: 32, ms: 60_000 }
/**
 * How long a count stands while the blocks since list none of our hashes: a nonce that a foreign transaction spends, or one of ours that a
 * node leaves out of its list, shows with the next count.
 */
const countStands: Patience = { blocks: 1, ms: 2_000 }
/** How long after a send its receipt alone proves its nonce. A transaction that waits longer may have lost its nonce. */
const receiptProves: Patience = { blocks: 3, ms: 4_000 }
/** How long incoming payments and charges beside gas go unnoticed. */
const balanceKept: Patience = { blocks: 64, ms: 120_000 }
/** An account spends a nonce to change its delegation (EIP-7702), which shows sooner. */
const codeKept: Patience = { blocks: 1_000, ms: 1_800_000 }
/** A fact that nothing keeps right holds at its own head. */
const ownHead: Patience = { blocks: 1, ms: 0 }

/** The most accounts remembered. With more relayers on one network, all are read again. */
const accountsMax = 10_000
/** Announced accounts without any reading take no more than half. */
const announcedMax = accountsMax / 2

/**
 * How to find the nonce in the fewest calls.
 * - `count`: by eth_getTransactionCount.
 * - `receipts`: at most two of our transactions are in flight, so their receipts prove as much, and are read anyway.
 * - `listed`: a new block lists one of our transactions, so the receipts up to it prove as much.
 * - `unlisted`: no new block lists any of them.
 * - `known`: none of our transactions can have been mined since the last read, or all of them have been.
 */
export type NonceSource = 'count' | 'receipts' | 'listed' | 'unlisted' | 'known'

export interface CountRange {
  readonly from: Nonce
  readonly through: Nonce
}

/** Whether the search for the spender of a nonce is due now, rather than some blocks later. */
type IsDue = (nonce: Nonce) => boolean

/** The head at which the nonce is needed. */
export interface Look extends Moment {
  /** When the reading of the head began: what came with it is as of then. */
  readonly begunAt: TimestampMs
  readonly newHashes: NewHashes | undefined
  readonly reorgs: number
  readonly isDue: IsDue
}

export function sourceOfNonce(inquiry: Inquiry, last: Remembered | undefined, at: Look): NonceSource {
  if (last?.count?.reorgs !== at.reorgs) return 'count'
  const { shared, count } = last
  const { block: head } = at
  if (count.readAt.block === head) return 'known'
  if (inquiry.nonce === 'now' || shared || count.nonce < inquiry.spentBelow) return 'count'
  const live = byNonce(inquiry.live)
  const [lowest] = live
  if (!lowest) {
    const bindsNonces = inquiry.balance !== undefined
    return bindsNonces && isOver(countKept, count.readAt, at) ? 'count' : 'known'
  }
  // All of them are spent, and only their spenders are still to be found: a count would add nothing.
  const open = live.filter(({ nonce }) => nonce >= count.nonce || at.isDue(nonce))
  if (open.length === 0 || count.checkedAt === head) return 'known'
  if (!inquiry.sends && isFollowed(count, open, at))
    return upToListed(open, at.newHashes).length > 0 ? 'listed' : 'unlisted'
  if (!areFew(live, count.nonce)) return 'count'
  const { unspentAt } = lowest
  // A head below it is of another branch, whose blocks may have taken the transaction further down.
  if (!unspentAt || unspentAt.block > head) return 'count'
  if (unspentAt.block === head) return 'known'
  return isOver(receiptProves, unspentAt, at) ? 'count' : 'receipts'
}

/**
 * Whether the hashes in the blocks since the count, or since the first of these was signed, show which of them are mined. Sends wait for no
 * receipt, so the count that comes with the head is sooner for them.
 */
function isFollowed(count: Count, open: readonly LiveNonce[], at: Look): boolean {
  const { readAt, provenAt = readAt, checkedAt = readAt.block } = count
  const signed = open
    .map(({ unspentAt = readAt }) => (unspentAt.block > at.block ? readAt : unspentAt))
    .reduce((one, other) => (one.block <= other.block ? one : other))
  const since = signed.block >= provenAt.block ? signed : provenAt
  const isStale = isOver(countStands, since, { block: at.block, ms: at.begunAt })
  if (isStale || open.some(({ nonce }) => nonce < count.nonce)) return false
  return at.newHashes !== undefined && at.newHashes.above <= Math.max(checkedAt, signed.block)
}

/**
 * The counts that an answer at `latest`, beside the head, may have: from the known one to our last nonce in flight plus one. Nothing ties it to
 * the head, so any other is read by number. Undefined where that has to be so in any case.
 */
export function countsBeside(inquiry: Inquiry, last: Remembered | undefined, reorgs: number): CountRange | undefined {
  const { nonce, live, spentBelow, pendingNonce, secondCount, lostHistory } = inquiry
  if (nonce === 'now' || pendingNonce || secondCount || lostHistory) return undefined
  if (!last?.count || last.shared || last.count.reorgs !== reorgs || last.count.nonce < spentBelow) return undefined
  const from = last.count.nonce
  return { from, through: Math.max(from, ...live.map((each) => each.nonce + 1)) }
}

export function isWithin({ from, through }: CountRange, count = -1): boolean {
  return count >= from && count <= through
}

/**
 * Whether there are one or two nonces, from the account's nonce on, with one attempt each: no other attempt competes
 * for them.
 */
function areFew(live: readonly LiveNonce[], nonce: Nonce): boolean {
  return live.length <= 2 && live.every((one, index) => one.nonce === nonce + index && one.attempts.length === 1)
}

export function byNonce(live: readonly LiveNonce[]): readonly LiveNonce[] {
  return [...live].sort((one, other) => one.nonce - other.nonce)
}

/**
 * Undefined where the balance is too old. Without a count it holds at its own head only, since nothing would show a
 * foreign transaction.
 */
export function usableBalance(requested: Freshness, last: Remembered | undefined, now: Moment): Wei | undefined {
  if (!last?.balance) return undefined
  const kept = requested === 'now' || last.shared || last.balance.isBehind || !last.count ? ownHead : balanceKept
  return isKept(kept, last.balance.readAt, now) ? last.balance.wei : undefined
}

/** The code, by the rule of the balance: a change of the code spends a nonce. */
export function usableCode(last: Remembered | undefined, now: Moment): Code | undefined {
  if (!last?.code) return undefined
  return isKept(last.count ? codeKept : ownHead, last.code.readAt, now) ? last.code : undefined
}

/**
 * Subtracts the cost of transactions included after the balance was read, and forgets the facts that a foreign
 * transaction may have changed. While the cost of a spent nonce is unknown, it forgets the balance.
 */
export function withInclusions(
  last: Remembered,
  live: readonly LiveNonce[],
  inclusions: ReadonlyMap<Nonce, Inclusion>,
  reorgs: number,
): Remembered {
  let now = last
  for (const { nonce, payloads = [] } of byNonce(live)) {
    const inclusion = inclusions.get(nonce)
    if (!inclusion) {
      if (!isSpentSince(now, nonce)) continue
      const { balance: _, ...rest } = now
      now = rest
    } else if (inclusion.by !== 'attempt') {
      const { balance: _, code: __, ...rest } = now
      now = { ...rest, shared: now.shared || inclusion.by === 'external' }
    } else if (now.balance && nonce >= now.balance.chargedBelow) {
      const { balance, ...rest } = now
      const left = balanceAfter(balance, nonce, inclusion, payloads, reorgs)
      now = left ? { ...rest, balance: left } : rest
    }
  }
  return now
}

/**
 * Whether the nonce was spent after the balance was read, or in a block that has replaced the one of the reading. Without its transaction the
 * cost is unknown.
 */
function isSpentSince({ balance, count }: Remembered, nonce: Nonce): boolean {
  if (!balance || !count || nonce >= count.nonce || nonce < balance.spentBelow) return false
  return balance.readAt.block < count.readAt.block || balance.reorgs !== count.reorgs
}

/** Undefined where the cost of the transaction is uncertain, since the balance is uncertain then, too. */
function balanceAfter(
  before: Balance,
  nonce: Nonce,
  inclusion: Extract<Inclusion, { by: 'attempt' }>,
  payloads: NonNullable<LiveNonce['payloads']>,
  reorgs: number,
): Balance | undefined {
  const chargedBelow = nonce + 1
  if (inclusion.block.number <= before.readAt.block) {
    // Another block replaced the one of the reading, and holds a transaction that the replaced one did not hold.
    const isReplaced = before.reorgs !== reorgs && nonce >= before.spentBelow
    return isReplaced ? undefined : { ...before, chargedBelow }
  }
  const paid = feesPaid(inclusion)
  const values = inclusion.kind === 'cancel' ? [] : payloads.map(({ value }) => value)
  return paid === undefined ? undefined : { ...before, wei: before.wei - paid - maxWei(0n, ...values), chargedBelow }
}

export interface AccountMemory {
  recall(address: Address): Remembered | undefined
  keep(address: Address, remembered: Remembered): void
  /** The next reading counts anew. */
  forgetCount(address: Address): void
  /** Adds an account without any reading. */
  announce(address: Address): void
  all(): Iterable<readonly [Address, Remembered]>
}

export function openMemory(): AccountMemory {
  const remembered = new Map<Address, Remembered>()
  return {
    recall: (address) => remembered.get(address),
    announce(address) {
      if (remembered.size < announcedMax && !remembered.has(address)) remembered.set(address, { shared: false })
    },
    forgetCount(address) {
      const { count: _, ...rest } = remembered.get(address) ?? { shared: false }
      if (remembered.has(address)) remembered.set(address, rest)
    },
    all: () => remembered,
    keep(address, what) {
      if (remembered.size >= accountsMax && !remembered.has(address)) remembered.clear()
      remembered.set(address, what)
    },
  }
}
