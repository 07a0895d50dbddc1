// DELETE of a signer.
import { Type } from 'typebox'
import { deleteSigner as deleteSignerCommand } from '../commands/delete-signer.ts'
import type { ManagementContext } from '../commands/management.ts'
import { answers, success } from './envelope.ts'
import { operation } from './operation.ts'
import { signerParameters } from './parameters.ts'

export function deleteSigner(management: ManagementContext) {
  return operation({
    scope: 'admin',
    schema: {
      operationId: 'deleteSigner',
      summary: 'Delete a signer',
      description: 'Refused while a relayer uses it. Its key is gone for good: keep a copy of one that holds anything.',
      tags: ['signers'],
      params: signerParameters,
      response: answers(Type.String(), 400, 404, 409),
    },
    async answer({ params: { signer_id: id } }) {
      await deleteSignerCommand(management, id)
      return success(`signer "${id}" is deleted`)
    },
  })
}
