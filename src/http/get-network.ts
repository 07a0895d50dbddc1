// GET of one network.
import type { ManagementContext } from '../commands/management.ts'
import { answers, success } from './envelope.ts'
import { found } from './found.ts'
import { operation } from './operation.ts'
import { networkParameters } from './parameters.ts'
import { networkId, networkSchema, presentNetwork } from './present-network.ts'

export function getNetwork({ estate }: ManagementContext) {
  return operation({
    scope: 'read',
    schema: {
      operationId: 'getNetwork',
      summary: 'Get a network',
      tags: ['networks'],
      params: networkParameters,
      response: answers(networkSchema, 400, 404),
    },
    async answer({ params: { network_id: id } }) {
      await estate.refresh()
      const network = estate.networks().find(({ name }) => networkId(name) === id)
      return success(presentNetwork(found(network, 'NETWORK_NOT_FOUND', `Network with ID ${id} not found`)))
    },
  })
}
