// GET of the signers, those of the configuration file first.
import { Type } from 'typebox'
import type { ManagementContext } from '../commands/management.ts'
import { answers, success } from './envelope.ts'
import { operation } from './operation.ts'
import { pageOf, pageQuery, paginationOf, sliceOf } from './parse-page.ts'
import { presentSigner, signerSchema } from './present-signer.ts'

export function listSigners({ estate }: ManagementContext) {
  return operation({
    scope: 'read',
    schema: {
      operationId: 'listSigners',
      summary: 'List signers',
      tags: ['signers'],
      querystring: pageQuery,
      response: answers(Type.Array(signerSchema), 400),
    },
    async answer({ query }) {
      await estate.refresh()
      const [page, all] = [pageOf(query), estate.signers()]
      return success(sliceOf(page, all).map(presentSigner), [], paginationOf(page, all.length))
    },
  })
}
