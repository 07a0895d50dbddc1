// The payment to an account after which its queue would go on, at the prices of now.
import type { Work } from '../decide/plan/work.ts'
import { firstPrice } from '../decide/terms/first-price.ts'
import { reserveOf, spendable } from '../decide/terms/funds.ts'
import { feeCap, type Market, type Pricing } from '../fees.ts'
import { l1FeeOf } from '../l1-fee.ts'
import type { NetworkPolicy, Relayer } from '../relayer.ts'
import { isSweep } from '../sweep.ts'
import { isInPhase } from '../transaction.ts'
import { type Gas, maxWei, type Wei } from '../units.ts'

/** The part of a queued payload that its cost depends on, without its fee for data on L1. */
export interface QueuedSend {
  readonly value: Wei
  /** The named gas limit. Absent: a node estimates it once the balance covers the value. */
  readonly gasLimit?: Gas
  readonly pricing: Pricing
}

export interface TopUp {
  /** The payment for the first of the queue, or for the least that any send needs. */
  readonly next: Wei
  /** The least payment for this part of the queue: gas that no client named and fees on L1 come on top. Absent: no queue. */
  readonly queue?: { readonly transactions: number; readonly wei: Wei }
}

interface Prices {
  readonly balance: Wei
  readonly market: Market
}

/** The payment after which the queue goes on. `work` has the first of the queue, `queue` more of it. */
export function topUpOf(work: Work, queue: readonly QueuedSend[], prices: Prices, policy: NetworkPolicy): TopUp {
  const { relayer } = work
  const { balance, market } = prices
  const wallet = spendable(work, balance, market, reserveOf(relayer, market, policy))
  const missing = (cost: Wei) => maxWei(0n, cost - wallet, relayer.policies.minBalance - balance)
  const [first] = work.queued
  if (!first || isSweep(first) || !isInPhase(first, 'queued')) return { next: missing(0n) }
  const next = costOf(first.payload, relayer, market, policy) + l1FeeOf(first.payload, market)
  const all = queue.reduce((sum, each) => sum + costOf(each, relayer, market, policy), 0n)
  const transactions = queue.length
  return { next: missing(next), ...(transactions > 0 && { queue: { transactions, wei: missing(maxWei(all, next)) } }) }
}

function costOf(send: QueuedSend, relayer: Relayer, market: Market, policy: NetworkPolicy): Wei {
  const fees = firstPrice({ payload: send }, relayer, market, policy)
  // Below the base fee its cap holds it up, and the cap is what it may cost.
  const cap = fees ? feeCap(fees) : (relayer.policies.gasPriceCap ?? 0n)
  return send.value + BigInt(send.gasLimit ?? 0) * cap
}
