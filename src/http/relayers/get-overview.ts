// Lists the relayers that the key may see, or returns one: each as an operator reads it (GET).
import { Type } from 'typebox'
import { networkPrice } from '../../commands/relayers/network-price.ts'
import { type NetworkPauses, networkPausesOf, readOverview } from '../../commands/relayers/read-overview.ts'
import { readTopUp, type TopUpSource } from '../../commands/relayers/read-top-up.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { Clock } from '../../ops/clock.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { pageOf, pageQuery, paginationOf } from '../request/parse-page.ts'
import { visibleRelayers } from '../request/visible-relayers.ts'
import { answers, success } from '../response/envelope.ts'
import { foundRelayer } from '../response/found.ts'
import { overviewSchema, presentOverview } from './present-overview.ts'

export interface OverviewSource extends TopUpSource {
  readonly clock: Pick<Clock, 'now'>
}

async function overviewOf(source: OverviewSource, relayer: Relayer, pauses: NetworkPauses) {
  const overview = await readOverview(source.reads, relayer, pauses)
  const topUp = await readTopUp(source, overview)
  return presentOverview(overview, { price: networkPrice(source.chainOf, relayer), topUp }, source.clock.now())
}

export function getOverview(source: OverviewSource) {
  return operation({
    scope: 'read',
    schema: {
      operationId: 'getOverview',
      summary: 'List relayers with their open transactions and their conditions',
      description:
        'Calls no node: states, conditions and balances are those of the last observation by the owner of each.',
      tags: ['relayers'],
      querystring: pageQuery,
      response: answers(Type.Array(overviewSchema)),
    },
    async answer({ query, principal }) {
      const page = pageOf(query)
      const { items, total } = await visibleRelayers(source.reads, principal, page)
      const pauses = await networkPausesOf(source.reads, items)
      const presented = await Promise.all(items.map((relayer) => overviewOf(source, relayer, pauses)))
      return success(presented, [], paginationOf(page, total))
    },
  })
}

export function getRelayerOverview(source: OverviewSource) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND'],
    schema: {
      operationId: 'getRelayerOverview',
      summary: 'Get a relayer with its open transactions and its conditions',
      description: 'Calls no node: state, conditions and balance are those of the last observation by its owner.',
      tags: ['relayers'],
      params: relayerParameters,
      response: answers(overviewSchema),
    },
    async answer({ params }) {
      const relayer = await foundRelayer(source.reads, params.relayer_id)
      return success(await overviewOf(source, relayer, await networkPausesOf(source.reads, [relayer])))
    },
  })
}
