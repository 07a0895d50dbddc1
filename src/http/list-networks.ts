// GET of the networks.
import { Type } from 'typebox'
import type { ManagementContext } from '../commands/management.ts'
import { answers, success } from './envelope.ts'
import { operation } from './operation.ts'
import { pageOf, pageQuery, paginationOf, sliceOf } from './parse-page.ts'
import { networkSchema, presentNetwork } from './present-network.ts'

export function listNetworks({ estate }: ManagementContext) {
  return operation({
    scope: 'read',
    schema: {
      operationId: 'listNetworks',
      summary: 'List networks',
      tags: ['networks'],
      querystring: pageQuery,
      response: answers(Type.Array(networkSchema), 400),
    },
    async answer({ query }) {
      await estate.refresh()
      const [page, all] = [pageOf(query), estate.networks()]
      return success(sliceOf(page, all).map(presentNetwork), [], paginationOf(page, all.length))
    },
  })
}
