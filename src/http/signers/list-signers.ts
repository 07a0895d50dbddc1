// Lists the signers, those of the configuration file first (GET).
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { inSight } from '../request/in-sight.ts'
import { operation } from '../request/operation.ts'
import { pageOf, pageQuery, paginationOf, sliceOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { outageOf, presentSigner, signerSchema } from './present-signer.ts'

export function listSigners(management: ManagementContext) {
  const { registry, store } = management
  return operation({
    scope: 'read',
    schema: {
      operationId: 'listSigners',
      summary: 'List signers',
      tags: ['signers'],
      querystring: pageQuery,
      response: answers(Type.Array(signerSchema)),
    },
    async answer({ query, principal }) {
      await registry.refresh()
      const seen = await inSight(store.reads, principal, (relayer) => relayer.signerId)
      const [page, all] = [pageOf(query), registry.signers().filter(({ id }) => seen(id))]
      const shown = sliceOf(page, all).map((signer) => presentSigner(signer, outageOf(management, signer.id)))
      return success(shown, [], paginationOf(page, all.length))
    },
  })
}
