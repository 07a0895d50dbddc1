// Method and path of each operation on networks.
import type { ManagementContext } from '../../commands/management.ts'
import { type Mounting, mount } from '../request/mount.ts'
import { listContradictions } from './list-contradictions.ts'
import { listNodes } from './list-nodes.ts'
import { pauseNetwork, resumeNetwork } from './pause-network.ts'
import { getNetwork, listNetworks } from './read-networks.ts'
import { replaceAnchor } from './replace-anchor.ts'
import { updateNetwork } from './update-network.ts'

export function networkRoutes(at: Mounting, management: ManagementContext): void {
  mount(at, 'GET', '/networks', listNetworks(management))
  mount(at, 'GET', '/nodes', listNodes(management))
  mount(at, 'GET', '/networks/:network_id', getNetwork(management))
  mount(at, 'GET', '/networks/:network_id/contradictions', listContradictions(management))
  mount(at, 'POST', '/networks/:network_id/anchor', replaceAnchor(management))
  mount(at, 'PUT', '/networks/:network_id/pause', pauseNetwork(management))
  mount(at, 'DELETE', '/networks/:network_id/pause', resumeNetwork(management))
  mount(at, 'PATCH', '/networks/:network_id', updateNetwork(management))
}
