// Caps beside the network's price: both limit what a unit of gas may cost.
import type { RelayerView } from '../../client/account-types.ts'
import type { OverviewView } from '../../client/relayer-types.ts'
import type { WaitCondition } from './conditions.ts'

export type ShownPrice = NonNullable<OverviewView['network_price']>

export type CapName = 'gas_price_cap' | 'cancel_gas_price_cap'

export function capIn(condition: WaitCondition | undefined): CapName | undefined {
  return condition === 'gas_price_cap' || condition === 'cancel_gas_price_cap' ? condition : undefined
}

export function capOf(relayer: RelayerView | undefined, name: CapName): bigint | undefined {
  const cap = relayer?.policies[name]
  return cap === undefined ? undefined : BigInt(cap)
}

/** Whether the cap is below the price: the next send would wait, even if nothing waits for it yet, or nothing is left to wait. */
function isBelow(cap: bigint | undefined, price: ShownPrice | undefined): boolean {
  return cap !== undefined && price !== undefined && cap < BigInt(price.per_gas)
}

/** The cap of sends that is below the network's price. Undefined once a condition says so. */
export function lowCapOf(view: OverviewView): bigint | undefined {
  const cap = capInOverview(view)
  const isHeld = view.conditions.some(({ condition }) => condition === 'gas_price_cap')
  return !isHeld && isBelow(cap, view.network_price) ? cap : undefined
}

function capInOverview({ gas_price_cap: cap }: OverviewView): bigint | undefined {
  return cap === undefined ? undefined : BigInt(cap)
}
