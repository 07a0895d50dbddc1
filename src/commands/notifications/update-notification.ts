// PATCH of a notification: another URL or another key, for every delivery from now on.

import { allowed, type Requester } from '../../domain/audit.ts'
import { RescindError } from '../../domain/errors.ts'
import type { NotificationSettings } from '../../domain/settings.ts'
import type { Secret } from '../../ops/secret.ts'

import { notificationFromEntity, notificationToEntity } from '../../registry/stored-entities.ts'
import { type ManagementContext, notInFile, refuseInside, requireKey, takeEffect } from '../management.ts'

interface NotificationPatch {
  readonly url?: Secret
  /** Null: deliveries are unsigned from now on. */
  readonly signingKey?: Secret | null
}

/**
 * Throws NOTIFICATION_NOT_FOUND, CONFIGURED_BY_FILE, STORAGE_KEY_MISSING, and INVALID_REQUEST for a URL that leads
 * inside.
 */
export async function updateNotification(
  context: ManagementContext,
  id: string,
  patch: NotificationPatch,
  requester: Requester,
): Promise<NotificationSettings> {
  const { store, registry, vault } = context
  const inFile = registry.file.notifications.some((each) => each.id === id)
  notInFile('notification', id, inFile, 'change it there and restart')
  requireKey(context, 'url')
  if (patch.url) refuseInside(context, patch.url)
  const updated = await store.commit(async (session) => {
    await session.raiseRevision()
    const row = await session.entity('notification', id)
    if (!row) throw new RescindError('NOTIFICATION_NOT_FOUND', `Notification with ID ${id} not found`)
    const { signingKey: before, ...known } = notificationFromEntity(vault, row)
    const signingKey = patch.signingKey === undefined ? before : (patch.signingKey ?? undefined)
    const next = { ...known, url: patch.url ?? known.url, ...(signingKey && { signingKey }) }
    await session.saveEntity(notificationToEntity(vault, next))
    session.recordAudit(allowed(requester, context.clock.now(), { subjectId: id }))
    return next
  })
  await takeEffect(context)
  return updated
}
