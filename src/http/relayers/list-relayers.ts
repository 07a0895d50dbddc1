// Lists the relayers that the key may see (GET).
import { Type } from 'typebox'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { pageOf, pageQuery, paginationOf } from '../request/parse-page.ts'
import { visibleRelayers } from '../request/visible-relayers.ts'
import { answers, success } from '../response/envelope.ts'
import { type EndpointsOf, presentRelayer, relayerSchema } from './present-relayer.ts'

export function listRelayers(reads: Reads, endpointsOf: EndpointsOf) {
  return operation({
    scope: 'read',
    schema: {
      operationId: 'listRelayers',
      summary: 'List relayers',
      tags: ['relayers'],
      querystring: pageQuery,
      response: answers(Type.Array(relayerSchema)),
    },
    async answer({ query, principal }) {
      const page = pageOf(query)
      const { items, total } = await visibleRelayers(reads, principal, page)
      return success(
        items.map((relayer) => presentRelayer(relayer, endpointsOf)),
        [],
        paginationOf(page, total),
      )
    },
  })
}
