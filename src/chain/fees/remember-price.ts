// Remembers a network's price from the observations that steps and requests make anyway. It calls no node.
import type { Market, NetworkPrice } from '../../domain/fees.ts'
import type { Observation } from '../../domain/observation.ts'
import type { Wei } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'

interface PriceMemory {
  learn(seen: Pick<Observation, 'head' | 'market'>): void
  readonly last: { price(): NetworkPrice | undefined; market(): Market | undefined }
}

export function rememberPrice(clock: Pick<Clock, 'now'>): PriceMemory {
  let last: NetworkPrice | undefined
  let lastMarket: Market | undefined
  let tip: Wei = 0n
  return {
    learn({ head, market }) {
      // Observations may end in another order than they began.
      if (last && head.number < last.block) return
      if (market) {
        lastMarket = market
        tip = market.gasPrice - (market.baseFee ?? market.gasPrice)
        // A reading of the market at this block has the next block's base fee, so the head's own adds nothing.
      } else if (last?.block === head.number) return
      const perGas = market?.gasPrice ?? (head.baseFee === undefined ? undefined : head.baseFee + tip)
      if (perGas !== undefined) last = { perGas, block: head.number, readAt: clock.now() }
    },
    last: { price: () => last, market: () => lastMarket },
  }
}
