// Method and path of each operation on signers, notifications and networks.
import type { ManagementContext } from '../../commands/management.ts'
import { createNotification } from '../create-notification.ts'
import { createSigner } from '../create-signer.ts'
import { deleteNotification } from '../delete-notification.ts'
import { deleteSigner } from '../delete-signer.ts'
import { getNetwork } from '../get-network.ts'
import { getNotification } from '../get-notification.ts'
import { getSigner } from '../get-signer.ts'
import { listNetworks } from '../list-networks.ts'
import { listNotifications } from '../list-notifications.ts'
import { listSigners } from '../list-signers.ts'
import { updateNetwork } from '../update-network.ts'
import { updateNotification } from '../update-notification.ts'
import { updateSigner } from '../update-signer.ts'
import { type Mounting, mount } from './mount.ts'

export function managementRoutes(at: Mounting, management: ManagementContext): void {
  mount(at, 'POST', '/signers', createSigner(management))
  mount(at, 'GET', '/signers', listSigners(management))
  mount(at, 'GET', '/signers/:signer_id', getSigner(management))
  mount(at, 'PATCH', '/signers/:signer_id', updateSigner(management))
  mount(at, 'DELETE', '/signers/:signer_id', deleteSigner(management))
  mount(at, 'POST', '/notifications', createNotification(management))
  mount(at, 'GET', '/notifications', listNotifications(management))
  mount(at, 'GET', '/notifications/:notification_id', getNotification(management))
  mount(at, 'PATCH', '/notifications/:notification_id', updateNotification(management))
  mount(at, 'DELETE', '/notifications/:notification_id', deleteNotification(management))
  mount(at, 'GET', '/networks', listNetworks(management))
  mount(at, 'GET', '/networks/:network_id', getNetwork(management))
  mount(at, 'PATCH', '/networks/:network_id', updateNetwork(management))
}
