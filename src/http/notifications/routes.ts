// Mounts the operations on notifications.
import type { ManagementContext } from '../../commands/management.ts'
import { type Mounting, mount } from '../request/mount.ts'
import { createNotification } from './create-notification.ts'
import { deleteNotification } from './delete-notification.ts'
import { getNotification, listNotifications } from './read-notifications.ts'
import { updateNotification } from './update-notification.ts'

export function notificationRoutes(at: Mounting, management: ManagementContext): void {
  mount(at, 'POST', '/notifications', createNotification(management))
  mount(at, 'GET', '/notifications', listNotifications(management))
  mount(at, 'GET', '/notifications/:notification_id', getNotification(management))
  mount(at, 'PATCH', '/notifications/:notification_id', updateNotification(management))
  mount(at, 'DELETE', '/notifications/:notification_id', deleteNotification(management))
}
