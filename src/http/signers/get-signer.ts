// Reads one signer (GET).
import type { ManagementContext } from '../../commands/management.ts'
import { inSight } from '../request/in-sight.ts'
import { operation } from '../request/operation.ts'
import { signerParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { found } from '../response/found.ts'
import { outageOf, presentSigner, signerSchema } from './present-signer.ts'

export function getSigner(management: ManagementContext) {
  const { registry, store } = management
  return operation({
    scope: 'read',
    refusals: ['SIGNER_NOT_FOUND'],
    schema: {
      operationId: 'getSigner',
      summary: 'Get a signer',
      tags: ['signers'],
      params: signerParameters,
      response: answers(signerSchema),
    },
    async answer({ params, principal }) {
      await registry.refresh()
      const seen = await inSight(store.reads, principal, (relayer) => relayer.signerId)
      const signer = registry.signers().find(({ id }) => id === params.signer_id && seen(id))
      const facts = found(signer, 'SIGNER_NOT_FOUND', `Signer with ID ${params.signer_id} not found`)
      return success(presentSigner(facts, outageOf(management, facts.id)))
    },
  })
}
