// Deletes a signer (DELETE).
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { deleteSigner as deleteSignerCommand } from '../../commands/signers/delete-signer.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { signerParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'

export function deleteSigner(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['SIGNER_NOT_FOUND', 'CONFIGURED_BY_FILE', 'SIGNER_IN_USE'],
    audited: 'in its commit',
    operationId: 'deleteSigner',
    summary: 'Delete a signer',
    description:
      'Refused while a relayer uses it. Its key is deleted for good: keep a copy if its account holds any funds.',
    params: signerParameters,
    response: answers(Type.String()),
    async answer(request) {
      const { signer_id: id } = request.params
      await deleteSignerCommand(management, id, requesterOf(request))
      return success(`signer "${id}" is deleted`)
    },
  })
}
