// Pauses a network with all of its relayers (PUT), and lifts that pause (DELETE).
import { Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import {
  pauseNetwork as pauseNetworkCommand,
  resumeNetwork as resumeNetworkCommand,
} from '../../commands/networks/pause-network.ts'
import { requesterOf } from '../request/audit.ts'
import { operation } from '../request/operation.ts'
import { networkParameters, noteInBody } from '../request/parameters.ts'
import { answers } from '../response/envelope.ts'
import { closed } from '../response/forms.ts'
import { answerChanged, networkOf, networkSchema } from './read-networks.ts'

const bodySchema = closed('NetworkPauseRequest', { examples: [{ note: 'the chain has halted' }] })({
  note: Type.Optional(noteInBody),
})

export function pauseNetwork(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['NETWORK_NOT_FOUND'],
    audited: 'in its commit',
    operationId: 'pauseNetwork',
    summary: 'Pause a network',
    description:
      'Each of its relayers is as if it were paused itself, also one that is created later: it takes no sends and binds no nonces, while transactions in flight, cancellations and sweeps go on. The mark is apart from the `paused` of each relayer, which stays as it is. Another pause replaces the time, the key and the note.',
    params: networkParameters,
    body: bodySchema,
    response: answers(networkSchema),
    async answer(request) {
      const { params, body } = request
      const network = networkOf(management.registry.networks(), params.network_id)
      await pauseNetworkCommand(management, network.name, body.note, requesterOf(request))
      return answerChanged(network, management)
    },
  })
}

export function resumeNetwork(management: ManagementContext) {
  return operation({
    scope: 'admin',
    refusals: ['NETWORK_NOT_FOUND'],
    audited: 'in its commit',
    operationId: 'resumeNetwork',
    summary: 'Lift the pause of a network',
    description: 'A relayer that was paused itself stays paused. Without a pause of the network nothing changes.',
    params: networkParameters,
    response: answers(networkSchema),
    async answer(request) {
      const network = networkOf(management.registry.networks(), request.params.network_id)
      await resumeNetworkCommand(management, network.name, requesterOf(request))
      return answerChanged(network, management)
    },
  })
}
