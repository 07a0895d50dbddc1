// Deletes a relayer (DELETE).
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import { deleteRelayer as deleteRelayerCommand } from '../../commands/relayers/delete-relayer.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'

export function deleteRelayer(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['RELAYER_NOT_FOUND', 'CONFIGURED_BY_FILE', 'RELAYER_HAS_OPEN_TRANSACTIONS'],
    audited: 'in its commit',
    operationId: 'deleteRelayer',
    summary: 'Delete a relayer',
    description: 'Refused while it has open transactions. Its ended transactions can still be read under its id.',
    params: relayerParameters,
    response: answers(Type.String()),
    async answer(request) {
      const { relayer_id: id } = request.params
      await deleteRelayerCommand(management, id, requesterOf(request))
      return success(`relayer "${id}" is deleted; its transactions can still be read`)
    },
  })
}
