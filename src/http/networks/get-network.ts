// GET of one network.
import type { ManagementContext } from '../../commands/management.ts'
import { inSight } from '../request/in-sight.ts'
import { operation } from '../request/operation.ts'
import { networkParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { found } from '../response/found.ts'
import { networkId, networkSchema, noNetwork, presentOneNetwork } from './present-network.ts'

export function getNetwork(management: ManagementContext) {
  const { registry, store } = management
  return operation({
    scope: 'read',
    refusals: ['NETWORK_NOT_FOUND'],
    schema: {
      operationId: 'getNetwork',
      summary: 'Get a network',
      tags: ['networks'],
      params: networkParameters,
      response: answers(networkSchema),
    },
    async answer({ params: { network_id: id }, principal }) {
      await registry.refresh()
      const seen = await inSight(store.reads, principal, (relayer) => relayer.network)
      const network = registry.networks().find(({ name }) => networkId(name) === id && seen(name))
      const known = found(network, 'NETWORK_NOT_FOUND', noNetwork(id))
      return success(await presentOneNetwork(known, management))
    },
  })
}
