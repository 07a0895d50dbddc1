// A `max_cost` over several relayers is one amount of one currency, at observed prices.
import { RescindError } from './errors.ts'
import type { Market } from './fees.ts'
import type { RelayerId } from './ids.ts'
import { lacksL1Fee } from './l1-fee.ts'
import { noOpGasLimit } from './no-op.ts'
import type { DecisionProfile } from './relayer.ts'

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
