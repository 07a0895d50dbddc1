// How bulk cancellations stop their relayers, and by which prices they reckon a cost.
import { type BulkStops, stopRelayers } from './commands/bulk-cancellations/stop-relayers.ts'
import { type ManagementContext, takeEffect } from './commands/management.ts'
import { networkMarket, networkPrice } from './commands/relayers/network-price.ts'
import { pauseRelayer } from './commands/relayers/pause-relayer.ts'
import type { Config } from './config/config.ts'
import type { Relayer } from './domain/relayer.ts'
import type { RelayerObserver } from './domain/relayer-observer.ts'
import { noMetrics } from './ops/metrics.ts'
import type { Registry } from './registry/registry.ts'

/** Side by side where there are replicas, and one after the other on SQLite. */
export function openStops(management: ManagementContext, limits: Config['limits'], isShared: boolean): BulkStops {
  return stopRelayers({
    ...{ context: management, logger: management.logger, atOnce: isShared ? limits.bulkStopsAtOnce : 1 },
    ...(isShared && { lookEveryMs: limits.bulkLookEveryMs }),
    ...reckoningOf(management.registry),
    pause: (session, id, requester, now) => pauseRelayer(management, session, id, requester, now),
    takeEffect: () => takeEffect(management),
  })
}

/** Passes the engine's observations to the bulk cancellations, which are opened after the engine. */
export function passObservations(): RelayerObserver & { passTo(stops: BulkStops): BulkStops } {
  let stops: BulkStops | undefined
  const observed = (relayer: Relayer) => stops?.observed(relayer)
  return {
    ...{ ...noMetrics.relayers, looked: observed, surveyed: observed },
    passTo(opened) {
      stops = opened
      return opened
    },
  }
}

/** What a cancellation costs, by what this process last observed. */
function reckoningOf({
  policyOf,
  chainOf,
  networks,
}: Registry): Pick<Parameters<typeof stopRelayers>[0], 'reckoning' | 'symbolOf'> {
  const priceOf = (relayer: Relayer) => {
    const [market, price] = [networkMarket(chainOf, relayer), networkPrice(chainOf, relayer)]
    return market && price && { market, block: price.block }
  }
  return {
    reckoning: { policyOf, priceOf },
    symbolOf: ({ network }) => networks().find(({ name }) => name === network)?.symbol ?? network,
  }
}
