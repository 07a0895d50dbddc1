// Lists the relayers that the key may see (GET).
import { Type } from 'typebox'
import type { RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { Page, PageRequest, Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { pageOf, pageQuery, paginationOf } from '../request/parse-page.ts'
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
      response: answers(Type.Array(relayerSchema), 400),
    },
    async answer({ query, principal }) {
      const page = pageOf(query)
      const { items, total } = principal?.relayers
        ? await theseRelayers(reads, principal.relayers, page)
        : await reads.relayers(page)
      return success(
        items.map((relayer) => presentRelayer(relayer, endpointsOf)),
        [],
        paginationOf(page, total),
      )
    },
  })
}

/** For a key that is bound to some relayers, and sees no others. */
async function theseRelayers(reads: Reads, ids: readonly RelayerId[], page: PageRequest): Promise<Page<Relayer>> {
  const start = (page.page - 1) * page.perPage
  const read = await Promise.all([...ids].sort().map((id) => reads.relayer(id)))
  const known = read.filter((relayer) => relayer !== undefined)
  return { items: known.slice(start, start + page.perPage), total: known.length }
}
