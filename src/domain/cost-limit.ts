// The limit on the cost of a bulk cancellation, the prices by which it is reckoned, and why a match was left.
import type { Market } from './fees.ts'
import type { NetworkPolicy, Relayer } from './relayer.ts'
import { type BlockNumber, maxWei, type Wei } from './units.ts'

/** `free` takes what costs nothing, whatever `maxCost` is. */
export type CostLimit =
  | { readonly only: 'free'; readonly maxCost?: Wei }
  | { readonly only?: undefined; readonly maxCost: Wei }

/** Whether the limit needs a price: without one it only shows which matches are free. */
export function needsPrice({ only }: CostLimit): boolean {
  return only === undefined
}

/** The last observed price of a network. */
export interface ObservedPrice {
  readonly market: Market
  /** The block of the observation. */
  readonly block: BlockNumber
}

/** Why a match costs something. */
export type CostBy = 'no_op' | 'gap_filler'

export type NotTaken =
  /** `cost`: absent without an observed price. */
  | { readonly reason: 'costs'; readonly facts: { readonly by: CostBy; readonly cost?: Wei } }
  /** `left`: of `max_cost`, when its turn came. */
  | {
      readonly reason: 'beyond_max_cost'
      readonly facts: { readonly by: CostBy; readonly cost: Wei; readonly left: Wei }
    }
  /** Other matches need as many no-ops as the preview showed. */
  | { readonly reason: 'beyond_shown_no_ops'; readonly facts: { readonly by: CostBy; readonly cost?: Wei } }
  /** `left`: of the cost that the preview showed. */
  | {
      readonly reason: 'beyond_shown_cost'
      readonly facts: { readonly by: CostBy; readonly cost: Wei; readonly left: Wei }
    }

/**
 * The rest of `max_cost` for the next relayer. Each relayer's commit stores the sum of its shares together with the shares, and the next
 * one begins with what those on record leave. So a crash between two commits loses no share and counts none twice.
 */
export function restOf(limit: CostLimit, committed: readonly Wei[]): CostLimit {
  if (limit.maxCost === undefined) return limit
  return { ...limit, maxCost: maxWei(0n, limit.maxCost - committed.reduce((sum, spent) => sum + spent, 0n)) }
}

/** The policy and the price by which a cost is reckoned. Neither calls a node. */
export interface Reckoning {
  /** Throws where the configuration lacks the network. */
  policyOf(relayer: Relayer): NetworkPolicy
  /** The last observed price. Undefined: none was observed yet. */
  priceOf(relayer: Relayer): ObservedPrice | undefined
}
