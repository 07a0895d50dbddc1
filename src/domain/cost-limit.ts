// The limit on the cost of a bulk cancellation, the prices by which it is reckoned, and why a match was left or a request is refused.
import { RescindError } from './errors.ts'
import type { Market } from './fees.ts'
import type { RelayerId } from './ids.ts'
import { lacksL1Fee } from './l1-fee.ts'
import { noOpGasLimit } from './no-op.ts'
import type { DecisionProfile, NetworkPolicy, Relayer } from './relayer.ts'
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

/** A relayer under a `max_cost`. Over several relayers that is one amount of one currency, at observed prices. */
export interface Costing {
  readonly id: RelayerId
  /** The symbol of its network's native currency. */
  readonly symbol: string
  readonly profile: DecisionProfile
  /** The last observed market. Absent: none was observed yet. */
  readonly market?: Market | undefined
}

/** The part of an observation that is missing to reckon a cost. */
type MissingPrice = 'price' | 'no_op_gas' | 'l1_fee'

/** Undefined where a cost can be reckoned. */
export function missingPrice({ market, profile }: Pick<Costing, 'market' | 'profile'>): MissingPrice | undefined {
  if (!market) return 'price'
  if (noOpGasLimit(market, profile) === undefined) return 'no_op_gas'
  return lacksL1Fee(profile, market) ? 'l1_fee' : undefined
}

/** Throws SYMBOLS_DIFFER and PRICE_UNOBSERVED, in this order. */
export function refuseUnlikeCosts(relayers: readonly Costing[]): void {
  const bySymbol = Map.groupBy(relayers, ({ symbol }) => symbol)
  if (bySymbol.size > 1) {
    const each = [...bySymbol].map(([symbol, those]) => `${symbol} (${those.map(({ id }) => id).join(', ')})`)
    throw new RescindError(
      'SYMBOLS_DIFFER',
      `max_cost is one amount, and the relayers pay in ${each.join(' and ')}: send one request for each symbol`,
    )
  }
  refuseUnobserved(relayers)
}

/** Throws PRICE_UNOBSERVED. */
export function refuseUnobserved(relayers: readonly Omit<Costing, 'symbol'>[]): void {
  const missing = relayers.flatMap((relayer) => {
    const what = missingPrice(relayer)
    return what === undefined ? [] : [`${relayer.id} (${inWords[what]})`]
  })
  if (missing.length === 0) return
  throw new RescindError(
    'PRICE_UNOBSERVED',
    `max_cost needs the last observed price, and this replica lacks it for ${missing.join(', ')}: request the preview of each (GET /api/v1/relayers/{relayer_id}/transactions/pending/cancellation-preview), then retry`,
  )
}

const inWords = {
  price: 'no price yet',
  no_op_gas: 'no node estimated the gas of a no-op',
  l1_fee: 'no node reported the fee for data on L1',
} as const satisfies Record<MissingPrice, string>
