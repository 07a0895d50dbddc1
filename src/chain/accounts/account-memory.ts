// What is remembered of accounts from one head to the next, and when it still answers a question.
//
// The account's own transactions are seen as they are mined, so a count goes on being right, and a balance can be
// reckoned, until somebody else uses the key. That shows in a count that is higher than it should be, or in a nonce
// that a foreign transaction took; from then on nothing of that account is remembered beyond the head.
import type { Address } from '../../domain/ids.ts'
import type { Freshness, Inquiry, LiveNonce } from '../../domain/observation.ts'
import { feesPaid, type Inclusion } from '../../domain/transaction.ts'
import { type BlockNumber, maxWei, type Nonce, type Wei } from '../../domain/units.ts'

export interface Remembered {
  readonly count?: Count
  readonly balance?: Balance
  readonly code?: Code
  /** Somebody else was seen to use the key. */
  readonly shared: boolean
}

export interface Count {
  /** By the count at `readAt`, and by the receipts of our own since. */
  readonly nonce: Nonce
  readonly readAt: BlockNumber
  /** How many reorganisations there had been: after another one, what was spent may be unspent. */
  readonly reorgs: number
  /** The last height at which the receipts of what is in flight were asked for. */
  readonly receiptsAt?: BlockNumber
}

export interface Balance {
  readonly wei: Wei
  readonly readAt: BlockNumber
  /** Nonces below are reckoned with. */
  readonly chargedBelow: Nonce
  /** The account had spent less there than is settled: what that cost is on no receipt to come. */
  readonly isBehind?: true
}

export interface Code {
  readonly delegated: boolean
  readonly readAt: BlockNumber
}

/** For how long a count stands for an account with nothing in flight: a foreign transaction is noticed as much later. */
const countKeptBlocks = 32
/** A receipt alone tells of what was sent so many blocks ago; what waits for longer may have lost its nonce. */
const receiptBlocks = 2
/** What comes in from outside, and what a chain charges beside gas, is missed for so long. */
const balanceKeptBlocks = 64
/** To change its delegation an account spends a nonce (EIP-7702), and that is seen sooner. */
const codeKeptBlocks = 1_000

/** Accounts remembered at most: more than that many relayers on one network ask anew. */
const accountsMax = 10_000
/** Those of whom nothing is known yet take no more than half. */
const announcedMax = accountsMax / 2

/**
 * How the nonce is learned in the fewest calls.
 * - `count`: by eth_getTransactionCount.
 * - `receipts`: where no more than two of ours are in flight, their receipts say as much and have to be read anyway.
 * - `known`: nothing of ours can have been mined since it was last asked for, or all of it has been.
 */
export type NonceSource = 'count' | 'receipts' | 'known'

/** Whether what spent a nonce is to be looked for now, rather than some blocks later. */
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
  // All of it is spent, and only what spent it is still to be found: a count would tell nothing new.
  if (live.every(({ nonce }) => nonce < count.nonce && !isDue(nonce))) return 'known'
  if (!areFew(live, count.nonce)) return 'count'
  const waited = head - (lowest.unspentAt ?? Number.NEGATIVE_INFINITY)
  if (waited <= 0 || count.receiptsAt === head) return 'known'
  return waited <= receiptBlocks ? 'receipts' : 'count'
}

/** One or two from the account's nonce on, of one attempt each: nobody else can have a claim on their nonces. */
function areFew(live: readonly LiveNonce[], nonce: Nonce): boolean {
  return live.length <= 2 && live.every((one, index) => one.nonce === nonce + index && one.attempts.length === 1)
}

export function byNonce(live: readonly LiveNonce[]): readonly LiveNonce[] {
  return [...live].sort((one, other) => one.nonce - other.nonce)
}

/** Without a count that goes on nothing tells that somebody else has spent of it. */
export function usableBalance(requested: Freshness, last: Remembered | undefined, head: BlockNumber): Wei | undefined {
  if (!last?.balance) return undefined
  const age = head - last.balance.readAt
  const kept = requested === 'now' || last.shared || last.balance.isBehind || !last.count ? 0 : balanceKeptBlocks
  return age >= 0 && age <= kept ? last.balance.wei : undefined
}

/** Likewise: whoever changes the code spends a nonce. */
export function usableCode(last: Remembered | undefined, head: BlockNumber): Code | undefined {
  if (!last?.code) return undefined
  const age = head - last.code.readAt
  return age >= 0 && age <= (last.count ? codeKeptBlocks : 0) ? last.code : undefined
}

/** Takes off the balance what was included after it was read; forgets what a foreign transaction may have changed. */
export function withInclusions(
  last: Remembered,
  live: readonly LiveNonce[],
  inclusions: ReadonlyMap<Nonce, Inclusion>,
): Remembered {
  let now = last
  for (const { nonce, payloads = [] } of byNonce(live)) {
    const inclusion = inclusions.get(nonce)
    if (!inclusion) continue
    if (inclusion.by !== 'attempt') {
      const { balance: _, code: __, ...rest } = now
      now = { ...rest, shared: now.shared || inclusion.by === 'external' }
    } else if (now.balance && nonce >= now.balance.chargedBelow) {
      const { balance, ...rest } = now
      const left = balanceAfter(balance, nonce, inclusion, payloads)
      now = left ? { ...rest, balance: left } : rest
    }
  }
  return now
}

/** Undefined where it is not known what was paid since it was read: then what is left is not known, either. */
function balanceAfter(
  before: Balance,
  nonce: Nonce,
  inclusion: Extract<Inclusion, { by: 'attempt' }>,
  payloads: NonNullable<LiveNonce['payloads']>,
): Balance | undefined {
  const chargedBelow = nonce + 1
  if (inclusion.block.number <= before.readAt) return { ...before, chargedBelow }
  const paid = feesPaid(inclusion)
  const values = inclusion.kind === 'cancel' ? [] : payloads.map(({ value }) => value)
  return paid === undefined ? undefined : { ...before, wei: before.wei - paid - maxWei(0n, ...values), chargedBelow }
}

export interface AccountMemory {
  recall(address: Address): Remembered | undefined
  keep(address: Address, remembered: Remembered): void
  /** Nothing is known of it yet. */
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
    all: () => remembered,
    keep(address, what) {
      if (remembered.size >= accountsMax && !remembered.has(address)) remembered.clear()
      remembered.set(address, what)
    },
  }
}
