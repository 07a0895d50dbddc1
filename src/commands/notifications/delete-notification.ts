// DELETE of a notification that no relayer names.
import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError } from '../../domain/errors.ts'
import { type ManagementContext, notInFile, takeEffect, usedBy } from '../management.ts'

/** Throws NOTIFICATION_NOT_FOUND, CONFIGURED_BY_FILE, NOTIFICATION_IN_USE. */
export async function deleteNotification(context: ManagementContext, id: string, requester: Requester): Promise<void> {
  const { store, registry } = context
  const inFile = registry.file.notifications.some((each) => each.id === id)
  notInFile('notification', id, inFile, 'take it out of the file and restart')
  await store.commit(async (session) => {
    await session.raiseRevision()
    if (!(await session.entity('notification', id))) {
      throw new RescindError('NOTIFICATION_NOT_FOUND', `Notification with ID ${id} not found`)
    }
    const users = await session.relayersUsing('notification', id)
    if (users.length > 0) {
      const fix = 'patch their notification_id, or delete them, first'
      throw new RescindError('NOTIFICATION_IN_USE', `${usedBy('notification', id, users)}; ${fix}`)
    }
    await session.removeEntity('notification', id)
    session.recordAudit(allowed(requester, context.clock.now(), { subjectId: id }))
  })
  await takeEffect(context)
}
