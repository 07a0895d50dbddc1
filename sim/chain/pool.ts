// One node's pool: the transactions of each sender, and the answer to each new one.
import { accountAt, type Block, blockGasMax } from './blocks.ts'
import { type GasRules, gasOf } from './gas-rules.ts'
import type { Profile, Refusal } from './profiles.ts'
import { gasCostOf, laggedAccount, type ReserveRules } from './reserve.ts'
import { l1FeeOf, type SimTransaction } from './transaction.ts'

export interface Pool {
  readonly bySender: Map<string, Map<number, SimTransaction>>
  /** Takes in nothing but replacements. */
  full: boolean
  /** Swallowed: answered with a hash, and tried again by the node itself later. */
  tracked: SimTransaction[]
  /** A sequencer keeps a nonce that is too high for a moment. */
  future: { readonly transaction: SimTransaction; readonly untilMs: number }[]
  /** Answered before they are ordered. */
  arriving: { readonly transaction: SimTransaction; readonly atMs: number }[]
}

export type Admission =
  | { readonly admitted: true; readonly replaced?: SimTransaction }
  | {
      readonly admitted: false
      readonly refusal: Refusal
      readonly rival?: SimTransaction
      /** Its tip is below what every pool of the chain demands: the answer names that. */
      readonly tipNeeded?: bigint
    }

/** Rules that all pools of a chain share. */
export interface PoolRules {
  readonly chainId: number
  readonly tipMin: bigint
  /** No pool demands anything. */
  readonly isFree: boolean
  /** Gas that each transaction pays for its data on L1, beside its own gas. */
  readonly l1Gas: number
  /** The price of each byte on L1, beside gas, in wei. */
  readonly l1Price: bigint
  /** The gas rules of the node's head. */
  readonly gasRules: GasRules
  /** Absent: no reserve. With one, the pool takes unpaid transactions, and drops them silently. */
  readonly reserve: ReserveRules | undefined
}

export function openPool(): Pool {
  return { bySender: new Map(), full: false, tracked: [], future: [], arriving: [] }
}

export function admit(
  pool: Pool,
  profile: Profile,
  head: Block,
  rules: PoolRules,
  transaction: SimTransaction,
): Admission {
  const refuse = (refusal: Refusal, rival?: SimTransaction): Admission => ({
    admitted: false,
    refusal,
    ...(rival && { rival }),
  })
  const { from, nonce, gasLimit, cap, tip } = transaction
  const account = accountAt(head, from)
  const held = pool.bySender.get(from) ?? new Map<number, SimTransaction>()
  const incumbent = held.get(nonce)
  // A pool does not validate again the bytes that it holds (geth `core/txpool/legacypool/legacypool.go`).
  if (incumbent?.hash === transaction.hash && nonce >= account.nonce) return refuse('alreadyKnown')
  if (transaction.chainId !== rules.chainId || tip > cap) return refuse('invalid')
  if (gasLimit < gasOf(transaction, rules.gasRules) + rules.l1Gas || gasLimit > blockGasMax) return refuse('invalid')
  if (nonce < account.nonce) return refuse('nonceTooLow')
  if (tip < rules.tipMin) return { admitted: false, refusal: 'feeTooLow', tipNeeded: rules.tipMin }
  if (nonce - account.nonce > profile.gapMax) return refuse('nonceGap')
  if (!rules.reserve && costOf(transaction) + l1FeeOf(transaction, rules.l1Price) > account.balance)
    return refuse('insufficientFunds')
  if ((tip < profile.tipMin && !rules.isFree) || (profile.wantsBaseFee && cap < head.nextBaseFee))
    return refuse('feeTooLow')
  if (incumbent) {
    if (!profile.replaces(transaction, incumbent, head.nextBaseFee)) return refuse('replacementUnderpriced', incumbent)
  } else if (pool.full || (held.size >= profile.senderSlots && nonce !== nextNonce(pool, head, from))) {
    return refuse('poolFull')
  }
  held.set(nonce, transaction)
  pool.bySender.set(from, held)
  return { admitted: true, ...(incumbent && { replaced: incumbent }) }
}

/** The first nonce that neither the chain nor the pool has. */
export function nextNonce(pool: Pool, head: Block, sender: string): number {
  const held = pool.bySender.get(sender)
  let nonce = accountAt(head, sender).nonce
  while (held?.has(nonce)) nonce += 1
  return nonce
}

/** The most that the sender's transactions in the pool may cost, in wei. */
export function promisedBefore(pool: Pool, head: Block, sender: string): bigint {
  const { nonce } = accountAt(head, sender)
  const held = [...(pool.bySender.get(sender)?.values() ?? [])].filter((each) => each.nonce >= nonce)
  return held.reduce((sum, each) => sum + costOf(each), 0n)
}

/** Removes transactions that a new head has spent, and with `dropsUnpaid` those that their sender cannot pay any more (geth). */
export function prune(pool: Pool, head: Block, dropsUnpaid: boolean): void {
  for (const [sender, held] of pool.bySender) {
    const { nonce, balance } = accountAt(head, sender)
    for (const [at, transaction] of held) {
      if (at < nonce || (dropsUnpaid && costOf(transaction) > balance)) held.delete(at)
    }
  }
}

function costOf({ value, gasLimit, cap }: SimTransaction): bigint {
  return value + BigInt(gasLimit) * cap
}

/** On a chain that executes late, removes transactions that the balance of some blocks ago does not pay. */
export function dropUnpaid(pool: Pool, head: Block, reserve: ReserveRules): void {
  for (const [sender, held] of pool.bySender) {
    const { balance } = laggedAccount(head, sender, reserve)
    for (const [at, transaction] of held) if (gasCostOf(transaction) > balance) held.delete(at)
  }
}

/** By tip, each sender's in the order of its nonces. */
export function* executable(pool: Pool, head: Block): Generator<SimTransaction> {
  const next = new Map([...pool.bySender.keys()].map((sender) => [sender, accountAt(head, sender).nonce]))
  for (;;) {
    let best: SimTransaction | undefined
    for (const [sender, nonce] of next) {
      const candidate = pool.bySender.get(sender)?.get(nonce)
      if (candidate && candidate.cap >= head.nextBaseFee && (!best || candidate.tip > best.tip)) best = candidate
    }
    if (!best) return
    next.set(best.from, best.nonce + 1)
    yield best
  }
}
