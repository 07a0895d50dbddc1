// Remembers accounts from one head to the next, and decides when a remembered fact still answers a read.
//
// The service sees the account's own transactions as they are mined. So a count stays right, and a balance can be
// computed, until somebody else uses the key. That shows in a count that is too high, or in a nonce that a foreign
// transaction used. From then on the account's facts hold at their own head only.
import type { Address } from '../../domain/ids.ts'
import type { Freshness, Inquiry, LiveNonce } from '../../domain/observation.ts'
import { feesPaid, type Inclusion } from '../../domain/transaction.ts'
import { type BlockNumber, maxWei, type Nonce, type Wei } from '../../domain/units.ts'

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
  readonly readAt: BlockNumber
  /** How many reorganizations there had been. After another one, a spent nonce may be unspent. */
  readonly reorgs: number
  /** The last height at which the receipts of the transactions in flight were read. */
  readonly receiptsAt?: BlockNumber
}

interface Balance {
  readonly wei: Wei
  readonly readAt: BlockNumber
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
  readonly readAt: BlockNumber
}

/** Blocks for which the count of an account with nothing in flight is kept, to save calls. A foreign transaction may go unnoticed for so long. */
const countKeptBlocks = 32
/** Blocks after a send for which its receipt alone proves its nonce. A transaction that waits longer may have lost its nonce. */
const receiptBlocks = 2
/** Blocks for which incoming payments and charges beside gas go unnoticed. */
const balanceKeptBlocks = 64
/** An account spends a nonce to change its delegation (EIP-7702), which shows sooner. */
const codeKeptBlocks = 1_000

/** The most accounts remembered. With more relayers on one network, all are read again. */
const accountsMax = 10_000
/** Announced accounts without any reading take no more than half. */
const announcedMax = accountsMax / 2

/**
 * How to find the nonce in the fewest calls.
 * - `count`: by eth_getTransactionCount.
 * - `receipts`: at most two of our transactions are in flight, so their receipts prove as much, and are read anyway.
 * - `known`: none of our transactions can have been mined since the last read, or all of them have been.
 */
export type NonceSource = 'count' | 'receipts' | 'known'

export interface CountRange {
  readonly from: Nonce
  readonly through: Nonce
}

/** Whether the search for the spender of a nonce is due now, rather than some blocks later. */
export type IsDue = (nonce: Nonce) => boolean

export function sourceOfNonce(
  inquiry: Inquiry,
  last: Remembered | undefined,
  head: BlockNumber,
  reorgs: number,
  isDue: IsDue,
): NonceSource {
  if (last?.count?.reorgs !== reorgs) return 'count'
  const { shared, count } = last
  if (count.readAt === head) return 'known'
  if (inquiry.nonce === 'now' || shared || count.nonce < inquiry.spentBelow) return 'count'
  const live = byNonce(inquiry.live)
  const [lowest] = live
  if (!lowest) {
    const bindsNonces = inquiry.balance !== undefined
    return bindsNonces && head - count.readAt > countKeptBlocks ? 'count' : 'known'
  }
  // All of them are spent, and only their spenders are still to be found: a count would add nothing.
  if (live.every(({ nonce }) => nonce < count.nonce && !isDue(nonce))) return 'known'
  if (!areFew(live, count.nonce)) return 'count'
  const waited = head - (lowest.unspentAt ?? Number.NEGATIVE_INFINITY)
  if (waited <= 0 || count.receiptsAt === head) return 'known'
  return waited <= receiptBlocks ? 'receipts' : 'count'
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
export function usableBalance(requested: Freshness, last: Remembered | undefined, head: BlockNumber): Wei | undefined {
  if (!last?.balance) return undefined
  const age = head - last.balance.readAt
  const kept = requested === 'now' || last.shared || last.balance.isBehind || !last.count ? 0 : balanceKeptBlocks
  return age >= 0 && age <= kept ? last.balance.wei : undefined
}

/** The code, by the rule of the balance: a change of the code spends a nonce. */
export function usableCode(last: Remembered | undefined, head: BlockNumber): Code | undefined {
  if (!last?.code) return undefined
  const age = head - last.code.readAt
  return age >= 0 && age <= (last.count ? codeKeptBlocks : 0) ? last.code : undefined
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

/** Whether the nonce was spent after the balance was read. Without its transaction the cost is unknown. */
function isSpentSince({ balance, count }: Remembered, nonce: Nonce): boolean {
  if (!balance || !count) return false
  return nonce < count.nonce && nonce >= balance.spentBelow && balance.readAt < count.readAt
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
  if (inclusion.block.number <= before.readAt) {
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
