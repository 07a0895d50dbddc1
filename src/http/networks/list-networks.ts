// GET of the networks.
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { inSight } from '../request/in-sight.ts'
import { operation } from '../request/operation.ts'
import { pageOf, pageQuery, paginationOf, sliceOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { networkSchema, presentNetworks } from './present-network.ts'

export function listNetworks(management: ManagementContext) {
  const { registry, store } = management
  return operation({
    scope: 'read',
    schema: {
      operationId: 'listNetworks',
      summary: 'List networks',
      tags: ['networks'],
      querystring: pageQuery,
      response: answers(Type.Array(networkSchema)),
    },
    async answer({ query, principal }) {
      await registry.refresh()
      const seen = await inSight(store.reads, principal, (relayer) => relayer.network)
      const [page, all] = [pageOf(query), registry.networks().filter(({ name }) => seen(name))]
      const presented = await presentNetworks(sliceOf(page, all), management)
      return success(presented, [], paginationOf(page, all.length))
    },
  })
}
