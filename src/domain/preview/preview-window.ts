// A preview of the window: how many transactions may be in flight, and the cost of canceling so many.
import { usesEip1559 } from '../decide/terms/funds.ts'
import { inFlightMaxOf, windowMax } from '../decide/terms/window.ts'
import { feeCap, type Market, marketFees } from '../fees.ts'
import { costOfNoOps } from '../no-op.ts'
import type { NetworkPolicy, Relayer } from '../relayer.ts'
import { type Gas, maxWei, minWei, type Wei } from '../units.ts'

export interface WindowPreview {
  /** Limit of transactions in flight now; absent where this process has no record of it. */
  readonly present?: number
  /** The highest limit that the window may reach. */
  readonly most: number
  /** The cost of a bulk cancellation that needs `most` no-ops. */
  readonly cost: {
    /** The cost with each no-op at the highest price that one signed now would offer. */
    readonly today: Wei
    /** The cost with each no-op at cancel_gas_price_cap; absent without one. */
    readonly max?: Wei
  }
}

interface Seen {
  readonly market: Market
  /** The gas limit of a no-op. */
  readonly gasLimit: Gas
  /** The account carries an EIP-7702 delegation. */
  readonly delegated?: boolean | undefined
  /** The window of the relayer's owner; absent before its first step here. */
  readonly window?: number | undefined
  /** The most that the no-ops of this preview offer for a unit of gas. */
  readonly offered?: Wei | undefined
}

export function previewWindow(relayer: Relayer, policy: NetworkPolicy, seen: Seen): WindowPreview {
  const { market, gasLimit, delegated, window, offered = 0n } = seen
  const { maxInFlight, cancelGasPriceCap: cap } = relayer.policies
  const known = window === undefined ? maxInFlight : inFlightMaxOf(relayer, window)
  const present = maxInFlight ?? (delegated ? 1 : known)
  const most = maxInFlight ?? (delegated ? 1 : windowMax)
  const price = maxWei(offered, feeCap(marketFees(market, 'fastest', usesEip1559(relayer, policy))))
  return {
    ...(present !== undefined && { present }),
    most,
    cost: {
      // A no-op above the cap waits.
      today: costOfNoOps(most, gasLimit, cap === undefined ? price : minWei(price, cap), market),
      ...(cap !== undefined && { max: costOfNoOps(most, gasLimit, cap, market) }),
    },
  }
}
