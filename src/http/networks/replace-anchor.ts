// Replaces the anchor of a network whose endpoints all serve another chain than it names (POST).
import type { ManagementContext } from '../../commands/management.ts'
import { replaceAnchor as replaceAnchorCommand } from '../../commands/networks/replace-anchor.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { networkParameters } from '../request/parameters.ts'
import { answers } from '../response/envelope.ts'
import { answerChanged, networkOf, networkSchema } from './read-networks.ts'

export function replaceAnchor(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['NETWORK_NOT_FOUND'],
    audited: 'in its commit',
    operationId: 'replaceAnchor',
    summary: 'Replace the anchor of a network',
    description:
      'For a network with the condition `wrong_chain` whose chain was reset, or reorganized below its anchor. Compare the chain of the endpoints with an explorer first: the service forgets the anchor, uses every endpoint with the right chain id at once, and takes a new anchor from their chain.',
    params: networkParameters,
    response: answers(networkSchema),
    async answer(request) {
      const network = networkOf(management.registry.networks(), request.params.network_id)
      await replaceAnchorCommand(management, network, requesterOf(request))
      return answerChanged(network, management)
    },
  })
}
